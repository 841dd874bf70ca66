// People and things, and the list of memories.
let P = null, // rows, names and relations, as the server lists them
    who = null, // the name that is chosen
    spots = []; // where names were drawn: [left, right, y, place among the names, radius]
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
    draw();
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
                press(
                    () => meet(k),
                    { class: "open", "aria-pressed": String(who === k) },
                    h("b", {}, x.name),
                    h(
                        "span",
                        { class: "dim" },
                        [
                            x.said.length && t("said", big(x.said.length)),
                            x.named.length && t("namedIn", big(x.named.length)),
                        ]
                            .filter(Boolean)
                            .join(" · "),
                    ),
                ),
                relations(k).map((line) => h("div", { class: "dim" }, line)),
                who === k && [
                    h(
                        "ul",
                        { class: "plain" },
                        memoriesOf(k)
                            .slice(0, 8)
                            .map((id) => h("li", {}, row(id))),
                    ),
                    h(
                        "div",
                        { class: "row" },
                        button("list", () => {
                            wanted.who = x.name;
                            open("list");
                        }),
                    ),
                ],
            ),
        ),
    );
}
// Whether the stage shows the names as a graph of their own, not the map.
const social = () => tab === "people" && P && P.sequence === M.sequence && P.names.length > 0;
// The names that there is room for, as discs; each is tied to those with which it has most memories
// in common. Ties pull, all discs push, and in the end none lies on another one's name.
let laid = null;
function layout() {
    if (laid && laid.P === P && laid.w === w && laid.hh === hh) return laid;
    const font = `600 ${w < 500 ? 12 : 14}px ${FONT}`,
        most = Math.max(...P.names.map((_, k) => memoriesOf(k).length), 1),
        related = new Set(P.relations.flatMap(([a, , b]) => [a, b])),
        shown_ = [...P.names.keys()]
            .sort((a, b) => related.has(b) - related.has(a) || a - b)
            .slice(0, Math.max(6, Math.floor((w * hh) / 13000)))
            .map((k) => {
                const name = short(P.names[k].name, font, 150),
                    of = new Set(memoriesOf(k));
                return {
                    k,
                    name,
                    of,
                    m: wide(name, font),
                    r: (w < 500 ? 5 : 7) + (w < 500 ? 9 : 17) * Math.sqrt(of.size / most),
                };
            }),
        ties = [];
    shown_.forEach((a, i) => {
        for (const b of shown_.slice(0, i)) {
            const both_ = [...a.of].filter((id) => b.of.has(id)).length;
            if (both_) ties.push([a, b, both_]);
        }
    });
    // Whoever has nothing in common with anybody stands in the list alone.
    const tied = shown_.filter((one) => related.has(one.k) || ties.flat().includes(one)),
        discs = tied.length ? tied : shown_;
    const strong = new Set(
        discs.flatMap((one) =>
            ties
                .filter(([a, b]) => a === one || b === one)
                .sort((p, q) => q[2] - p[2])
                .slice(0, 2),
        ),
    );
    const place = new Map(discs.map((one) => [one.k, one])),
        stated = P.relations
            .map(([a, how, b]) => [place.get(a), place.get(b), how])
            .filter(([a, b]) => a && b),
        pull = [...strong, ...stated],
        gap = 0.7 * Math.sqrt((w * hh) / (discs.length || 1));
    let best = null;
    for (let start = Math.min(40, 9000 / discs.length ** 2); start > 0; start--) {
        discs.forEach((one, j) => {
            const far_ = 0.4 * Math.sqrt((j + 0.5) / discs.length),
                turn = 2.4 * j * Math.ceil(start);
            one.x = w * (0.5 + far_ * Math.cos(turn));
            one.y = hh * (0.5 + far_ * Math.sin(turn));
        });
        for (let round = 0; round < 240; round++)
            settled(discs, pull, gap, Math.max(0, 1 - round / 200));
        const score =
            pull.reduce((n, line, j) => n + obstacles(line, pull.slice(0, j), discs), 0) +
            pull.reduce((n, [a, b]) => n + apart(a, b), 0) / (4 * gap);
        if (!best || score < best.score) best = { score, at: discs.map(({ x, y }) => ({ x, y })) };
    }
    discs.forEach((one, j) => Object.assign(one, best.at[j]));
    // The strongest lines that cross no other one and nobody whom they do not concern, and of whoever
    // has none of these the one that crosses least.
    const drawn = [...stated],
        sorted = [...strong].sort((p, q) => q[2] - p[2]);
    for (const tie of sorted) if (!obstacles(tie, drawn, discs)) drawn.push(tie);
    for (const one of discs) {
        if (drawn.flat().includes(one)) continue;
        const own = sorted.filter((tie) => tie.includes(one)),
            met = own.map((tie) => obstacles(tie, drawn, discs));
        if (own.length) drawn.push(own[met.indexOf(Math.min(...met))]);
    }
    return (laid = { P, w, hh, font, discs, ties: drawn.slice(stated.length), stated });
}
const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
function settled(discs, pull, gap, warm) {
    const move = (a, b, x, y) => {
        a.x += x / 2;
        a.y += y / 2;
        b.x -= x / 2;
        b.y -= y / 2;
    };
    for (const [a, b] of pull) {
        const by = 0.2 * warm * Math.max(0, 1 - gap / (apart(a, b) || 1));
        move(a, b, (b.x - a.x) * by, (b.y - a.y) * by);
    }
    discs.forEach((a, i) => {
        for (const b of discs.slice(0, i)) {
            const x = a.x - b.x || 0.1,
                y = a.y - b.y || 0.1,
                by = Math.min(0.5, (0.1 * warm * gap * gap) / (x * x + y * y)),
                // A disc with its name below is a box that no other one may touch.
                over_x = Math.max(a.r, a.m / 2) + Math.max(b.r, b.m / 2) + 16 - Math.abs(x),
                over_y = a.r + b.r + 34 - Math.abs(y);
            move(a, b, x * by, y * by);
            if (over_x > 0 && over_y > 0)
                over_y < over_x
                    ? move(a, b, 0, Math.sign(y) * over_y)
                    : move(a, b, Math.sign(x) * over_x, 0);
        }
    });
    for (const one of discs) {
        const side = Math.max(one.r, one.m / 2) + 14;
        one.x = Math.max(side, Math.min(w - side, one.x + (w / 2 - one.x) * 0.04 * warm));
        one.y = Math.max(
            (w < 500 ? 70 : 52) + one.r,
            Math.min(hh - 34 - one.r, one.y + (hh / 2 - one.y) * 0.04 * warm),
        );
    }
}
const left = (a, b, c) => (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x),
    cross = (a, b, c, d) => left(a, b, c) !== left(a, b, d) && left(c, d, a) !== left(c, d, b);
// How many of some lines a line crosses, and how many discs and names that are none of its ends: it
// runs through a box if it crosses one of its diagonals.
function obstacles([a, b], lines_, discs) {
    const box_ = ({ x, y }, side, top, low) =>
        cross(a, b, { x: x - side, y: y + top }, { x: x + side, y: y + low }) ||
        cross(a, b, { x: x - side, y: y + low }, { x: x + side, y: y + top });
    return (
        lines_.filter(([c, d]) => ![c, d].includes(a) && ![c, d].includes(b) && cross(a, b, c, d))
            .length +
        2 *
            discs.filter(
                (one) =>
                    one !== a &&
                    one !== b &&
                    (box_(one, one.r + 4, -one.r - 4, one.r + 4) ||
                        box_(one, one.m / 2 + 4, one.r, one.r + 20)),
            ).length
    );
}
// People as discs and things as squares, the larger the more memories; the chosen one with what it
// is tied to, the others pale.
function folk() {
    const c = over,
        { font, discs, ties, stated } = layout(),
        near_ = new Set(
            [...ties, ...stated].flatMap(([a, b]) => (a.k === who || b.k === who ? [a, b] : [])),
        ),
        pale = (...of) => who != null && !of.every((one) => near_.has(one) || one.k === who),
        dyes = [12, 0].map((g) => css(rgb(g, light ? 0.52 : 0.66)));
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.clearRect(0, 0, w, hh);
    spots = [];
    const line = (a, b, colour, width) => {
        c.globalAlpha = pale(a, b) || (who != null && a.k !== who && b.k !== who) ? 0.15 : 1;
        c.strokeStyle = colour;
        c.lineWidth = width;
        c.beginPath();
        c.moveTo(a.x, a.y);
        c.lineTo(b.x, b.y);
        c.stroke();
    };
    for (const [a, b, n] of ties) line(a, b, `rgba(${C.link},.4)`, Math.min(7, 0.8 + 0.7 * n));
    for (const [a, b] of stated) line(a, b, C.ok, 2.2);
    for (const one of discs) {
        const { k, name, m, x, y, r } = one;
        c.globalAlpha = pale(one) ? 0.25 : 1;
        c.fillStyle = dyes[P.names[k].said.length ? 0 : 1];
        c.strokeStyle = k === who ? C.hot : C.bg;
        c.lineWidth = 3;
        c.beginPath();
        if (P.names[k].said.length) c.arc(x, y, r, 0, 7);
        else c.roundRect(x - r * 0.85, y - r * 0.85, 1.7 * r, 1.7 * r, 3);
        c.stroke();
        c.fill();
        print_(name, x - m / 2, y + r + 16, font, k === who ? C.hot : C.ink);
        spots.push([x - Math.max(r, m / 2), x + Math.max(r, m / 2), y, k, r]);
    }
    for (const [a, b, how] of stated) {
        c.globalAlpha = pale(a, b) ? 0.15 : 1;
        const m = wide(how, PLAIN),
            free = (part) => {
                const [x, y] = [a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part];
                return [Math.min(...discs.map((one) => apart(one, { x, y: y - one.r / 2 }))), x, y];
            },
            [, x, y] = [0.5, 0.4, 0.6, 0.3, 0.7].map(free).sort((p, q) => q[0] - p[0])[0];
        print_(how, x - m / 2, y + 4, PLAIN, C.ok);
    }
    c.globalAlpha = 1;
}
const nameAt = (x, y) => {
    const found =
        social() &&
        spots.find(([left, right, v, , r]) => x > left && x < right && y > v - r && y < v + r + 22);
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
            rows.map(([id, , , , , pinned]) =>
                h(
                    "tr",
                    {},
                    !fixed && h("td", {}, box_(label(id), [id])),
                    h("td", {}, row(id, pinned && t("pinned"))),
                ),
            ),
        ),
    );
}
