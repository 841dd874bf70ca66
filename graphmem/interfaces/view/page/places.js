// Where things lie on the stage.
function size() {
    dpr = Math.min(2, devicePixelRatio || 1);
    const r = stage.getBoundingClientRect(),
        nw = Math.max(1, r.width),
        nh = Math.max(1, r.height);
    if (!r.width) return; // lists have the whole page
    if (M && (Math.abs(nw - w) > 1 || Math.abs(nh - hh) > 1) && w > 1) {
        const by = Math.max(0.2, Math.min(nw / w, nh / hh) || 1);
        view.k *= by;
        home *= by;
    }
    const changed = nw !== w || nh !== hh;
    w = nw;
    hh = nh;
    for (const c of [$("gl"), $("over")]) {
        c.width = w * dpr;
        c.height = hh * dpr;
    }
    boxed();
    if (M) {
        if (fitted && changed) fit(fitted);
        chart();
        draw();
    }
}
const onto = (x, y) => [w / 2 + (x - view.x) * view.k, hh / 2 - (y - view.y) * view.k],
    px = (i) => onto(M.x[i], M.y[i]);
// What is looked at lies in boxes, one for each person who said it. What there is no room for is left
// out, the open memory never. Boxes and rows are in pixels.
const MOST_BOXED = 40,
    BOXED = 18; // pixels a unit of the map, in boxes
let boxed_ = null;
function shelved() {
    const is = sought().filter((i) => formAt(i, at) >= 0),
        open = is.indexOf(M.place.get(sel));
    let found = null;
    for (let n = group == null ? Math.min(MOST_BOXED, is.length) : 0; n > 0 && !found; n--)
        found = arranged(is.filter((i, k) => k < n - (open >= n) || k === open), n === is.length);
    return found;
}
function arranged(is, isAll) {
    const { left, top, right, bottom } = roomy(),
        wide_ = right - left,
        of = new Map();
    for (const i of is) {
        const name = boxOf(i);
        of.set(name, [...(of.get(name) || []), i]);
    }
    const gap = 10,
        most = Math.min(of.size, Math.floor(wide_ / 250), Math.round(Math.sqrt((of.size * wide_) / (bottom - top) / 2))),
        n = Math.max(1, most),
        across = (wide_ - gap * (n - 1)) / n;
    for (const most_ of isAll ? [6, 4, 3, 2, 1, 0] : [0]) {
        const ends = Array(n).fill(top),
            boxes_ = [...of].map(([name, members]) => {
                let down = 30;
                const rows = members.map((i) => {
                        const [speaker, day_, text] = told(i),
                            by = most_ && strung(" · ", isAround() && speaker, day_),
                            texts = folded(text, across - 60, most_, BOARD),
                            high = 18 * (texts.length + (by ? 1 : 0));
                        down += high + 10;
                        return { i, by, texts, y: down - 6 - high / 2, high };
                    }),
                    y = Math.min(...ends),
                    k = ends.indexOf(y);
                ends[k] += down + gap;
                return { name, rows, across, down: down + 4, x: left + k * (across + gap), y };
            });
        if (Math.max(...ends) - gap <= bottom || is.length < 2) return boxes_;
    }
    return null;
}
// Who said a memory, when, and what it says, as far as is known: what is not is asked for.
function told(i) {
    const hit = lit && lit.found && lit.found.find((x) => x.id === M.id[i]),
        line = lines.get(M.id[i]);
    if (hit) return [hit.speaker, day(hit.when), hit.text];
    if (requests.M !== M) requests = { M, of: new Set() };
    if ((!line || line.old) && !requests.of.has(i)) {
        requests.of.add(i); // once: of what the server does not know it tells nothing
        if (!unknown.size) queueMicrotask(inform);
        unknown.set(M.id[i], [...(unknown.get(M.id[i]) || []), refit]);
    }
    return line ? [line[0], line[1], line[2].replace(/^… | …$/g, "")] : ["", "", M.label[i]];
}
let requests = {},
    refits = 0;
function refit() {
    if (!refits)
        refits = setTimeout(() => {
            refits = 0;
            if (boxed_) fit();
        });
}
const isAround = () => !!lit && lit.hint === "hintAround";
// The name of a memory's box.
function boxOf(i) {
    if (!isAround()) return told(i)[0] || nameOf(groupOf(i));
    if (M.id[i] === lit.of) return t("memory");
    const made = tiesOf(M.place.get(lit.of)).find((tie) => tie.j === i && tie.made);
    return made ? tied(made.how) : t(M.id[i] < lit.of ? "toldBefore" : "toldAfter");
}
let fitted = null,
    home = 8; // the zoom at which all memories are in view
function fit(list) {
    if (!M || !M.n || w < 2 || document.body.matches(".plain")) return;
    const all = !Array.isArray(list) || list.length === M.n,
        was = boxed_;
    fitted = all ? [...M.id.keys()] : list;
    boxed_ = all && sought().length ? [] : null;
    offer();
    boxed_ = boxed_ && shelved();
    if (all) {
        const room = roomy();
        view = { x: 0, y: 0, k: BOXED };
        if (!boxed_) {
            const [k, middles] = spread(isles(), room);
            moves = new Map(
                isles().map(({ isle, off }, i) => {
                    const { x, y } = middles[i];
                    return [isle, [(x - w / 2) / k - off[0], (hh / 2 - y) / k - off[1]]];
                }),
            );
            view.k = k;
        }
        home = view.k;
    }
    if (all || was) {
        move();
        load();
    }
    if (all) return draw();
    let a = FAR,
        b = -FAR,
        c = FAR,
        d = -FAR;
    for (const i of list) {
        if (i >= M.n) continue;
        a = Math.min(a, M.x[i]);
        b = Math.max(b, M.x[i]);
        c = Math.min(c, M.y[i]);
        d = Math.max(d, M.y[i]);
    }
    const { left, top, right, bottom } = roomy();
    view.k = Math.min(60, (right - left) / (b - a + 3), (bottom - top) / (d - c + 3));
    view.x = (a + b) / 2 + (w - left - right) / 2 / view.k;
    view.y = (c + d) / 2 - (hh - top - bottom) / 2 / view.k;
    draw();
}
// The button that brings all into view is there while not all are.
const complete = () => !!M && !!fitted && fitted.length === M.n && !boxed_;
function offer() {
    const e = $("fit"),
        k = t(boxed_ ? "wholeMap" : "fit");
    stage.classList.toggle("boxed", !!boxed_);
    if (e.hidden === complete() && e.textContent === k) return;
    e.hidden = complete();
    e.textContent = k;
    boxed();
}
// The part of the stage that no text and no button lies on.
function roomy() {
    const tools_ = $("tools").offsetHeight;
    return {
        left: 8,
        // As much as its rows and the toast need: what is shown stays where it is when that changes.
        top: $("tip").offsetTop < 12
            ? 10 + 16 * (hint() || "\n").split("\n").length
            : Math.max(42, $("tip").offsetTop + $("tip").offsetHeight + 8),
        right: w - 8,
        bottom: hh - (tools_ ? tools_ + 16 : 8),
    };
}
function zoom(f, x = w / 2, y = hh / 2) {
    if (boxed_) return; // all of it is in view
    fitted = null;
    const ux = view.x + (x - w / 2) / view.k,
        uy = view.y - (y - hh / 2) / view.k;
    view.k = Math.max(0.2, Math.min(240, view.k * f));
    view.x = ux - (x - w / 2) / view.k;
    view.y = uy + (y - hh / 2) / view.k;
    draw();
}
// Moved by so many pixels. Without a GPU what was drawn is moved, and drawn anew once the hand rests.
const RESTS = 120; // ms
let shift = [0, 0],
    resting = 0;
function drag(dx, dy) {
    if (boxed_) return;
    fitted = null;
    view.x -= dx / view.k;
    view.y += dy / view.k;
    if (G) return draw();
    shift = [shift[0] + dx, shift[1] + dy];
    shifted();
    clearTimeout(resting);
    resting = setTimeout(draw, RESTS);
}
function shifted() {
    for (const id of ["gl", "over"]) $(id).style.translate = shift.map((v) => `${v}px`).join(" ");
}
// The isles that the memories lie on, the largest first: where each is in the memory, how far it
// reaches with all that were ever there, how far its middle is off its first seed, and its name.
let isles_ = null;
// Memories lie as the seeds of a sunflower do: an isle is as large as it has many.
const seed = (n) => [Math.cos(2.4 * n), Math.sin(2.4 * n)].map((v) => v * Math.sqrt(n + 0.5));
const seeds = (n) => Array.from({ length: n }, (_, k) => seed(k));
function ground(of) {
    const mean = (k) => of.reduce((sum, one) => sum + one[k], 0) / (of.length || 1),
        [x, y] = [mean(0), mean(1)];
    return { x, y, reach: 0.7 + of.reduce((r, [u, v]) => Math.max(r, Math.hypot(u - x, v - y)), 0) };
}
function isles() {
    const k = isles_;
    if (k && k.M === M && k.lang === lang) return k.list;
    const of = new Map();
    for (let i = 0; i < M.n; i++) {
        let a = of.get(M.isle[i]);
        if (!a) of.set(M.isle[i], (a = { isle: M.isle[i], is: [] }));
        a.is.push(i);
    }
    const list = [...of.values()].sort((p, q) => q.is.length - p.is.length || p.isle - q.isle);
    for (const a of list) {
        // Those that are there today come first: they keep their places.
        a.is.sort((i, j) => (M.gone[i] !== NEVER) - (M.gone[j] !== NEVER) || i - j);
        const { x, y, reach } = ground(seeds(a.is.length));
        Object.assign(a, ground(a.is.map((i) => [M.home.x[i], M.home.y[i]])), { reach, off: [x, y] });
        a.g = a.isle + 1;
        a.name = nameOf(a.g);
    }
    isles_ = { M, lang, list };
    return list;
}
// Where the first seed of each isle is on this stage: [across, up]. Beside boxes there are none.
const MOST_SEATED = 2e4; // memories of which those that are shown move together
const isShown = (i) => {
    const f = formAt(i, at);
    return f >= 0 && (f < 3 || ghosts);
};
// A circle that is smaller now is at the upper end of its room, for its name stays where it is.
let moves = new Map();
const isSeated = (i) => M.n > MOST_SEATED || isShown(i);
function move() {
    for (const a of isles()) {
        const [x, y] = moves.get(a.isle) || [0, 0],
            less = ground(seeds(a.is.filter(isSeated).length)),
            isAll = a.is.every(isSeated),
            right = isAll ? 0 : a.off[0] - less.x,
            up = isAll ? 0 : a.off[1] + a.reach - less.reach - less.y;
        let n = 0;
        for (const i of a.is) {
            const [u, v] = seed(n);
            M.x[i] = boxed_ ? FAR : x + u + right;
            M.y[i] = y + v + up;
            if (isSeated(i)) n++;
        }
    }
    for (const { x, y, rows } of boxed_ || [])
        for (const row_ of rows) {
            M.x[row_.i] = (x + 22 - w / 2) / BOXED;
            M.y[row_.i] = (hh / 2 - y - row_.y) / BOXED;
        }
    held_ = null;
}
// The hits that the map knows; the radius of their numbers, and of the ground around one.
const on = (ids) => ids.map((id) => M.place.get(id)).filter((i) => i != null),
    hitsOn = () => (lit ? on(lit.hits) : []),
    // Memories that alone are shown, if any.
    sought = () => (lit ? [...new Set(on([...lit.set, sel]))] : []);
// The isles of which anything is left at pass `at`, where they are drawn.
let held_ = null;
function groups() {
    if (held_ && held_.M === M && held_.at === at && held_.ghosts === ghosts && held_.of === isles()) return held_.list;
    const list = [];
    for (const a of isles()) {
        const n = a.is.filter(isShown).length,
            lie = a.is.filter(isSeated).map((i) => [M.x[i], M.y[i]]);
        if (n) list.push({ ...a, ...ground(lie), n });
    }
    held_ = { M, at, ghosts, of: isles(), list };
    return list;
}
// The rows of an isle's name, and their height.
const titleFont = ({ g }) =>
        named(g) ? `600 ${w < 500 ? 12.5 : w < 800 ? 15 : 16}px ${FONT}` : PLAIN,
    ROW = () => (w < 500 ? 17 : 20),
    rim = () => (w < 500 ? 3 : 5); // pixels between the outermost memory of an isle and the end of its ground
const rows_ = new Map();
const titled_ = (a, font = titleFont(a)) =>
    kept(rows_, 500, font + a.name, () => rowsOf_(a.name, font, w < 800 ? 130 : 230));
// The largest zoom for which all isles have room, and their middles there. From where they are in the
// memory they are pushed apart until no ground and no name lies on another, for one zoom after another.
// Where no zoom has room for all names, only the names of the larger isles count.
const NEAREST_ZOOM = 50,
    COUNTED = 18; // pixels beside a name, for its count
let spread_ = {};
function spread(list, room) {
    const stage_ = Object.values(room).join();
    if (spread_.list !== list || spread_.stage_ !== stage_)
        spread_ = { list, stage_, at: packed_(list, room) };
    return spread_.at;
}
function packed_(list, room, named = list.length) {
    const bodies = list.map((a, i) => {
            const rows = i < named ? titled_(a) : [],
                half = Math.max(0, ...rows.map(([, m]) => m / 2 + COUNTED));
            return { ...a, half, high: rows.length * ROW() + (rows.length ? 2 : 0) };
        }),
        wide_ = Math.max(1, room.right - room.left),
        high = Math.max(1, room.bottom - room.top),
        discs = bodies.reduce((n, a) => n + Math.PI * a.reach ** 2, 0),
        most = Math.sqrt((0.8 * wide_ * high) / discs),
        // A few memories lie together in the middle.
        aside = (1 - Math.min(1, NEAREST_ZOOM / (0.7 * most))) / 2,
        [left, right] = [room.left + aside * wide_, room.right - aside * wide_],
        [top, bottom] = [room.top + aside * high, room.bottom - aside * high],
        span = (of, from, to) => {
            const [a, b] = [Math.min(...of), Math.max(...of)];
            return (v) => (b > a ? from + ((to - from) * (v - a)) / (b - a) : (from + to) / 2);
        },
        x = span(bodies.map((a) => a.x), left, right),
        y = span(bodies.map((a) => a.y), bottom, top),
        rounds = 4000 / (20 + bodies.length),
        first = Math.min(NEAREST_ZOOM, 0.4 * most);
    let held = bodies.map((a) => ({ x: x(a.x), y: y(a.y) })),
        k = first,
        apart = false;
    // Where they are jammed they are shaken loose; until they have once lain apart, also made smaller.
    for (let by = 1, tries = 0; by > 0.05 && !(apart && k === NEAREST_ZOOM);) {
        const next = Math.min(NEAREST_ZOOM, k * (1 + 0.08 * by)),
            shake = tries && (0.15 * tries * (right - left)) / Math.sqrt(bodies.length),
            now = bodies.map((a, i) => ({
                ...a,
                x: held[i].x + shake * Math.sin(12.9 * i + tries),
                y: held[i].y + shake * Math.cos(78.2 * i + tries),
                r: a.reach * next + rim(),
            }));
        if (settled_(now, { left, top, right, bottom }, rounds)) {
            apart = true;
            k = next;
            held = now.map(({ x, y }) => ({ x, y }));
            tries = 0;
        } else if (++tries > 4) {
            if (apart || (k < first / 8 && !named)) by /= 3;
            else if (k < first / 8) return packed_(list, room, named >> 1);
            else k *= 0.7;
            tries = 0;
        }
    }
    return [k, held];
}
function settled_(of, { left, top, right, bottom }, rounds) {
    for (let n = 0; n < rounds; n++) {
        let worst = 0;
        of.forEach((a, i) => {
            for (let j = 0; j < i; j++) {
                const [x, y] = overlap(a, of[j]);
                if (!x && !y) continue;
                const by = Math.hypot(x, y);
                worst = Math.max(worst, by);
                a.x += x / 2;
                a.y += y / 2;
                of[j].x -= x / 2;
                of[j].y -= y / 2;
            }
        });
        for (const a of of) {
            const side = Math.max(a.r, a.half),
                [x, y] = [a.x, a.y];
            a.x = Math.max(left + side, Math.min(right - side, x));
            a.y = Math.max(top + a.r + a.high, Math.min(bottom - a.r, y));
            worst = Math.max(worst, Math.hypot(a.x - x, a.y - y));
            if (left + side > right - side || top + 2 * a.r + a.high > bottom) return false;
        }
        if (worst < 0.5) return true;
    }
    return false;
}
// By what `a` must move for it, with its name above, to lie beside `b`: [right, down].
const NOWHERE = [0, 0];
function overlap(a, b) {
    if (
        Math.abs(a.x - b.x) > Math.max(a.r, a.half) + Math.max(b.r, b.half) + 6 ||
        Math.abs(a.y - b.y) > a.r + b.r + Math.max(a.high, b.high) + 6
    )
        return NOWHERE;
    const round_ = (x, y, least) => {
            const d = Math.hypot(x, y);
            if (!d) return [0, -least]; // upwards, where a middle lies within a name
            return d < least ? [(x / d) * (least - d), (y / d) * (least - d)] : null;
        },
        box_ = (p) => [p.x - p.half, p.y - p.r - p.high, p.x + p.half, p.y - p.r],
        near_ = (p, [x, y, u, v]) => [
            p.x - Math.max(x, Math.min(u, p.x)),
            p.y - Math.max(y, Math.min(v, p.y)),
        ],
        found = [round_(a.x - b.x, a.y - b.y, a.r + b.r + rim() + 1)];
    if (b.high) found.push(round_(...near_(a, box_(b)), a.r + rim() + 2));
    if (a.high)
        found.push((round_(...near_(b, box_(a)), b.r + rim() + 2) || [0, 0]).map((v) => -v));
    if (a.high && b.high) {
        const [x, y, u, v] = box_(a),
            [p, q, r, s] = box_(b),
            over_x = Math.min(u, r) - Math.max(x, p),
            over_y = Math.min(v, s) - Math.max(y, q) + 2;
        if (over_x > 0 && over_y > 0)
            found.push(
                over_x < over_y
                    ? [a.x > b.x ? over_x : -over_x, 0]
                    : [0, a.y - a.r > b.y - b.r ? over_y : -over_y],
            );
    }
    return found
        .filter(Boolean)
        .reduce((p, q) => (Math.hypot(...q) > Math.hypot(...p) ? q : p), NOWHERE);
}
// What a memory is linked with: by relations that somebody made first, then by the few strongest
// links that only say what was told nearby.
const NEARBY = 3;
let ties_ = {};
const isMade = (k) => !isWeak(M.names.relations[M.relation[k]] || "");
function tiesOf(i, most = NEARBY) {
    if (ties_.M !== M || ties_.i !== i) {
        const of = [];
        for (let k = 0; k < M.m; k++) {
            const j = M.from[k] === i ? M.to[k] : M.to[k] === i && isMade(k) ? M.from[k] : -1;
            if (j >= 0 && !of.some((tie) => tie.j === j && tie.made))
                of.push({ j, made: isMade(k), how: M.names.relations[M.relation[k]], strength: M.strength[k] });
        }
        of.sort((p, q) => q.made - p.made || q.strength - p.strength);
        ties_ = { M, i, of };
    }
    const live = ties_.of.filter(({ j }) => formAt(j, at) >= 0 && formAt(j, at) < 3),
        made = live.filter((tie) => tie.made);
    return [...made, ...live.filter((tie) => !tie.made).slice(0, most)].slice(0, AROUND);
}
const strongest = (i) => tiesOf(i).map(({ j }) => j);
// The memories drawn at pass `at`, with what their radius is for a zoom of 1.
let dots_ = null;
function dots() {
    const k = dots_;
    if (k && k.M === M && k.at === at && k.ghosts === ghosts) return k;
    const of = [],
        size = [];
    for (let i = 0; i < M.n; i++) {
        const f = formAt(i, at);
        if (f < 0 || (f > 2 && !ghosts)) continue;
        of.push(i);
        size.push(0.21 + 0.15 * Math.sqrt(importanceAt(i, at)));
    }
    // Whether one sees that sizes differ: of radii on a stage that has a least one.
    const uneven = Math.max(...size.slice(0, 1e4)) > 1.5 * Math.min(...size.slice(0, 1e4));
    return (dots_ = { M, at, ghosts, of, size, uneven });
}
