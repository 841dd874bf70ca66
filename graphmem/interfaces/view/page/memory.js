// One memory.
function shut() {
    if (sel != null || !$("right").hidden) {
        sel = null;
        $("right").hidden = true;
        document.body.classList.remove("told");
        size();
        flags();
        if (last && tab === "search" && results) tell(last);
    }
}
async function choose(id, still) {
    sel = id;
    $("right").hidden = false;
    document.body.classList.add("told");
    size();
    if (!still && M.place.has(id)) {
        const i = M.place.get(id),
            [x, y] = px(i);
        if (x < 30 || y < 30 || x > w - 30 || y > hh - 30) {
            fitted = null;
            view.x = M.x[i];
            view.y = M.y[i];
        }
    }
    flags();
    if (last && tab === "search" && results) tell(last);
    try {
        const d = await source.node(id);
        if (sel !== id) return;
        panel(id, d);
    } catch (e) {
        if (sel === id) {
            fill($("told"), h("p", { class: "bad" }, e.message));
            heads(id);
        }
    }
}
function heads(id) {
    fill(
        $("head"),
        h("span", { class: "dim" }, `#${id}`),
        h(
            "button",
            {
                type: "button",
                on: {
                    click: () => {
                        shut();
                        draw();
                        stage.focus();
                    },
                },
                "aria-label": t("close"),
            },
            "✕",
        ),
    );
}
let open_ = null;
function panel(id, d) {
    open_ = d;
    heads(id);
    if (!d) {
        fill($("told"), h("h2", {}, label(id)), h("p", { class: "dim" }, t("partial")));
        return;
    }
    const forms = ["whole", "shorter", "gist"],
        when = passOf,
        COL = FORM();
    const made = (a, b, d) => `${num(a, d)} × ${num(b, d)} = ${num(num(a, d) * num(b, d), d)}`,
        how = (...of) =>
            h(
                "details",
                {},
                h("summary", { class: "dim" }, t("how")),
                h("div", { class: "dim" }, t("sumOf")),
                of,
            ),
        sums = (v, k) =>
            v.importance != null &&
            v.worths[k] != null &&
            `${made(v.importance, v.worths[k], 3)} < ${v.form === 2 ? "¼" : "⅓"}`;
    const fell = (v, next) => {
        const kept = new Set(next ? next.sentences : []),
            list = v.sentences.length ? v.sentences : [v.told];
        const why = list
            .map((s, k) => !kept.has(s) && /shortened|faded/.test(v.why) && sums(v, k))
            .map(
                (x, k) =>
                    x &&
                    h(
                        "div",
                        { class: "sum" },
                        x,
                        list.length > 1 && h("span", { class: "dim" }, " " + list[k]),
                    ),
            )
            .filter((x) => x);
        return h(
            "div",
            {},
            list.map((s) => h(kept.has(s) ? "span" : "del", {}, s)),
            why.length > 0 && how(why),
        );
    };
    const vs = d.versions,
        now = d.alive ? vs[vs.length - 1] : null,
        acts =
            !fixed &&
            h(
                "div",
                { class: "row" },
                d.alive
                    ? [
                          button(
                              d.pinned ? "unpin" : "pin",
                              () => act({ what: d.pinned ? "unpin" : "pin", id }),
                              { class: d.pinned ? "on" : "" },
                          ),
                          button("used", () => later({ what: "used", id })),
                          button("correct", () => write("correct")),
                          !d.to && button("replace", () => write("replace")),
                          button("forget", () => act({ what: "forget", id }), { class: "bad" }),
                      ]
                    : button("revive", () => act({ what: "revive", id })),
            );
    const facts = [
        [d.session && t("session"), d.session],
        [t("uses"), d.uses],
        [t("holds"), day(d.from)],
        [d.to && t("replaced"), day(d.to)],
        [d.expires && t("expires"), day(d.expires)],
        [t("kind"), `${kindOf(d.realm)}, ${kindOf(d.temporality)}`],
        [t("confidence"), num(d.confidence)],
        [
            d.retention && t("retention"),
            d.retention && `${num(d.retention.value)} · ${t(d.retention.state)}`,
        ],
        [d.theme && t("theme"), d.theme && d.theme.name],
        [t("keyword"), d.keywords.join(" · ")],
    ].filter((x) => x[0] && x[1] !== "" && x[1] != null);
    const w_ = d.worth,
        nx = w_ && w_.next,
        then = nx && nx.passes != null ? passOf(nx.passes) : "";
    fill(
        $("told"),
        h(
            "div",
            { class: "dim", id: "who" },
            [d.speaker, day(d.happened || d.created)].filter(Boolean).join(" · "),
        ),
        h(
            "div",
            {},
            h(
                "span",
                { class: "tag", style: { color: d.alive ? COL[d.form] : "var(--dim)" } },
                t(d.alive ? forms[d.form] : "gone"),
            ),
            d.pinned && h("span", { class: "tag" }, t("pinned")),
            d.to && h("span", { class: "tag" }, `${t("replaced")} ${day(d.to)}`),
            d.alive &&
                d.kept < 1 &&
                h("span", { class: "tag" }, `${Math.round(100 * d.kept)} % ${t("left")}`),
        ),
        h("h2", {}, d.alive ? d.told : d.phrase),
        acts,
        w_ && [
            h("h3", {}, t(nx && nx.passes == null ? "forRoom" : "next")),
            nx
                ? h(
                      "div",
                      {},
                      nx.form == null
                          ? t(nx.passes == null ? "roomGone" : "nextGone", then)
                          : [
                                t(nx.passes == null ? "roomCut" : "nextCut", then) + colon(),
                                h("span", { class: "dim" }, nx.lost.join(" ")),
                            ],
                  )
                : h(
                      "div",
                      {},
                      `${t("keptBy")}${colon()}${w_.kept === "pinned" ? t("pinned") : w_.kept === "in focus" ? t("infocus") : (w_.kept || "").startsWith("binding until ") ? `${t("binding")} ${w_.kept.slice(14)}` : w_.kept === "protective" ? t("held") : w_.kept || t("held")}`,
                  ),
            h("div", { class: "dim" }, `${t("importance")} ${num(w_.importance)}`),
            w_.sentences.length > 1 &&
                how(
                    h(
                        "ul",
                        { class: "plain" },
                        w_.sentences.map(([s, v]) =>
                            h(
                                "li",
                                {},
                                h("span", { class: "dim" }, made(w_.importance, v) + "  "),
                                s,
                            ),
                        ),
                    ),
                ),
        ],
        h("h3", {}, t("life")),
        h(
            "ol",
            { class: "life" },
            h(
                "li",
                { style: { "--c": COL[0] } },
                h("b", {}, t("remembered")),
                h(
                    "span",
                    { class: "dim" },
                    day(d.created) === day(d.happened || d.created)
                        ? ""
                        : ` ${t("onDay", day(d.created))}`,
                ),
            ),
            vs
                .filter((v) => v.ended != null)
                .map((v) => {
                    const k = vs.indexOf(v),
                        after = vs[k + 1] || null;
                    return h(
                        "li",
                        {
                            style: {
                                "--c": COL[v.why === "shortened" ? (after ? after.form : 1) : 3],
                            },
                        },
                        h(
                            "b",
                            {},
                            t(v.why === "shortened" && after && after.form === 2 ? "gist" : v.why),
                        ),
                        h("span", { class: "dim" }, ` ${t("onDay", day(v.ended))}`),
                        fell(v, after),
                        !fixed &&
                            h(
                                "div",
                                { class: "row" },
                                button("back", () =>
                                    act({ what: "revive", id, version: v.version }),
                                ),
                            ),
                    );
                }),
            now &&
                vs.length > 1 &&
                h(
                    "li",
                    { style: { "--c": COL[d.form] } },
                    h("b", {}, t("present")),
                    h("div", {}, now.told),
                ),
        ),
        h(
            "h3",
            {},
            t("links") + ` (${d.links.length}) `,
            M.place.has(id) && button("around", () => around(id)),
        ),
        h(
            "ul",
            { class: "plain" },
            d.links.map(([r, to, s]) =>
                h(
                    "li",
                    {},
                    h(
                        "button",
                        {
                            type: "button",
                            class: "open",
                            title: num(s),
                            on: { click: () => choose(to) },
                        },
                        label(to),
                        h("span", { class: "dim" }, `  ${tied(r)}`),
                    ),
                ),
            ),
        ),
        d.once.length > 0 && h("p", { class: "dim" }, t("once") + colon() + d.once.join("; ")),
        h(
            "dl",
            {},
            facts.map(([k, v]) => [h("dt", { class: "dim" }, k), h("dd", {}, v)]),
        ),
    );
    $("told").scrollTop = 0;
}
