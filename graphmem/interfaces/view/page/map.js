// The map: columns as graphmem.mapping.packed lays them out.
const U4 = ["born", "shorter", "gist", "gone", "due", "last", "uses", "theme", "isle", "end"],
    F4 = ["x", "y", "importance", "kept"];
function read(buffer) {
    const v = new DataView(buffer);
    if (v.getUint32(0) !== 0x474d4150) throw Error("no map");
    const n = v.getUint32(8, true),
        m = v.getUint32(12, true),
        lb = v.getUint32(16, true),
        nb = v.getUint32(20, true);
    const M = {
        n,
        m,
        passes: Number(v.getBigUint64(24, true)),
        sequence: Number(v.getBigUint64(32, true)),
        decay: v.getFloat64(40, true),
    };
    let at = v.getUint16(6, true);
    M.id = Array.from(new BigUint64Array(buffer, at, n), Number);
    at += 8 * n;
    for (const c of U4) {
        M[c] = new Uint32Array(buffer, at, n);
        at += 4 * n;
    }
    for (const c of F4) {
        M[c] = new Float32Array(buffer, at, n);
        at += 4 * n;
    }
    M.home = { x: M.x.slice(), y: M.y.slice() }; // where the memory has them: `move` gathers those of an isle
    M.from = new Uint32Array(buffer, at, m);
    at += 4 * m;
    M.to = new Uint32Array(buffer, at, m);
    at += 4 * m;
    M.strength = new Float32Array(buffer, at, m);
    at += 4 * m;
    M.relation = new Uint32Array(buffer, at, m);
    at += 4 * m;
    M.form = new Uint8Array(buffer, at, n);
    at += n;
    M.flags = new Uint8Array(buffer, at, n);
    at += n;
    const d = new TextDecoder();
    M.label = [];
    let s = 0;
    for (let i = 0; i < n; i++) {
        M.label.push(d.decode(new Uint8Array(buffer, at + s, M.end[i] - s)));
        s = M.end[i];
    }
    M.names = JSON.parse(d.decode(new Uint8Array(buffer, at + lb, nb)));
    M.place = new Map(M.id.map((id, i) => [id, i]));
    M.linked = new Uint32Array(n);
    for (const i of M.from) M.linked[i]++;
    M.order = Array.from({ length: n }, (_, i) => i).sort(
        (a, b) => M.importance[b] - M.importance[a] || M.linked[b] - M.linked[a] || a - b,
    );
    return M;
}
let M = null,
    S = null,
    at = 0,
    atNow = true,
    view = { x: 0, y: 0, k: 8 },
    mode = keepIn("graphmem-mode"), // theme or form
    ghosts = false,
    sel = null,
    lit = null,
    group = null,
    playing = 0,
    pulses = [],
    names = new Map(),
    tab = "search",
    undo = [],
    last = null;
const far = (p) => (p === NEVER ? FAR : p);
// What is left of memory i at pass p: 0 whole, 1 shorter, 2 gist, 3 forgotten, −1 not yet there.
function formAt(i, p) {
    if (p < M.born[i]) return -1;
    if (p >= far(M.gone[i])) return 3;
    let f = p >= far(M.gist[i]) ? 2 : p >= far(M.shorter[i]) ? 1 : 0;
    if (p > M.passes && dueOf(i) <= p) f++;
    return f;
}
const dueOf = (i) => (M.flags[i] & 1 ? FAR : far(M.due[i]));
const endOf = (i) => (M.gone[i] === NEVER ? M.passes : M.gone[i]);
const importanceAt = (i, p) => Math.min(4, M.importance[i] * Math.exp(M.decay * (endOf(i) - p)));
const themed = () => M.theme.some((x) => x);
let byTheme = false;
// The circle of the map that a memory lies in.
const groupOf = (i) => M.isle[i] + 1;
const hueOf = (g) => (g ? (HUES[g % HUES.length] + Math.floor(g / HUES.length) * 17) % 360 : 0);
// Where there are more circles than hues, those that come again are darker.
const rgb = (g, l = (light ? 0.44 : 0.66) - (g < HUES.length ? 0 : 0.1)) =>
        tint(hueOf(g), g && (!M || named(g)) ? 0.62 : 0, l),
    tint = (hue, s, l) =>
        [0, 8, 4].map((n) => {
            const k = (n + hue / 30) % 12;
            return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
        });
const css = (c, a = 1) => `rgba(${c.map((v) => Math.round(v * 255)).join()},${a})`,
    hex = (s) => [1, 3, 5].map((i) => parseInt(s.slice(i, i + 2), 16) / 255);
const named = (g) => M.names.isles[g - 1] || "",
    nameOf = (g) => named(g) || t("others");
