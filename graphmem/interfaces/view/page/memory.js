function shut() {
    if (sel != null || !$("right").hidden) {
        const inside = $("right").contains(document.activeElement);
        sel = null;
        $("right").hidden = true;
        document.body.classList.remove("opened");
        paged();
        if (inside) (opener && opener.isConnected ? opener : stage).focus();
        opener = null;
        size();
        if (boxed_ && !lit) fit();
        flags();
        ring_();
    }
}
// Frames the card of the hit that is open.
function ring_() {
    for (const e of document.querySelectorAll(".hit"))
        e.classList.toggle("on", +e.dataset.id === sel);
}
let opener = null; // what in the lists opened the memory: the focus goes back there
async function choose(id) {
    sel = id;
    const from = document.activeElement;
    if ($("left").contains(from)) opener = from;
    $("right").hidden = false;
    document.body.classList.add("opened");
    paged();
    size();
    if (M.place.has(id)) {
        const [x, y] = px(M.place.get(id));
        if (lit || x < 0 || y < 0 || x > w || y > hh) fit();
    }
    flags();
    ring_();
    try {
        const d = await source.node(id);
        if (sel !== id) return;
        panel(id, d);
        if (from === opener) $("memory").querySelector("h2").focus();
    } catch (e) {
        if (sel === id) {
            fill($("memory"), h("p", { class: "bad" }, e.message));
            heads();
        }
    }
}
// From an open hit to the further ones in the list.
function unfold() {
    unfolded = last;
    shut();
    answer(last);
    $("panel").querySelector(".further > summary").focus();
}
const MOST_BESIDE = 4; // other hits before a memory, or all of them with the first
// Who said it when, and what is left of it, above a memory; the other hits stay before and after it.
function heads(by) {
    const found = (lit && lit.found) || [],
        place = found.findIndex((x) => x.id === sel),
        from = Math.max(0, place - MOST_BESIDE),
        // One row; words end where there is no room for the next.
        room = $("head").clientWidth - 60,
        doubted = lit && lit.hint === "hintPerhaps" && found.find((x) => x.weak),
        hits = (of) =>
            of.map((x) => [
                x === doubted && faint("div", t("perhaps", big(lit.weak.size))),
                press(
                    () => choose(x.id),
                    { class: "open line" },
                    hitLine(x, short(x.text, `13px ${FONT}`, room)),
                ),
            ]);
    fill(
        $("head"),
        place >= 0 && pinOf(found[place]),
        h("span", {}, dated(by || t("memory"))),
        place >= 0 && whyOf(found[place]),
        press(
            () => {
                shut();
                draw();
            },
            { "aria-label": t("close") },
            "✕",
        ),
    );
    fill(
        $("above"),
        place >= 0 &&
            faint("div",
                lit.title(),
                lit.more && [" · ", press(unfold, { class: "link" }, lit.more)],
            ),
        hits(found.slice(from, Math.max(0, place))),
    );
    fill($("below"), hits(found.slice(place + 1, Math.max(place, MOST_BESIDE) + 1)));
}
let open_ = null;
const LINKED = 3, // links within the conversation that are shown unfolded
    KEPT = { pinned: "pinned", "in focus": "infocus", protective: "held" };
function panel(id, d) {
    const inside = $("right").contains(document.activeElement);
    open_ = d;
    if (!d) {
        heads();
        fill($("memory"), h("h2", { tabindex: -1 }, label(id)), faint("p", t("partial")));
        return;
    }
    const forms = ["whole", "shorter", "gist"],
        COL = FORM();
    const made = (a, b, d) => `${num(a, d)} × ${num(b, d)} = ${num(num(a, d) * num(b, d), d)}`,
        sums = (v, k) =>
            v.importance != null &&
            v.worths[k] != null &&
            `${made(v.importance, v.worths[k], 3)} < ${v.form === 2 ? "¼" : "⅓"}`;
    // What was lost with a form, how that was worked out, and the way back to it.
    const fell = (v, next) => {
        const kept = new Set(next ? next.sentences : []),
            lost = (v.sentences.length ? v.sentences : [v.text])
                .map((s, k) => [s, /shortened|faded/.test(v.why) && sums(v, k)])
                .filter(([s]) => !kept.has(s)),
            why = lost.filter(([, x]) => x);
        return [
            !fixed &&
                button("back", () => act({ what: "revive", id, version: v.version }), {
                    title: v.text,
                }),
            why.length > 0 &&
                h("details", {},
                    faint("summary", t("how")),
                    faint("div", t("sumOf")),
                    why.map(([s, x]) =>
                        h("div", { class: "sum" }, x, faint("span", " " + s)),
                    ),
                ),
            lost.map(([s]) => h("del", {}, s.trim())),
        ];
    };
    const vs = d.versions,
        now = d.alive ? vs[vs.length - 1] : null,
        acts =
            !fixed &&
            h("div", { class: "row" },
                d.alive
                    ? [
                          button(
                              d.pinned ? "unpin" : "pin",
                              () => act({ what: d.pinned ? "unpin" : "pin", id }),
                              { class: d.pinned ? "on" : "" },
                          ),
                          button("used", () => later({ what: "used", id })),
                          button("correct", () => write("correct"), { title: t("wrongText") }),
                          !d.to && button("replace", () => write("replace"), { title: t("newText") }),
                          button("forget", () => act({ what: "forget", id }), { class: "bad" }),
                      ]
                    : button("revive", () => act({ what: "revive", id })),
            );
    const w_ = d.worth,
        nx = w_ && w_.next,
        then = nx && nx.passes != null ? passOf(nx.passes) : "",
        kept_ = w_ && (w_.kept || "protective"),
        next =
            nx && nx.form == null
                ? t(nx.passes == null ? "roomGone" : "nextGone", then)
                : nx
                  ? [
                        t(nx.passes == null ? "roomCut" : "nextCut", then) + colon(),
                        faint("span", nx.lost.join(" ")),
                    ]
                  : kept_ &&
                    (kept_.startsWith("binding until ")
                        ? dated(t("binding", kept_.slice(14), d.form ? t("again") : ""))
                        : t("keptBy") + colon() + t(KEPT[kept_] || kept_)),
        event = (form, k, when, ...more) =>
            h(
                "li",
                { style: { "--c": COL[form] } },
                when && [dated(day(when)), " "],
                h("b", {}, t(k)),
                " ",
                more,
            ),
        // A figure by what it means; the figure itself is told where one points at it.
        level = (k, steps, v) =>
            h("span", { title: num(v) }, t(k)[steps.filter((step) => v >= step).length]),
        // The circle of the map in which it lies, and why.
        circle = () => {
            const of = M.place.has(id) && named(groupOf(M.place.get(id)));
            return of && t(of === d.speaker ? "circleSaid" : "circleNamed", of);
        },
        facts = [
            [t("circle"), d.alive && circle()],
            [t("importance"), w_ && level("weights", [0.5, 1.5, 3], w_.importance)],
            [t("uses"), w_ && big(d.uses)],
            [t("session"), d.session],
            [t("holds"), day(d.from)],
            [t("expires"), day(d.expires)],
            [t("kind"), `${kindOf(d.realm)}, ${kindOf(d.temporality)}`],
            [t("confidence"), level("sureness", [0.5, 0.8], d.confidence)],
            [t("retention"), d.retention && t(d.retention)],
            [t("theme"), d.theme],
            [t("keyword"), d.keywords.join(" · ")],
        ].filter((x) => x[1]),
        order_ = (to) => t(to < id ? "toldBefore" : "toldAfter"),
        link = ([r, to, , beside_]) =>
            h("li", {}, row(to, r !== "focus" ? tied(r) : beside_ && order_(to))),
        made_ = d.links.filter(([r]) => !isWeak(r)),
        weak_ = d.links.filter(([r]) => isWeak(r)).sort((p, q) => q[3] - p[3]),
        near_ = weak_.splice(0, Math.min(LINKED, weak_.filter((link) => link[3]).length));
    heads(
        strung(
            " · ",
            d.speaker,
            day(d.happened || d.created),
            d.alive ? d.form > 0 && t(forms[d.form]) : t("gone"),
            d.pinned && t("pinned"),
            d.to && `${t("replaced")} ${day(d.to)}`,
        ),
    );
    fill(
        $("memory"),
        h("h2", { tabindex: -1 }, d.alive ? d.text : d.phrase),
        clash(id),
        acts,
        !nx && next && h("div", { class: "rule dim" }, next),
        h("h3", {}, t("history")),
        h("ol", { class: "life" },
            d.happened &&
                day(d.happened) !== day(d.created) &&
                event(0, "told", d.happened),
            event(
                0,
                "remembered",
                d.created,
                vs.length > 1 && !vs[0].form && h("div", {}, vs[0].text),
            ),
            vs
                .filter((v) => v.ended != null)
                .map((v) => {
                    const after = vs[vs.indexOf(v) + 1],
                        form = after ? after.form : 1;
                    return v.why === "shortened"
                        ? event(form, form === 2 ? "gist" : v.why, v.ended, fell(v, after))
                        : event(3, v.why, v.ended, fell(v, after));
                }),
            now &&
                vs.length > 1 &&
                event(
                    d.form,
                    "present",
                    "",
                    t(["whole", "left", "remnant"][d.form], Math.round(100 * d.kept)),
                ),
            nx && event(3, "next", "", next),
        ),
        h("details", {},
            faint("summary", t("more")),
            h("dl", {},
                facts.map(([k, v]) => [faint("dt", k), h("dd", {}, v)]),
            ),
            w_ &&
                w_.sentences.length > 1 && [
                    faint("div", t("sumOf")),
                    h("ul", { class: "plain" },
                        w_.sentences.map(([s, v]) =>
                            h("li", {},
                                faint("span", made(w_.importance, v) + "  "),
                                s,
                            ),
                        ),
                    ),
                ],
        ),
        made_.length > 0 && [
            h("h3", {}, t("relations")),
            h("ul", { class: "plain made" }, made_.map(link)),
        ],
        h("h3", {}, t("links") + " ", M.place.has(id) && button("around", () => around(id))),
        h("ul", { class: "plain" }, near_.sort((p, q) => p[1] - q[1]).map(link)),
        weak_.length > 0 &&
            h("details", {},
                faint("summary",
                    t(near_.length ? "further" : "memories", big(weak_.length)),
                ),
                h("ul", { class: "plain" }, weak_.map(link)),
            ),
        d.once.length > 0 && faint("p", t("once") + colon() + d.once.join("; ")),
    );
    if (inside) $("memory").querySelector("h2").focus();
    $("memory").scrollTop = document.body.scrollTop = 0;
}
const EDGE = 30, // pixels that "More" takes at least
    MOST_EDGE = 110, // and at most, unless a line is higher
    LEAST = 24, // that it leaves of what begins, for a line of text
    BLOCK = "h2, h3, p, li, tr, dt, dd, summary, .row, .rule, .card:not(:has(.plain))";
// How many pixels of the lower edge "More" takes: no block is cut by it but one that is too high, and
// that one between two lines; and no heading stands above it without what it is of. Hits are whole.
function edgeOf(e, more = 0) {
    const { top: from, bottom } = e.getBoundingClientRect(),
        end = bottom + more,
        isSeen = (b) => b.checkVisibility(), // what is folded away has boxes too
        above = (boxes, y) => boxes.reduceRight((y, [a, b]) => (a < y && b > y ? a : y), y),
        boxOf = (b, head) => {
            const { top, bottom } = b.getBoundingClientRect();
            return [top, bottom + (head ? 12 : 0)];
        },
        blocks = [...e.querySelectorAll(BLOCK)]
            .filter(isSeen)
            .map((b) => boxOf(b, b.matches("h2, h3, .further > summary"))),
        y = above(blocks, end - EDGE),
        most = e.scrollTop ? Infinity : end - from - LEAST;
    if (end - y <= Math.min(e.querySelector(".hit") ? end - from - LEAST : MOST_EDGE, most))
        return end - y;
    const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT),
        range = document.createRange(),
        lines_ = [];
    while (texts.nextNode()) {
        if (!isSeen(texts.currentNode.parentNode)) continue;
        range.selectNode(texts.currentNode);
        const under = texts.currentNode.parentNode.closest(".by, h2, h3");
        for (const { top, bottom, height } of range.getClientRects())
            if (height && bottom > from && top < end) lines_.push([top, bottom + (under ? 12 : 0)]);
    }
    for (const b of [...e.querySelectorAll(".row, summary")].filter(isSeen)) lines_.push(boxOf(b));
    const edge = end - above(lines_.sort(([a], [b]) => a - b), end - EDGE);
    return edge <= most ? edge : EDGE; // half a line is better than none
}
// What a list or card on a small screen leaves over above "More", in pixels: on a phone it belongs to
// the map, else it is below what stands there.
let spare = 0;
const small = matchMedia("(max-width:1100px)");
// Whether there is more below stands at the lower edge.
for (const e of [$("panel"), $("memory")]) {
    const again = (happened) => {
        if (!e.clientHeight) return;
        if (happened.type !== "scroll") {
            const rest = e.scrollHeight - e.scrollTop - e.clientHeight - spare,
                isMore = small.matches && rest > 8,
                most = Math.max(0, e.clientHeight + spare - 120),
                now = isMore ? Math.min(most, Math.floor(edgeOf(e, spare) - EDGE)) : 0;
            if (Math.abs(now - spare) > 2) spare = now;
            document.body.style.setProperty("--spare", `${spare}px`);
        }
        const more = e.scrollHeight - e.scrollTop - e.clientHeight > 8;
        e.classList.toggle("more", more);
        e.tabIndex = more && !e.querySelector(FOCUS) ? 0 : -1; // else no key would scroll it
        const edge = more ? edgeOf(e) : EDGE,
            end = e.getBoundingClientRect().bottom - edge,
            part = e.querySelector("h3"), // the first, if one does not see it
            isUnder = part && part.getBoundingClientRect().top > end - 1;
        e.style.setProperty("--edge", `${edge}px`);
        e.dataset.more = `${isUnder ? part.firstChild.data : t("below")} ↓`;
    };
    new MutationObserver(again).observe(e, { childList: true, subtree: true });
    new ResizeObserver(again).observe(e);
    for (const what of ["scroll", "toggle"]) e.addEventListener(what, again, true);
}
