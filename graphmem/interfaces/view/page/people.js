// People and things, and the list of memories.
let P = null, // rows, names and relations, as the server lists them
    who = null, // the name that is chosen
    spots = []; // where names were drawn: [left, right, y, place among the names]
async function folks() {
    if (!P || P.sequence !== M.sequence) P = { ...(await source.people()), sequence: M.sequence };
    return P;
}
const memoriesOf = (k) => [...new Set([...P.names[k].said, ...P.names[k].named])];
// Light some memories, and bring them into view; null: all alike again.
function light_(ids, ties = []) {
    lit = ids && { hits: [], set: new Set(ids), edges: [], paths: new Map(), ties };
    group = null;
    flags();
    const places_ = (ids || []).map((id) => M.place.get(id)).filter((i) => i != null);
    if (places_.length) fit(places_);
}
// A name whose memories are shown; chosen again, all are.
function meet(k) {
    who = who === k ? null : k;
    light_(who == null ? [] : memoriesOf(who));
    if (who == null) fit();
    if (tab === "people") peoplePanel();
    else open("people");
}
async function asked_() {
    fill($("panel"), t("busy"));
    try {
        return await folks();
    } catch (e) {
        fill($("panel"));
        return fail(e);
    }
}
async function peoplePanel() {
    if (!(await asked_()) || tab !== "people") return;
    const relations = (k) =>
        P.relations
            .filter(([from, , to]) => from === k || to === k)
            .map(([from, how, to]) => `${P.names[from].name} —${how}→ ${P.names[to].name}`);
    fill(
        $("panel"),
        !P.names.length && h("p", { class: "dim" }, t("noPeople")),
        P.names.map((x, k) =>
            h(
                "div",
                { class: "card" + (who === k ? " on" : "") },
                h(
                    "button",
                    {
                        type: "button",
                        class: "open",
                        "aria-pressed": String(who === k),
                        on: { click: () => meet(k) },
                    },
                    h("b", {}, x.name),
                    h(
                        "span",
                        { class: "dim" },
                        `  ${[
                            x.said.length && `${t("said")} ${big(x.said.length)}`,
                            x.named.length && `${t("namedIn")} ${big(x.named.length)}`,
                        ]
                            .filter(Boolean)
                            .join(" · ")}`,
                    ),
                ),
                relations(k).map((line) => h("div", { class: "dim" }, line)),
                who === k &&
                    h(
                        "div",
                        { class: "row" },
                        button("list", () => {
                            wanted.who = x.name;
                            open("list");
                        }),
                    ),
            ),
        ),
    );
    if (who == null) light_([]); // names stand out from pale memories
}
// Where a name lies: amid its memories, and then apart from the other names.
let laid = null;
function layout() {
    if (laid && laid.P === P && laid.M === M) return laid.at;
    const at_ = P.names.map((_, k) => {
        const of = memoriesOf(k)
            .map((id) => M.place.get(id))
            .filter((i) => i != null);
        const mean = (list) => of.reduce((sum, i) => sum + list[i], 0) / of.length;
        return of.length ? [mean(M.x), mean(M.y)] : null;
    });
    for (const [from, , to] of P.relations) {
        // What only the facts name lies beside what they relate it to.
        at_[from] = at_[from] || (at_[to] && [at_[to][0] + 1, at_[to][1] + 1]);
        at_[to] = at_[to] || (at_[from] && [at_[from][0] + 1, at_[from][1] - 1]);
    }
    const known = at_.filter(Boolean),
        gap = 0.8 * Math.sqrt((M.n || 1) / (known.length || 1));
    for (let round = 0; round < 60; round++)
        for (let i = 0; i < known.length; i++)
            for (let j = 0; j < i; j++) {
                const [a, b] = [known[i], known[j]],
                    x = a[0] - b[0] || 0.01 * (i - j),
                    y = a[1] - b[1] || 0.013 * (i + j),
                    far_ = Math.hypot(x, y);
                if (far_ >= gap) continue;
                const push = (gap - far_) / 4 / far_;
                a[0] += x * push;
                a[1] += y * push;
                b[0] -= x * push;
                b[1] -= y * push;
            }
    laid = { P, M, at: at_ };
    return at_;
}
// Names with their squares, moved as little as it takes to lie on no other; as many of the first as
// there is room for.
function apart(list) {
    const room = Math.max(6, Math.floor((w * hh) / 12000)),
        kept_ = list.slice(0, room);
    for (let round = 0; round < 120; round++) {
        let moved_ = false;
        for (let i = 0; i < kept_.length; i++)
            for (let j = 0; j < i; j++) {
                const [a, b] = [kept_[i], kept_[j]],
                    dx = a.x + a.m / 2 - (b.x + b.m / 2),
                    dy = a.y - b.y,
                    over_x = (a.m + b.m) / 2 + 26 - Math.abs(dx),
                    over_y = 24 - Math.abs(dy);
                if (over_x <= 0 || over_y <= 0) continue;
                moved_ = true;
                if (over_y < over_x) {
                    const push = ((dy < 0 ? -1 : 1) * over_y) / 2;
                    a.y += push;
                    b.y -= push;
                } else {
                    const push = ((dx < 0 ? -1 : 1) * over_x) / 2;
                    a.x += push;
                    b.x -= push;
                }
            }
        for (const one of kept_) {
            one.x = Math.max(9, Math.min(w - one.m - 14, one.x));
            one.y = Math.max(22, Math.min(hh - below() - 4, one.y));
        }
        if (!moved_) break;
    }
    return new Map(kept_.map((one) => [one.k, one]));
}
// Names as nodes of their own while their panel is open: all, or the chosen one and what the facts
// relate to it, with lines to its memories.
function folk(write_) {
    spots = [];
    const c = over,
        font = `600 13px ${FONT}`,
        line = ([x, y], [u, v], colour, width) => {
            c.strokeStyle = colour;
            c.lineWidth = width;
            c.beginPath();
            c.moveTo(x, y);
            c.lineTo(u, v);
            c.stroke();
        };
    for (const [i, j] of (lit && lit.ties) || []) line(px(i), px(j), `rgba(${C.link},.45)`, 1.2);
    if (!P || P.sequence !== M.sequence || (tab !== "people" && who == null)) return;
    const at_ = layout(),
        ties = P.relations.filter(([a, , b]) => who == null || a === who || b === who),
        related = new Set(ties.flatMap(([a, , b]) => [a, b])),
        order = [...P.names.keys()].sort(
            (a, b) => (b === who) - (a === who) || related.has(b) - related.has(a) || a - b,
        ),
        drawn = apart(
            order
                .filter((k) => at_[k] && (who == null || k === who || related.has(k)))
                .map((k) => {
                    const name = short(P.names[k].name, font, 150);
                    return {
                        k,
                        name,
                        m: wide(name, font),
                        x: w / 2 + (at_[k][0] - view.x) * view.k,
                        y: hh / 2 - (at_[k][1] - view.y) * view.k,
                    };
                })
                .filter(({ x, y }) => x > 0 && y > 0 && x < w && y < hh),
        );
    if (who == null)
        $("tip").textContent =
            drawn.size < P.names.length
                ? t("firstNames", big(drawn.size), big(P.names.length))
                : "";
    for (const { x, y, m } of drawn.values()) cover(x - 7, y - 8, x + 9 + m, y + 9, 2);
    if (who != null && drawn.has(who)) {
        const { x, y } = drawn.get(who);
        for (const id of memoriesOf(who)) {
            const i = M.place.get(id);
            if (i != null && formAt(i, at) >= 0 && formAt(i, at) < 3)
                line([x, y], px(i), `rgba(${C.link},.5)`, 1);
        }
    }
    for (const [from, how, to] of ties) {
        const a = drawn.get(from),
            b = drawn.get(to);
        if (!a || !b) continue;
        line([a.x, a.y], [b.x, b.y], C.ok, 1.6);
        const text = short(how, PLAIN, 120),
            m = wide(text, PLAIN);
        for (const part of [0.5, 0.35, 0.65]) {
            const x = a.x + (b.x - a.x) * part - m / 2,
                y = a.y + (b.y - a.y) * part + 4;
            if (under(x, y, m, FAR) === FAR) continue;
            write_(text, x, y, m, PLAIN, C.ok);
            break;
        }
    }
    for (const [k, { x, y, m, name }] of drawn) {
        c.fillStyle = k === who ? C.hot : C.ink;
        c.fillRect(x - 5, y - 5, 10, 10);
        c.strokeStyle = C.bg;
        c.lineWidth = 1.5;
        c.strokeRect(x - 5, y - 5, 10, 10);
        write_(name, x + 9, y + 5, m, font, k === who ? C.hot : C.ink);
        spots.push([x - 7, x + 9 + m, y, k]);
    }
}
const nameAt = (x, y) => {
    const found = spots.find(([left, right, v]) => x > left && x < right && Math.abs(y - v) < 11);
    return found ? found[3] : null;
};
// What is linked with a memory, and with that: lit, the others dimmed.
function around(id) {
    const i = M.place.get(id),
        next = (of) => {
            const found = new Map();
            for (let k = 0; k < M.m; k++) {
                const a = M.from[k],
                    b = M.to[k];
                if (of.has(a) !== of.has(b)) {
                    const other = of.has(a) ? b : a;
                    found.set(other, Math.max(found.get(other) || 0, M.strength[k]));
                }
            }
            return [...found].sort((p, q) => q[1] - p[1]).map(([n]) => n);
        };
    const near = new Set([i, ...next(new Set([i])).slice(0, 24)]);
    for (const n of next(near).slice(0, 40)) near.add(n);
    const shown_here = new Set([...near].filter((n) => formAt(n, at) >= 0 && formAt(n, at) < 3)),
        ties = [];
    for (let k = 0; k < M.m; k++)
        if (shown_here.has(M.from[k]) && shown_here.has(M.to[k])) ties.push([M.from[k], M.to[k]]);
    light_(
        [...shown_here].map((n) => M.id[n]),
        ties,
    );
}
// -- the list: what is asked of it, and which rows are ticked
const wanted = { who: "", kind: "", since: "", till: "", pinned: false },
    ticked = new Set(),
    SHOWN = 200;
function listed() {
    const name = P.names.findIndex((x) => x.name === wanted.who),
        of = name < 0 ? null : new Set(memoriesOf(name));
    return P.rows
        .filter(
            ([id, , day_, realm, temporality, pinned]) =>
                M.place.has(id) &&
                (!of || of.has(id)) &&
                (!wanted.kind || wanted.kind === realm || wanted.kind === temporality) &&
                (!wanted.since || day_ >= wanted.since) &&
                (!wanted.till || day_ <= wanted.till) &&
                (!wanted.pinned || pinned),
        )
        .reverse();
}
async function listPanel() {
    if (!(await asked_()) || tab !== "list") return;
    const choice = (k, empty, values, says) =>
        h(
            "select",
            { "aria-label": t(empty), on: { change: (e) => narrow(k, e.target.value) } },
            h("option", { value: "" }, t(empty)),
            values.map((v) => h("option", { value: v, selected: wanted[k] === v }, says(v))),
        );
    const date = (k) => {
        const e = h("input", {
            type: "date",
            value: wanted[k],
            on: { change: () => narrow(k, e.value) },
        });
        return h("label", { class: "dim" }, `${t(k)} `, e);
    };
    const kinds = [...new Set(P.rows.flatMap((r) => [r[3], r[4]]))].sort();
    fill(
        $("panel"),
        h(
            "div",
            { class: "row" },
            choice(
                "who",
                "anyone",
                P.names.map((x) => x.name),
                (v) => v,
            ),
            choice("kind", "anyKind", kinds, kindOf),
            date("since"),
            date("till"),
            h(
                "label",
                { class: "dim" },
                h("input", {
                    type: "checkbox",
                    checked: wanted.pinned,
                    on: { change: (e) => narrow("pinned", e.target.checked) },
                }),
                ` ${t("onlyPinned")}`,
            ),
        ),
        h("div", { id: "rows" }),
    );
    rowsOf();
}
function narrow(k, value) {
    wanted[k] = value;
    ticked.clear();
    const found = listed();
    light_(found.length < P.rows.length ? found.map((r) => r[0]) : null);
    rowsOf();
}
function rowsOf() {
    const found = listed(),
        rows = found.slice(0, SHOWN),
        tick = (ids, on) => {
            for (const id of ids) on ? ticked.add(id) : ticked.delete(id);
            rowsOf();
        },
        box_ = (label_, ids) =>
            h("input", {
                type: "checkbox",
                "aria-label": label_,
                checked: ids.length > 0 && ids.every((id) => ticked.has(id)),
                on: { change: (e) => tick(ids, e.target.checked) },
            });
    for (const id of ticked) if (!rows.some((r) => r[0] === id)) ticked.delete(id);
    const all = t("allShown", big(rows.length), big(found.length));
    const does = (what) => {
        const ids = [...ticked];
        ticked.clear();
        return actAll(what, ids);
    };
    fill(
        $("rows"),
        h(
            "div",
            { class: "row" },
            !fixed &&
                box_(
                    all,
                    rows.map((r) => r[0]),
                ),
            h("span", { class: "dim" }, all),
            ticked.size > 0 && [
                button("pin", () => does("pin")),
                button("unpin", () => does("unpin")),
                button("forget", () => does("forget"), { class: "bad" }),
            ],
        ),
        h(
            "table",
            {},
            rows.map(([id, speaker, day_, , , pinned]) =>
                h(
                    "tr",
                    {},
                    !fixed && h("td", {}, box_(label(id), [id])),
                    h(
                        "td",
                        {},
                        h(
                            "button",
                            { type: "button", class: "open", on: { click: () => choose(id) } },
                            h(
                                "span",
                                { class: "dim" },
                                [day_, speaker, pinned && t("pinned")].filter(Boolean).join(" · "),
                            ),
                            h("span", { class: "clamp" }, label(id)),
                        ),
                    ),
                ),
            ),
        ),
    );
}
