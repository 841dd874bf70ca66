const TABS = ["search", "themes", "people", "list", "budget", "conflicts", "clean"],
    // Without themes the circles are of the people and things that are listed there.
    offered = () => TABS.filter((k) => k !== "themes" || byTheme);
function tabs() {
    fill(
        $("tabs"),
        offered().map((k) =>
            press(
                () => open(k),
                { role: "tab", "aria-selected": String(k === tab), title: String(TABS.indexOf(k) + 1) },
                t(k).split(/(?= & )/).map((part) => h("span", {}, part)),
                k === "conflicts" && h("span", { id: "count" }),
            ),
        ),
    );
    contest();
}
const PANELS = {
    search: () => searchPanel(),
    themes: () => themesPanel(),
    clean: () => cleanPanel(),
    conflicts: () => conflictsPanel(),
    budget: () => budgetPanel(),
    people: () => peoplePanel(),
    list: () => listPanel(),
};
const isSlow = (k) => k === "clean" || k === "conflicts"; // they compare all memories
function open(k) {
    if (!offered().includes(k)) k = "people";
    if (k !== tab && !["search", "themes", "budget"].includes(tab)) {
        who = null;
        document.body.classList.remove("met");
        light_(null);
        fit();
    }
    if (k !== tab)
        fill(
            $("panel"),
            h("p", { class: "dim", role: "status" }, t(isSlow(k) ? "looking" : "busy")),
            isSlow(k) && h("progress", { "aria-label": t("looking") }),
        );
    if (k !== tab) isMapped = false;
    tab = document.body.dataset.tab = k;
    paged();
    shut();
    tabs();
    draw();
    return PANELS[k]();
}
// Lists and answers have the whole page; beside them the map is there once it is asked for.
let isMapped = false;
const phone = matchMedia("(max-width:820px)");
function paged() {
    const of = document.body.classList,
        was = of.contains("plain"),
        can =
            /^(list|c|budget)/.test(tab) ||
            (tab === "search" && of.contains("answered")) ||
            (of.contains("opened") && phone.matches);
    of.toggle("plain", can && !isMapped);
    of.toggle("mapped", can && isMapped);
    if (was && !of.contains("plain")) {
        size();
        fit();
    }
    $("mapper").hidden = !can;
    $("mapper").className = isMapped ? "on" : "";
    $("mapper").setAttribute("aria-pressed", String(isMapped));
}
const fail = (e) => say(e.message || String(e));
let box = null,
    results = null,
    wait = 0,
    turn = 0;
function asker() {
    if (!box) {
        box = h("input", {
            id: "q",
            type: "search",
            autocomplete: "off",
            on: {
                input: () => {
                    clearTimeout(wait);
                    wait = setTimeout(() => ask(box.value), 350);
                },
                keydown: (e) => {
                    if (e.key === "Enter") {
                        clearTimeout(wait);
                        box.scrollLeft = 0;
                        ask(box.value);
                    }
                },
            },
        });
        results = h("div", { "aria-live": "polite" });
        $("ask").append(box);
    }
    box.placeholder = t("ask") + (phone.matches ? "" : "  ( / )");
    aria(box, "ask");
}
function searchPanel() {
    if ($("panel").firstChild !== results) fill($("panel"), results);
    if (last) answer(last);
    else greet();
}
// A memory in a list: its sentence, and who said it when. What is not known yet is asked for at
// once for all rows that are made together.
let lines = new Map(),
    unknown = new Map();
function row(id, more, of = []) {
    const text = h("span", { class: "clamp" }, label(id)),
        by = h("span", { class: "by" }, more || ""),
        // Its name while the text, which is hidden until it is told, has none.
        name = { "aria-busy": "true", "aria-label": label(id) },
        line = press(() => choose(id), { class: "open line", ...name }, by, text);
    const fill_ = ([speaker, when, sentence]) => {
        Object.keys(name).forEach((k) => line.removeAttribute(k));
        fill(text, marked(sentence.replace(/^… | …$/g, ""), of));
        fill(by, h("span", {}, byline(speaker, when), more && [" · ", more]));
    };
    const known = lines.get(id);
    if (known) fill_(known);
    if (!known || known.old) {
        if (!unknown.size) queueMicrotask(inform);
        unknown.set(id, [...(unknown.get(id) || []), fill_]);
    }
    return [line, clash(id)];
}
async function inform() {
    const asked_for = unknown;
    let found = {};
    unknown = new Map();
    try {
        found = (await source.lines([...asked_for.keys()])).lines;
    } catch (e) {
        fail(e);
    }
    for (const [id, fills] of asked_for) {
        if (found[id]) lines.set(id, found[id]);
        for (const fill_ of fills) fill_(found[id] || lines.get(id) || ["", "", label(id)]);
    }
}
const byline = (speaker, rest, of = []) => [
    speaker && [marked(speaker, of), rest && " · "],
    dated(rest),
];
const LEAST_WIDTH = 170, // pixels of the label of a memory that is listed unasked
    NEWEST = 8; // that are listed where none is more important
function greet() {
    if (!M || !results || last) return;
    document.body.classList.remove("answered");
    paged();
    fill(results, standing());
}
function standing() {
    const alive = M.order.filter((i) => !(M.flags[i] & 4)),
        others = alive.filter((i) => !(S.focus.includes(M.id[i]) || M.flags[i] & 2)),
        readable = (is, least_ = 0) => {
            const some = is.filter((i) => !(M.flags[i] & 8) && wide(M.label[i], PLAIN) > least_);
            return some.length ? some : is;
        },
        weighs = (i) => [
            M.flags[i] & 1 ? t("pinned") : t("usedTimes", big(M.uses[i])),
            says(i) && circled(i, t("naming", named(groupOf(i)))),
        ],
        matters = (i) => (M.flags[i] & 1 ? FAR : M.uses[i]),
        top = others.filter((i) => matters(i) > 1).sort((i, j) => matters(j) - matters(i)),
        ids = (is) => readable([...is].sort((i, j) => M.id[j] - M.id[i])),
        list = (k, is, why) =>
            is.length > 0 && [
                h("h2", { class: "sub" }, t(k)),
                h(
                    "ul",
                    { class: `plain ${k}` },
                    is.map((i) => h("li", {}, row(M.id[i], why && why(i)))),
                ),
            ];
    // On another day, what was known then.
    if (!atNow) {
        const then = M.order.filter((i) => formAt(i, at) >= 0 && formAt(i, at) < 3);
        then.sort((i, j) => M.born[j] - M.born[i] || M.id[j] - M.id[i]);
        return [
            h("h2", { class: "sub" }, t("newestBy", dayOf(at))),
            h("ul", { class: "plain" }, then.slice(0, NEWEST).map((i) => h("li", {}, row(M.id[i])))),
        ];
    }
    return [
        fixed && faint("p", t("static")),
        !alive.length && faint("p", t("empty")),
        top.length
            ? [
                  list("top", readable(top, LEAST_WIDTH).slice(0, 5), weighs),
                  list("inFocus", ids(S.focus.map((id) => M.place.get(id)).filter((i) => i != null))),
              ]
            : list("newest", ids(alive).slice(0, NEWEST)),
        alive.length > 1 &&
            press(() => open("list"), { class: "link" }, t("allOf", big(alive.length))),
    ];
}
const circled = (i, name) => [
    " · ",
    mode === "theme" && h("span", { class: "sw", style: { "--c": css(rgb(groupOf(i))) } }),
    h("span", { class: "day" }, name),
];
const says = (i) => !!named(groupOf(i)) && M.label[i].includes(named(groupOf(i)));
const NEAREST = 5; // hits that are shown unfolded: of unsure ones, or if there are no more
async function ask(cue) {
    const mine = ++turn;
    if (tab !== "search") open("search");
    if (!cue.trim()) {
        last = null;
        lit = null;
        greet();
        fit();
        flags();
        return;
    }
    try {
        const r = await source.recall(cue);
        if (mine !== turn) return;
        last = r;
        group = null;
        answer(r);
    } catch (e) {
        fail(e);
    }
}
const marked = (text, of) =>
    of.length
        ? text
              .split(RegExp(`(${of.join("|")})`, "gi"))
              .map((s, k) => (k % 2 ? h("mark", {}, s) : dated(s)))
        : dated(text);
const label = (id) => (M.place.has(id) ? M.label[M.place.get(id)] : "#" + id);
const isGone = (id) => M.place.has(id) && M.flags[M.place.get(id)] & 4;
let unfolded = null; // the answer of which the further hits are unfolded
// Shows what was found, but for what has been forgotten since, in the list and on the map.
function answer(r) {
    const hits = r.hits
            .filter((x) => x.scope || !isGone(x.id))
            .map((x, k) => ({ ...x, number: k + 1, weak: !r.sure || !x.likely })),
        first = hits.filter((x, k) => x.likely && (r.sure || k < NEAREST)),
        further = hits.filter((x) => !first.includes(x)),
        absent = !hits.length,
        open_too = unfolded === r || !first.length || hits.length <= NEAREST,
        speaker = !r.sure && first.length && first.every(isSaidBy) && first[0].speaker,
        who_ = first.every((x) => x.speaker === speaker) && speaker,
        title = () =>
            t(r.sure ? "found" : who_ ? "unsureOf" : "unsure", big(first.length), who_, big(hits.length)),
        furthers = further.length > 0 && t(r.sure ? "perhaps" : "further", big(further.length)),
        // On the map are those whose rows are not folded away.
        light = (of) => {
            const own = of.filter((x) => !x.scope && M.place.has(x.id)),
                weak = own.filter((x) => x.weak);
            lit = own.length
                ? {
                      hits: own.map((x) => x.id),
                      number: new Map(own.map((x) => [x.id, x.number])),
                      found: own,
                      title,
                      weak: new Set(weak.map((x) => x.id)),
                      set: new Set(own.map((x) => x.id)),
                      who: who_,
                      hint: r.sure
                          ? weak.length
                              ? "hintPerhaps"
                              : "hintFound"
                          : who_
                            ? "hintSaid"
                            : "hintUnsure",
                      more: of === hits ? "" : furthers,
                  }
                : null;
            fit();
            flags();
        };
    light(open_too ? hits : first);
    document.body.classList.toggle("answered", !absent);
    paged();
    fill(
        results,
        absent && h("h2", {}, t("nothing")),
        r.notes.map((n) =>
            h("p", { class: "dim", title: n }, n.startsWith("ranked without") ? t("noVectors") : n),
        ),
        absent ? standing() : fixed && faint("p", t("static")),
        !absent &&
            h("h2", { class: r.sure ? "sub" : "" }, title()),
        cards(first),
        further.length > 0 &&
            h(
                "details",
                {
                    class: "further",
                    open: open_too,
                    on: {
                        toggle: (e) => {
                            if (r !== last) return;
                            unfolded = e.target.open ? r : null;
                            light(unfolded ? hits : first);
                        },
                    },
                },
                faint("summary", furthers),
                cards(further),
            ),
        lit && beside(lit.hits, 10 - first.length, [...new Set(hits.flatMap((x) => x.matched))]),
        r.once.length > 0 && faint("p", t("once") + colon(), r.once.join("; ")),
    );
}
// What else says the name of the first hit's group, if that hit says it too: first what has a word of
// a hit that was asked for.
function beside(ids, most, of) {
    const best = M.place.get(ids[0]),
        some =
            best != null &&
            says(best) &&
            [...new Set([...strongest(best), ...M.order])].filter(
                (i) =>
                    groupOf(i) === groupOf(best) &&
                    says(i) &&
                    !lit.set.has(M.id[i]) &&
                    !(M.flags[i] & 14),
            ),
        holds = (i) => of.some((word) => M.label[i].toLowerCase().includes(word.toLowerCase()));
    if (some) some.sort((i, j) => holds(j) - holds(i));
    return (
        most > 0 &&
        some.length > 0 && [
            h("h2", { class: "sub" }, t("beside", nameOf(groupOf(best)))),
            h("ul", { class: "plain" },
                some.slice(0, most).map((i) => h("li", {}, row(M.id[i], "", of))),
            ),
        ]
    );
}
// Whether only who said it is in the question: the words that it shares with that are the name.
const isSaidBy = (x) => x.parts.speaker > 0 && !x.matched.some((word) => x.text.includes(word)),
    weighed = (x) =>
        Object.entries(x.parts)
            .map(([part, v]) => [part === "words" && isSaidBy(x) ? "speaker" : part, v])
            .sort((a, b) => b[1] - a[1]),
    // The rules that gave a hit most, in words.
    reasons = (x) => [
        ...new Set(weighed(x).filter(([, v]) => v > 0).slice(0, 3).map(([part]) => reasoned(part))),
    ];
const pinOf = (x) => h("b", { class: `pin${x.weak ? " weak" : ""}` }, x.number);
// A hit: its number as on the map, who said it when, and what it says.
function hitLine(x, text = x.text) {
    const by = [
            day(x.when),
            x.scope && `${t("of")} ${x.scope}`,
            x.form > 0 && t(["", "shorter", "remnant"][x.form]),
        ],
        i = x.scope ? null : M.place.get(x.id),
        // Where it lies with another than who said it, that one's circle says why.
        name = i == null ? "" : named(groupOf(i)),
        aside = name && x.speaker && !x.speaker.includes(name);
    return [
        h("span", { class: "by" },
            pinOf(x),
            h("span", {},
                byline(x.speaker, strung(" · ", ...by), x.matched),
                aside && circled(i, x.text.includes(name) ? t("naming", name) : name),
            ),
        ),
        h("span", { class: `clamp${x.form > 1 ? " dim" : ""}` }, marked(text, x.matched)),
    ];
}
// Folded, why it was found.
function whyOf(x) {
    const sum = num(Object.values(x.parts).reduce((a, b) => a + +num(b), 0));
    return h("details", {},
        faint("summary", t("how")),
        h("ul", { class: "why" }, reasons(x).map((why) => h("li", {}, why))),
        x.path.length > 0 &&
            faint("div",
                h("span", { class: "hot" }, t("path") + colon()),
                label(x.path[0][0]),
                x.path.map((p) => ` —${tied(p[1])}→ ${label(p[2])}`),
            ),
        h("details", { class: "numbers" },
            faint("summary", t("numbers")),
            h("div", { class: "parts" },
                h("b", {}, sum),
                weighed(x).map(([part, v]) => h("span", {}, `${reasoned(part)} ${num(v)}`)),
            ),
        ),
    );
}
// Hits, the best first; a reason that all have stands once above them.
function cards(of) {
    const why = of.map((x) => reasons(x).slice(0, 2).join(" · ")),
        isShared = of.length > 1 && new Set(why).size < 2;
    return [
        isShared && why[0] && faint("p", t("allShare", why[0])),
        of.map((x, k) => hitCard(x, !isShared && why[k])),
    ];
}
function hitCard(x, why) {
    return h("div", { class: "card hit" + (x.id === sel ? " on" : ""), "data-id": x.id },
        press(() => choose(x.id), { class: "open line", disabled: !!x.scope }, hitLine(x)),
        why && faint("div", why),
        whyOf(x),
        x.earlier.length > 0 && faint("div", `${x.earlier.length} ${t("earlier")}`),
        !x.scope && clash(x.id),
    );
}
// What a theme is called: by what its memories share, else by its sentence.
let sentences = new Map();
const titleOf = (g) =>
    g
        ? names.get(g) || sentences.get(g) || M.label[M.order.find((i) => M.theme[i] === g)]
        : t("none");
async function themesPanel() {
    let list = [];
    try {
        list = (await source.themes()).themes;
    } catch (e) {
        fail(e);
    }
    if (tab !== "themes") return;
    const c = tallied(),
        rows = [...new Set(M.theme)].sort((a, b) => !a - !b || (c.get(b) || 0) - (c.get(a) || 0));
    const themes = new Map(list.map((x) => [x.id, x]));
    sentences = new Map(list.map((x) => [x.id, x.sentence]));
    fill(
        $("panel"),
        rows.map((g) => {
            const x = themes.get(g);
            return h("div", { class: "card" + (group === g ? " on" : ""), "data-group": g },
                press(
                    () => {
                        lit = null;
                        group = group === g ? null : g;
                        flags();
                        if (group != null) fit([...M.id.keys()].filter((i) => M.theme[i] === g));
                        else fit();
                        themesPanel();
                    },
                    { class: "open", "aria-pressed": String(group === g) },
                    titleOf(g),
                    " ",
                    faint("span"),
                ),
                x && x.name && h("div", { class: "dim clamp" }, x.sentence),
            );
        }),
    );
    tally();
}
// How many of each group there are at the pass that is shown.
function tallied() {
    const c = new Map();
    for (let i = 0; i < M.n; i++) {
        const f = formAt(i, at);
        if (f >= 0 && f < 3) c.set(M.theme[i], (c.get(M.theme[i]) || 0) + 1);
    }
    return c;
}
function tally() {
    if (tab !== "themes") return;
    const c = tallied();
    for (const e of document.querySelectorAll("[data-group]")) {
        const n = c.get(+e.dataset.group);
        e.hidden = !n;
        e.querySelector(".dim").textContent = n
            ? ` ${t("memories", big(n))}`
            : "";
    }
}
// What is used of what is allowed, and what that consists of.
function budgetPanel() {
    const of = (k, v, most, say_) => most > 0 && t(k, say_(v), say_(most), Math.round((100 * v) / most)),
        limits = [
            of("usedBytes", S.memory_bytes, S.max_bytes, bytes),
            of("usedNodes", S.nodes, S.max_nodes, big),
        ].filter(Boolean),
        bar = (parts) =>
            h("div", { class: "bar" },
                parts.map(([n, dye]) => h("i", { style: { "flex-grow": n, background: dye } })),
            ),
        table = (rows) =>
            h("dl", {},
                rows.map(([sign, k, v]) => [h("dt", {}, sign, t(k)), h("dd", {}, v)]),
            ),
        dot = (dye) => h("span", { class: "sw", style: { "--c": dye } }),
        c = counts(M.passes),
        fs = FORM(),
        rest = Math.max(0, S.memory_bytes - S.text_bytes);
    fill(
        $("panel"),
        h("h2", {}, limits.length ? limits.join(between()) : t("noLimit", bytes(S.memory_bytes))),
        faint("p", t(limits.length ? "makesRoom" : "setLimit")),
        h("h3", {}, t("room_", bytes(S.memory_bytes))),
        bar([[S.text_bytes, C.hot], [rest, C.dim]]),
        table([
            [dot(C.hot), "textBytes", bytes(S.text_bytes)],
            [dot(C.dim), "indexBytes", bytes(rest)],
        ]),
        faint("p", t("archive", bytes(S.archive_bytes), big(S.archived))),
        h("h3", {}, t("memories", big(S.nodes))),
        bar([0, 1, 2].map((f) => [c[f], fs[f]])),
        table(["whole", "shorter", "gist"].map((k, f) => [filled(f, fs[f]), k, big(c[f])])),
        faint("p",
            strung(
                " · ",
                c[3] && t("goneN", big(c[3])),
                t("linksN", big(S.links)),
                S.pinned && t("pinnedN", big(S.pinned)),
                S.vectors && t("vectorsN", big(S.vectors)),
                S.waiting && t("waiting", big(S.waiting)),
            ),
        ),
    );
}
