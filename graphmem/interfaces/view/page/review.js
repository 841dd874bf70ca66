// What a person decides: conflicts, and what may be cleaned away.
// The conflicts that are known; what says so of a memory leads to them.
let known = null;
const contested = () => (known || []).filter((c) => !(awaited(c.older.id) && awaited(c.newer.id))),
    isOf = (id) => (c) => c.older.id === id || c.newer.id === id,
    // The values of a conflict, if both sides say one: "1150 ↔ 1190". What may have changed in time is
    // told at the older side alone: "later: 1190; undecided".
    versus = (c) => {
        const [a, b] = [0, 1].map((k) => valueOf(c, k));
        if (!(a && b && a !== b && (a + b).length < 30)) return t("clash");
        return c.kind !== "time" ? `${t("clash")}${colon()}${a} ↔ ${b}` : t("became", b);
    },
    mainly = (id) => contested().find((c) => isOf(id)(c) && (c.kind !== "time" || c.older.id === id)),
    stamp = (e) => {
        const c = mainly(+e.dataset.id);
        e.hidden = !c;
        e.classList.toggle("dim", !!c && c.kind === "time");
        e.firstChild.textContent = c ? versus(c) : "";
        return e;
    },
    clash = (id) =>
        stamp(
            press(
                async () => {
                    await open("conflicts");
                    const e = $("panel").querySelectorAll(".card")[contested().indexOf(mainly(id))];
                    if (e) e.scrollIntoView();
                    if (e) e.classList.add("on");
                },
                { class: "clash", "data-id": id },
                h("span", {}),
            ),
        );
const MOST_LISTED = 100; // conflicts that the server lists
function contest() {
    const n = contested().length;
    $("count").textContent = !known ? "…" : n < MOST_LISTED ? n || "" : `${n}+`;
    document.querySelectorAll(".clash").forEach(stamp);
}
async function learn() {
    known = (await source.conflicts()).conflicts;
    contest();
}
// A memory under its number on the map.
const listedLine = (id, speaker, when, text) =>
    press(
        () => choose(id),
        { class: "open line" },
        h("span", { class: "by" }, pinOf({ number: lit.number.get(id) }), h("span", {}, byline(speaker, when))),
        h("span", { class: "clamp" }, text),
    );
// What makes a memory that is kept no candidate any more.
const pin_ = (c) => ({ what: "pin", id: c.id }),
    KEEP = {
        expired: pin_,
        trivial: pin_,
        redundant: pin_,
        conflicting: (c) => ({ what: "resolve", pair: [c.id, c.other], keep: "both" }),
        uncertain: (c) => ({ what: "confirm", id: c.id }),
    };
async function erase(c) {
    if (await sure([t("eraseAsk"), t("goes") + colon() + inWords(c.lost)].join(between())))
        act({ what: "erase", id: c.id });
}
async function cleanPanel() {
    let list;
    try {
        list = (await source.candidates()).candidates.filter((c) => !awaited(c.id));
    } catch (e) {
        fill($("panel"));
        return fail(e);
    }
    if (tab !== "clean") return;
    const isErased = (c) => c.kind === "secret" && (c.sure || c.archived),
        plain = list.filter((c) => !isErased(c)).map((c) => c.id);
    light_(list.map((c) => c.id), "hintLit");
    fill(
        $("panel"),
        list.length
            ? [h("h2", {}, t("toClean", big(list.length))), faint("p", t("cleaning"))]
            : faint("p", t("noClean")),
        list.map((c) =>
            h("div", { class: "card" },
                listedLine(c.id, ...c.by, c.text || "#" + c.id),
                faint("div", t(c.kind === "expired" ? "over" : c.kind), " · ", inWords(c.reason)),
                !fixed &&
                    h("div", { class: "row" },
                        !c.archived &&
                            M.place.has(c.id) &&
                            KEEP[c.kind] &&
                            button("keep", () => later(KEEP[c.kind](c))),
                        isErased(c)
                            ? button("erase", () => erase(c), { class: "bad" })
                            : button("forget", () => act({ what: "forget", id: c.id }), { class: "bad" }),
                    ),
            ),
        ),
        !fixed &&
            plain.length > 1 &&
            h("div", { class: "row" },
                button("forgetThem", () => actAll("forget", plain), { class: "bad" }),
            ),
    );
}
// The value that one side says, and what its button calls it.
const valueOf = (c, k) => asWritten(c.values[k] || "", [c.older, c.newer][k].text, c.slot),
    sideOf = (c, k) => {
        const vs = [0, 1].map((j) => valueOf(c, j));
        return vs[0] !== vs[1] && vs.every((v) => v && v.length < 25)
            ? vs[k]
            : W[lang].sides[k + (day(c.dates[0]) === day(c.dates[1]) ? 2 : 0)];
    };
// What a conflict is about, as a question if both sides say a value: "rent: 1150 or 1190?"
function about(c) {
    const [a, b] = [0, 1].map((k) => valueOf(c, k)),
        both = c.older.keywords.filter((k) => c.newer.keywords.includes(k) && ![a, b].includes(k)),
        of =
            slotOf(c.slot) ||
            t(c.kind === "time" ? "time_" : c.kind === "version" ? "version_" : c.kind),
        what = (!/^(residence|employer|job)$/.test(c.slot) && both.slice(0, 2).join(" · ")) || of;
    const whose = c.older.speaker === c.newer.speaker && c.older.speaker;
    return strung(lang === "zh" ? "，" : ", ", whose, a && b && a !== b ? what + colon() + t("which", a, b) : what);
}
async function conflictsPanel() {
    try {
        await learn();
    } catch (e) {
        fill($("panel"));
        return fail(e);
    }
    if (tab !== "conflicts") return;
    const list = contested();
    light_(list.flatMap((c) => [c.older.id, c.newer.id]), "hintLit");
    fill(
        $("panel"),
        list.length ? [h("h2", {}, t("toSettle", big(list.length))), faint("p", t("settling"))] : faint("p", t("noConf")),
        list.map((c) => {
            const pair = [c.older.id, c.newer.id],
                keep = (k) => (k === "both" ? later : act)({ what: "resolve", pair, keep: k });
            return h("div", { class: "card" },
                h("h2", {}, about(c)),
                [c.older, c.newer].map((n, k) =>
                    listedLine(n.id, n.speaker, `${day(c.dates[k])} · ${t(k ? "saidLater" : "saidFirst")}`, n.text),
                ),
                c.proposal != null && faint("p", t("advise", sideOf(c, pair.indexOf(c.proposal)))),
                !fixed &&
                    h("div", { class: "row" },
                        pair.map((id, k) => press(() => keep(id), {}, t("keepIt", sideOf(c, k)))),
                        button("both", () => keep("both")),
                    ),
            );
        }),
    );
}
