// People and things, and the list of memories.
let P = null, // rows, names and relations, as the server lists them
    who = null, // the name that is chosen
    spots = []; // where names were drawn: [place among the names, left, top, right, bottom]
async function folks() {
    if (!P || P.sequence !== M.sequence) {
        P = { ...(await source.people()), sequence: M.sequence };
        P.relations = P.relations.map(([a, how, b]) => [a, how.replace(/_/g, " "), b]);
    }
    return P;
}
const memoriesOf = (k) => [
    ...new Set([P.names[k].spoken, P.names[k].named].flatMap((ids) => [...ids].reverse())),
];
// Light some memories, and bring them, with a hint their circles and numbers, into view; null: all
// alike again.
function light_(ids, hint, of) {
    const set = [...new Set(ids)];
    lit = ids && {
        hits: hint && !of ? set : [],
        number: new Map(set.map((id, k) => [id, k + 1])),
        weak: new Set(),
        set: new Set(set),
        hint,
        of,
    };
    group = null;
    flags();
    const places_ = on(ids || []);
    if (places_.length) fit();
}
// A name whose memories are shown; chosen again, all are.
async function meet(k) {
    who = who === k ? null : k;
    light_(who == null ? [] : memoriesOf(who));
    if (who == null) fit();
    await (tab === "people" ? peoplePanel() : open("people"));
    const card = who != null && $("panel").querySelector(".card.on");
    if (card) card.scrollIntoView({ block: "start" });
}
async function asked_() {
    try {
        return await folks();
    } catch (e) {
        fill($("panel"));
        return fail(e);
    }
}
// Under a chosen name: its own words first, then what names it.
const MOST_SHOWN = 8;
function memories_(x, k) {
    const ids = memoriesOf(k);
    return [
        h("div", { class: "row" },
            button("all", () => meet(k)),
            press(
                () => {
                    wanted.who = x.name;
                    open("list");
                },
                {},
                t("allOf", big(ids.length)),
            ),
        ),
        ids.length > MOST_SHOWN &&
            faint("p",
                t("allShown", MOST_SHOWN, big(ids.length)) + t("ownFirst") + t("inOrder"),
            ),
        h("ul", { class: "plain" },
            ids.slice(0, MOST_SHOWN).map((id) => h("li", {}, row(id))),
        ),
    ];
}
async function peoplePanel() {
    if (!(await asked_()) || tab !== "people") return;
    document.body.classList.toggle("met", who != null);
    draw();
    const relations = (k) =>
        P.relations
            .filter(([from, , to]) => from === k || to === k)
            .map(([from, how, to]) => `${P.names[from].name} ${how} ${P.names[to].name}`);
    fill(
        $("panel"),
        faint("p", P.names.length ? t("inMost", big(P.names.length)) : t("noPeople")),
        P.names.map((x, k) =>
            h("div", { class: "card" + (who === k ? " on" : "") },
                press(
                    () => meet(k),
                    { class: "open", "aria-pressed": String(who === k) },
                    h("b", {}, x.name),
                    faint("span",
                        strung(
                            " · ",
                            t("memories", big(memoriesOf(k).length)),
                            x.also.length && t("also", x.also.join(", ")),
                            x.spoken.length && t("said", big(x.spoken.length)),
                            x.named.length && t("namedIn", big(x.named.length)),
                        ),
                    ),
                ),
                who === k && memories_(x, k),
                relations(k).map((line) => faint("div", line)),
            ),
        ),
    );
}
// Whether the stage shows the names as a graph of their own, not the map.
const social = () => tab === "people" && P && P.sequence === M.sequence && P.names.length > 0;
// The names and lines that are drawn, the same at each size: whoever has a memory or a stored fact in
// common with somebody. Of the pairs that have memories in common those with the most, and as many
// as join all whom any pair joins, the strongest first: so each one's strongest is among them.
const FOLK = 24; // names that are drawn
let company_ = null;
function company() {
    if (company_ && company_.P === P) return company_;
    const of = P.names.map((_, k) => new Set(memoriesOf(k))),
        related = new Set(P.relations.flatMap(([a, , b]) => [a, b])),
        pairs = of
            .flatMap((one, k) =>
                of
                    .slice(0, k)
                    .map((other, j) => [j, k, [...one].filter((id) => other.has(id)).length]),
            )
            .filter((pair) => pair[2])
            .sort((p, q) => q[2] - p[2]),
        met = new Set([...related, ...pairs.flatMap(([a, b]) => [a, b])]),
        ks = [...(met.size ? met : of.keys())]
            .slice(0, FOLK)
            .sort((a, b) => related.has(b) - related.has(a) || a - b),
        both_ = ([a, b]) => ks.includes(a) && ks.includes(b),
        among = pairs.filter(both_),
        next = among[ks.length] ? among[ks.length][2] : 0,
        joined = new Map(ks.map((k) => [k, k])),
        end = (k) => (joined.get(k) === k ? k : end(joined.get(k))),
        ties = among.filter(([a, b, n]) => {
            const [p, q] = [end(a), end(b)];
            joined.set(p, q);
            return p !== q || n > next;
        }),
        stated = P.relations.map(([a, how, b]) => [a, b, 0, how]).filter(both_);
    return (company_ = { P, of, pairs, ks, ties, stated });
}
// Who is drawn, and between whom: all of them, or a chosen one and whoever has a memory or a fact in
// common with that one.
function party() {
    const { pairs, ks, ties, stated } = company();
    if (who == null) return { ks, lines: [...ties, ...stated] };
    const other = ([a, b]) => (a === who ? b : a),
        lines = [...P.relations.map(([a, how, b]) => [a, b, 0, how]), ...pairs].filter(
            ([a, b]) => a === who || b === who,
        ),
        others = [...new Set(lines.map(other))].slice(0, FOLK - 1);
    return { ks: [who, ...others], lines: lines.filter((line) => others.includes(other(line))) };
}
// What is written on a line: a fact, or the number of common memories.
const onLine = ([, , n, how]) => how || (n && (who != null || w >= 500) ? String(n) : "");
// Of some beginnings, in which plates change places as long as fewer lines cross each other or a plate,
// ties pull and all plates push; the one is kept in which the fewest cross those or what is stated.
// Around a chosen one the others stand in a ring.
let laid = null;
function layout() {
    const key = [P, who, w, hh];
    if (laid && key.every((v, n) => v === laid.key[n])) return laid;
    const { ks, lines } = party(),
        narrow_ = w < 500,
        px_ = narrow_ ? 13 : w < 1200 ? 15 : 19,
        font = `600 ${px_}px ${FONT}`,
        line = 1.25 * px_,
        plates = ks.map((k) => {
            const rows = rowsOf_(P.names[k].name, font, narrow_ ? 90 : 150);
            return {
                ...{ k, font, rows, line, name: P.names[k].name },
                across: Math.max(...rows.map(([, m]) => m)) / 2 + (narrow_ ? 8 : 13),
                down: (rows.length * line) / 2 + (narrow_ ? 4 : 6),
            };
        }),
        pull = lines.map(([a, b, ...more]) => [
            plates[ks.indexOf(a)],
            plates[ks.indexOf(b)],
            ...more,
        ]),
        top = $("tip").offsetTop + $("tip").offsetHeight + 12,
        gap = Math.min(240, 0.7 * Math.sqrt((w * hh) / plates.length)),
        crossed = () =>
            obstacles(pull, plates) + pull.reduce((n, [a, b]) => n + apart(a, b), 0) / (8 * gap),
        score = () => crossed() + stated_(plates, pull, top),
        settle = (rounds, warm) => {
            for (let round = 0; round < rounds; round++)
                settled(
                    plates,
                    pull,
                    gap,
                    Math.max(0, warm - round / 200),
                    top + (narrow_ ? 0 : 12),
                );
        };
    if (who != null) {
        const wide_ = Math.max(...plates.map((one) => one.across)) + 10,
            many = plates.length > 12 ? 2 : 1,
            [x, y] = [w / 2, (top + hh - 18) / 2];
        plates.forEach((one, j) => {
            const turn = (2 * Math.PI * j) / (plates.length - 1) - 2,
                far_ = j && 1;
            one.x = x + far_ * Math.min(x - wide_, many * 340) * Math.cos(turn);
            one.y = y + far_ * Math.min(y - top - 24, many * 260) * Math.sin(turn);
        });
        settle(60, 0);
        stated_(plates, pull, top);
        return (laid = { key, plates, pull });
    }
    let best = null;
    for (let start = Math.min(24, 7000 / plates.length ** 2); start > 0; start--) {
        plates.forEach((one, j) => {
            const far_ = 0.4 * Math.sqrt((j + 0.5) / plates.length),
                turn = 2.4 * j * Math.ceil(start);
            one.x = w * (0.5 + far_ * Math.cos(turn));
            one.y = hh * (0.5 + far_ * Math.sin(turn));
        });
        settle(30, 1);
        exchanged(plates, crossed);
        settle(240, 1);
        const n = score();
        if (!best || n < best.n) best = { n, at: plates.map(({ x, y }) => ({ x, y })) };
    }
    plates.forEach((one, j) => Object.assign(one, best.at[j]));
    exchanged(plates, score);
    settle(60, 0);
    bettered(plates, () => obstacles(pull, plates) + stated_(plates, pull, top), top);
    stated_(plates, pull, top);
    return (laid = { key, plates, pull });
}
function exchanged(plates, score) {
    const swap = (a, b) => ([a.x, a.y, b.x, b.y] = [b.x, b.y, a.x, a.y]);
    let least_ = score(),
        before = Infinity;
    for (let more = 3; more && least_ < before; more--) {
        before = least_;
        plates.forEach((a, j) => {
            for (const b of plates.slice(j + 1)) {
                swap(a, b);
                const n = score();
                if (n < least_ - 0.01) least_ = n;
                else swap(a, b);
            }
        });
    }
}
// A plate goes to the place of a grid where fewer lines cross than at its own: of those the nearest.
function bettered(plates, score, top) {
    for (const one of [...plates, ...plates]) {
        const { x, y } = one,
            side = one.across + 10;
        let best = { x, y, n: score() };
        for (let n = 0; n < 96; n++) {
            one.x = side + ((w - 2 * side) * (n % 8)) / 7;
            one.y = top + one.down + ((hh - 18 - top - 2 * one.down) * Math.floor(n / 8)) / 11;
            const taken = plates.some(
                    (other) => other !== one && over_by(one, other).every((by) => by > 0),
                ),
                by = taken
                    ? Infinity
                    : score() + 0.5 + Math.hypot((one.x - x) / w, (one.y - y) / hh);
            if (by < best.n) best = { x: one.x, y: one.y, n: by };
        }
        one.x = best.x;
        one.y = best.y;
    }
}
// How far two plates, with the room around them, lie over each other: [across, down].
const over_by = (a, b) => [
    a.across + b.across + (w < 500 ? 9 : 14) - Math.abs(a.x - b.x),
    a.down + b.down + (w < 500 ? 16 : 26) - Math.abs(a.y - b.y),
];
const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
function settled(plates, pull, gap, warm, top) {
    const move = (a, b, x, y) => {
        a.x += x / 2;
        a.y += y / 2;
        b.x -= x / 2;
        b.y -= y / 2;
    };
    for (const [a, b, , how] of pull) {
        // What is stated has room on its line.
        if (how) {
            const [x, y] = [b.x - a.x, b.y - a.y],
                short_x = wide(how, PLAIN) + 44 + a.across + b.across - Math.abs(x),
                short_y = 54 + a.down + b.down - Math.abs(y);
            if (short_x > 0 && short_y > 0) move(a, b, 0, -Math.sign(y || 1) * short_y);
        }
        const by = 0.2 * warm * Math.max(0, 1 - gap / (apart(a, b) || 1));
        move(a, b, (b.x - a.x) * by, (b.y - a.y) * by);
    }
    plates.forEach((a, i) => {
        for (const b of plates.slice(0, i)) {
            const x = a.x - b.x || 0.1,
                y = a.y - b.y || 0.1,
                by = Math.min(0.5, (0.1 * warm * gap * gap) / (x * x + y * y)),
                [over_x, over_y] = over_by(a, b);
            move(a, b, x * by, y * by);
            if (over_x > 0 && over_y > 0)
                over_y < over_x
                    ? move(a, b, 0, Math.sign(y) * over_y)
                    : move(a, b, Math.sign(x) * over_x, 0);
        }
    });
    // A line passes beside whom it does not join.
    for (const line of warm < 0.4 ? pull : []) {
        const [a, b] = line,
            far_ = apart(a, b) || 1,
            [u, v] = [(a.y - b.y) / far_, (b.x - a.x) / far_];
        for (const one of plates) {
            if (one === a || one === b || !through(line, around_(one, 6))) continue;
            const off = (one.x - a.x) * u + (one.y - a.y) * v,
                by = Math.abs(u) * one.across + Math.abs(v) * one.down + 7 - Math.abs(off);
            one.x += (off < 0 ? -u : u) * by;
            one.y += (off < 0 ? -v : v) * by;
        }
    }
    for (const one of plates) {
        const side = one.across + 10;
        one.x = Math.max(side, Math.min(w - side, one.x + (w / 2 - one.x) * 0.04 * warm));
        one.y = Math.max(
            top + one.down,
            Math.min(hh - 18 - one.down, one.y + (hh / 2 - one.y) * 0.04 * warm),
        );
    }
}
const left = (a, b, c) => (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x),
    cross = (a, b, c, d) => left(a, b, c) !== left(a, b, d) && left(c, d, a) !== left(c, d, b);
// Whether a line runs through a box: it crosses one of its diagonals.
const through = ([a, b], [x, y, u, v]) =>
    Math.max(a.x, b.x) > x &&
    Math.min(a.x, b.x) < u &&
    Math.max(a.y, b.y) > y &&
    Math.min(a.y, b.y) < v &&
    (cross(a, b, { x, y }, { x: u, y: v }) || cross(a, b, { x, y: v }, { x: u, y }));
// How often lines cross each other, and, which counts four times, a plate that is none of their ends.
const around_ = ({ x, y, across, down }, by) => [
    x - across - by,
    y - down - by,
    x + across + by,
    y + down + by,
];
function obstacles(lines_, plates) {
    const edges = plates.map((one) => around_(one, 8));
    let n = 0;
    for (let j = 0; j < lines_.length; j++) {
        const [a, b] = lines_[j];
        for (let i = 0; i < j; i++) {
            const [c, d] = lines_[i];
            if (c !== a && c !== b && d !== a && d !== b && cross(a, b, c, d)) n++;
        }
        edges.forEach((box_, i) => {
            if (plates[i] !== a && plates[i] !== b && through(lines_[j], box_)) n += 4;
        });
    }
    return n;
}
// Where a text stands: of some places, as [x, y], the one that the fewest lines run through; null if
// there is none without another thing.
function room_(places, m, taken, lines_, top) {
    let best = null;
    for (const [x, y] of places) {
        const box_ = [x - 3, y - 13, x + m + 3, y + 5],
            [a, b, c, d] = box_;
        if (a < 2 || b < top || c > w - 2 || d > hh - 2) continue;
        if (taken.some(([x, y, u, v]) => a < u && x < c && b < v && y < d)) continue;
        const n = lines_.filter((line) => through(line, [a - 7, b - 5, c + 7, d + 5])).length;
        if (!best || n < best.n) best = { x, y, n, box: box_ };
        if (!n) break;
    }
    if (best) {
        const [a, b, c, d] = best.box,
            by = w < 500 ? 2 : 5;
        taken.push([a - by, b - by, c + by, d + by]);
    }
    return best;
}
// Puts what is stated on its line; returns how many lines run through that, six for one without room.
function stated_(plates, pull, top) {
    const taken = plates.map((one) => around_(one, 3));
    let n = 0;
    for (const line of pull) {
        const [a, b] = line,
            how = onLine(line),
            m = wide(how, PLAIN),
            on = (part) => [a.x + (b.x - a.x) * part - m / 2, a.y + (b.y - a.y) * part + 4],
            others = pull.filter((other) => other !== line);
        if (!how) continue;
        line.at = room_([0.5, 0.42, 0.58, 0.35, 0.65].map(on), m, taken, others, top);
        n += line.at ? line.at.n : 6;
        // And of the line itself an arrow's length is left on both sides.
        const cut_ = rim_(a, b) + rim_(b, a) + 2 * rim_(a, b, m / 2 + 4, 10);
        if (apart(a, b) < cut_ + 34) n += 3;
    }
    return n;
}
// How far the rim of a box in the middle of `a` is from there, towards `b`.
const rim_ = (a, b, across = a.across, down = a.down) =>
    apart(a, b) * Math.min(across / Math.abs(a.x - b.x), down / Math.abs(a.y - b.y), 1);
// The head of the arrow of what is stated, at the rim of what it is stated of.
function pointed(c, a, b) {
    const turn = Math.atan2(b.y - a.y, b.x - a.x),
        r = rim_(b, a);
    c.save();
    c.translate(b.x, b.y);
    c.rotate(turn);
    c.fillStyle = C.ok;
    c.beginPath();
    c.moveTo(-r - 2, 0);
    c.lineTo(-r - 14, 6);
    c.lineTo(-r - 14, -6);
    c.fill();
    c.restore();
}
// Names on their plates, those of people round, of things square.
function folk() {
    const c = over,
        { plates, pull } = layout(),
        dyes = [0.62, 0].map((s) => css(tint(227, s, light ? (s ? 0.48 : 0.42) : 0.68)));
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.clearRect(0, 0, w, hh);
    spots = [];
    for (const [a, b, n, how] of pull) {
        c.strokeStyle = how ? C.ok : `rgba(${C.link},.6)`;
        c.lineWidth = how ? 2.2 : Math.min(7, 1.4 + 0.6 * n);
        c.beginPath();
        c.moveTo(a.x, a.y);
        c.lineTo(b.x, b.y);
        c.stroke();
        if (how) pointed(c, a, b);
    }
    for (const one of plates) {
        const { k, font, rows, line, x, y, across, down } = one,
            is = P.names[k].person;
        c.fillStyle = dyes[is ? 0 : 1];
        c.strokeStyle = k === who ? C.hot : C.bg;
        c.lineWidth = k === who ? 6 : 3;
        c.beginPath();
        c.roundRect(x - across, y - down, 2 * across, 2 * down, is ? Math.min(down, 16) : 2);
        c.stroke();
        c.fill();
        c.fillStyle = C.bg;
        c.font = font;
        rows.forEach(([s, m], j) =>
            c.fillText(s, x - m / 2, y + line * (j - rows.length / 2 + 0.5) + 0.28 * line),
        );
        spots.push([k, ...around_(one, 0)]);
    }
    for (const line of pull)
        if (line.at) print_(onLine(line), line.at.x, line.at.y, PLAIN, line[3] ? C.ok : C.ink);
}
// What the signs mean, and what is left out.
function together() {
    const { ks, stated } = company(),
        lone = P.names.filter((_, k) => !ks.includes(k)).map((x) => x.name),
        kinds = new Set(party().ks.map((k) => P.names[k].person));
    return strung(
        between(),
        kinds.size > 1 && t("hintPeople"),
        ...(who != null
            ? [t("hintMet")]
            : [
                  t("hintTies"),
                  stated.length && t("hintFacts"),
                  ks.length < P.names.length && t("someNames", ks.length, P.names.length),
                  lone.length < 4 && lone.length > 0 && t("lone", lone.join(t("comma"))),
                  t("hintMeet"),
              ]),
    );
}
const nameAt = (x, y) => {
    const found = social() && spots.find(([, a, b, c, d]) => x > a && x < c && y > b && y < d);
    return found ? found[0] : null;
};
// What is linked with a memory alone is shown, in order of time.
const AROUND = 12;
function around(id) {
    const of = tiesOf(M.place.get(id), AROUND).map(({ j }) => M.id[j]);
    isMapped = true;
    paged();
    light_([id, ...of].sort((p, q) => p - q), "hintAround", id);
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
            placeholder: t("format"),
            title: t("format"),
            pattern: "\\d{4}-\\d\\d-\\d\\d",
            size: 10,
            value: wanted[k],
            on: { change: () => e.reportValidity() && narrow(k, e.value) },
        });
        return h("label", { class: "dim day" }, `${t(k)} `, e);
    };
    const kinds = [...new Set(P.rows.flatMap((r) => [r[3], r[4]]))].sort();
    fill(
        $("panel"),
        h("div", { class: "row" },
            choice("who", "anyone", P.names.map((x) => x.name), (v) => t("byOrOf", v)),
            choice("kind", "anyKind", kinds, kindOf),
            date("since"),
            date("till"),
            faint("label",
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
        box_ = (ids, label_) =>
            h("input", {
                type: "checkbox",
                "aria-label": label_,
                checked: ids.length > 0 && ids.every((id) => ticked.has(id)),
                on: { change: (e) => tick(ids, e.target.checked) },
            });
    for (const id of ticked) if (!rows.some((r) => r[0] === id)) ticked.delete(id);
    const does = (what) => {
        const ids = [...ticked];
        ticked.clear();
        return actAll(what, ids);
    };
    fill(
        $("rows"),
        h("div", { class: "row dim" },
            t(rows.length < found.length ? "allShown" : "memories", big(rows.length), big(found.length)),
            t("inOrder"),
            !fixed && [
                h("label", {}, box_(rows.map((r) => r[0])), ` ${t("tickAll")}`),
                ["pin", "unpin", "forget"].map((k) =>
                    button(k, () => does(k), { disabled: !ticked.size }),
                ),
            ],
        ),
        h("table", {},
            rows.map(([id, , , , , pinned]) => {
                const form = M.form[M.place.get(id)];
                return (
                h("tr", {},
                    !fixed && h("td", {}, box_([id], label(id))),
                    h("td", {}, row(id, strung(" · ", pinned && t("pinned"), form > 0 && t(["", "shorter", "gist"][form] || "gone")))),
                ));
            }),
        ),
    );
}
