// Texts on the stage, and the room for them.
// Texts are measured once.
const widths = new Map(),
    cuts = new Map();
function kept(store, most, key, make) {
    let v = store.get(key);
    if (v === undefined) {
        if (store.size >= most) store.clear();
        store.set(key, (v = make()));
    }
    return v;
}
const wide = (s, font) =>
    kept(widths, 2e4, font + s, () => {
        over.font = font;
        return over.measureText(s).width;
    });
const short = (s, font, room) =>
    kept(cuts, 5e3, Math.round(room) + font + s, () => {
        if (wide(s, font) <= room) return s;
        const between = /[\u3400-\u9fff]/.test(s) || wide(s.split(" ")[0], font) > room ? "" : " ",
            units = s.split(between);
        while (units.length > 1) {
            units.pop();
            const r = units.join(between).replace(/[\s,;:·，、]+$/, "") + "…";
            if (wide(r, font) <= room) return r;
        }
        return "";
    });
// A text in one row, or in two of about the same width if it is wider than a room; with their widths.
const rowsOf_ = (s, font, room) => {
    if (!s) return [];
    const units = /[ ·]/.test(s) ? s.split(/(?<=[ ·])/) : [...s],
        parts = (n) =>
            [units.slice(0, n), units.slice(n)].map((part) =>
                part.join("").replace(/^[ ·]+|[ ·]+$/g, ""),
            ),
        widest = (rows) => Math.max(...rows.map((row_) => wide(row_, font))),
        rows =
            wide(s, font) <= room || units.length < 2
                ? [s]
                : units
                      .slice(1)
                      .map((_, n) => parts(n + 1))
                      .reduce((p, q) => (widest(q) < widest(p) ? q : p));
    return rows
        .map((row_) => short(row_, font, 1.7 * room))
        .map((row_) => [row_, wide(row_, font)]);
};
// On its own ground: a line that runs behind a text ends beside it.
function print_(s, x, y, font, col) {
    over.fillStyle = C.bg;
    over.beginPath();
    over.roundRect(x - 4, y - 15, wide(s, font) + 8, 20, 5);
    over.fill();
    lettered(s, x, y, col, font);
}
const FONT = 'system-ui,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif';
const PLAIN = `12px ${FONT}`,
    BOARD = `14px ${FONT}`,
    WORD = 40;
// A text in rows of a width, at most so many; the last ends with "…" if there is more.
function folded(s, room, most, font = PLAIN) {
    const units = /[\u3400-\u9fff]/.test(s) ? s.split(/(?<=[\u3000-\u9fff\uff00-\uffef])(?![，。、；：？！”’）》…])|(?<= )|(?=[\u3400-\u9fff])/) : s.split(/(?<= )/),
        rows = [];
    let row_ = "";
    units.forEach((unit, n) => {
        if (row_ && rows.length < most - 1 && wide((row_ + unit).trim(), font) > room) {
            rows.push(row_.trim());
            row_ = "";
        }
        row_ += unit;
    });
    return [...rows, short(row_.trim(), font, room)].map((s) => [s, wide(s, font)]);
}
// The two lengths of a memory's label with their widths, neither cut to a word or two; asked for by
// its place, which is quicker than by its text.
let cutFor = null,
    cutOf = [];
const cutsOf = (i) => {
    if (cutFor !== M) {
        cutFor = M;
        cutOf = [];
    }
    return (cutOf[i] ||= [230, 130]
        .map((room) => short(M.label[i], PLAIN, room))
        .filter((s) => s === M.label[i] || s.length > (/[\u3400-\u9fff]/.test(s) ? 8 : 14))
        .map((s) => [s, wide(s, PLAIN)]));
};
// On the ground that is there.
function lettered(s, x, y, col, font = PLAIN) {
    over.font = font;
    over.fillStyle = col;
    over.fillText(s, x, y);
}
// What is drawn on the map, in squares of 4 px: 1 where a dot is, 2 where a text, a ring or a button is.
const SQUARE = 4;
let across = 0,
    down = 0,
    used = new Uint8Array(0);
function cover(x0, y0, x1, y1, what) {
    const a = Math.max(0, Math.floor(x0 / SQUARE)),
        b = Math.min(across - 1, Math.floor(x1 / SQUARE)),
        z = Math.min(down - 1, Math.floor(y1 / SQUARE));
    if (b >= a)
        for (let r = Math.max(0, Math.floor(y0 / SQUARE)); r <= z; r++)
            used.fill(what, r * across + a, r * across + b + 1);
}
function disc(x, y, r, what) {
    const z = Math.min(down - 1, Math.floor((y + r) / SQUARE)),
        small = r < SQUARE;
    for (let k = Math.max(0, Math.floor((y - r) / SQUARE)); k <= z; k++) {
        const e = small ? 0 : Math.max(0, Math.abs(k * SQUARE + SQUARE / 2 - y) - SQUARE / 2),
            half = small ? r : Math.sqrt(Math.max(0, r * r - e * e)),
            b = k * across + Math.min(across - 1, Math.floor((x + half) / SQUARE));
        for (let a = k * across + Math.max(0, Math.floor((x - half) / SQUARE)); a <= b; a++)
            used[a] = what;
    }
}
// How many squares of a dot a text from x, above y, would lie on; FAR if over a text or beyond the edge, or over more than `most`.
function under(x, y, m, most) {
    if (x < 4 || x + m > w - 4 || y < 15 || y > hh - 6) return FAR;
    const a = Math.floor((x - 2) / SQUARE),
        b = Math.floor((x + m + 2) / SQUARE),
        z = Math.floor((y + 4) / SQUARE);
    let n = 0;
    for (let r = Math.floor((y - 12) / SQUARE); r <= z; r++)
        for (let k = r * across + a, e = r * across + b; k <= e; k++) {
            const v = used[k];
            if (v) {
                if (v > 1 || ++n > most) return FAR;
            }
        }
    return n;
}
function occupy() {
    const a = Math.ceil(w / SQUARE) + 1,
        d = Math.ceil(hh / SQUARE) + 1;
    if (a !== across || d !== down) {
        across = a;
        down = d;
        used = new Uint8Array(a * d);
    } else used.fill(0);
    const { of, size } = dots(),
        k = view.k,
        k_ = k * swell(),
        lo = least() / 2,
        X = M.x,
        Y = M.y,
        left = w / 2 - view.x * k,
        top = hh / 2 + view.y * k;
    for (let j = 0; j < of.length; j++) {
        const i = of[j],
            x = left + X[i] * k,
            y = top - Y[i] * k;
        if (x > -20 && y > -20 && x < w + 20 && y < hh + 20)
            disc(x, y, Math.max(lo, Math.min(14, k_ * size[j])), 1);
    }
    for (const [x, y, u, v] of boxes) cover(x, y, u, v, 2);
}
