const NEVER = 4294967295,
    FAR = 1e9,
    MOST_AHEAD = 60,
    HUES = [210, 28, 140, 330, 265, 50, 175, 0, 295, 95, 195, 15];
const FORM = () =>
    light
        ? ["#006b4c", "#c66a00", "#96305b", "#8794a6"]
        : ["#c4f7e7", "#f5a742", "#d46a85", "#5e6a80"];
const $ = (id) => document.getElementById(id),
    root = document.documentElement;
const keepIn = (k, v) => {
    try {
        if (v === undefined) return localStorage.getItem(k);
        localStorage.setItem(k, v);
    } catch {
        return null;
    }
};
let lang = keepIn("graphmem-lang") || ((navigator.language || "").startsWith("zh") ? "zh" : "en");
{
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.get("lang")) lang = asked.get("lang") === "zh" ? "zh" : "en";
    if (asked.get("look")) keepIn("graphmem-look", asked.get("look"));
}
let light =
    (keepIn("graphmem-look") ||
        (matchMedia("(prefers-color-scheme:light)").matches ? "light" : "dark")) === "light";
const t = (k, ...a) => {
    let s = W[lang][k];
    if (s === undefined) s = String(k);
    if (lang === "en" && a[0] === "1")
        s = s.replace(/\{0\} (\w+?)(ie)?s\b/, (_, one, y) => `{0} ${one}${y ? "y" : ""}`);
    a.forEach((v, i) => {
        s = s.replace(`{${i}}`, v);
    });
    return s;
};
const strung = (by, ...of) => of.filter(Boolean).join(by),
    aria = (e, k) => e.setAttribute("aria-label", t(k));
// The only way an element is made here: strings become text nodes.
function h(tag, props, ...inside) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(props || {})) {
        if (v == null || v === false) continue;
        if (k === "on") {
            for (const [n, f] of Object.entries(v)) e.addEventListener(n, f);
        } else if (k === "style") for (const [n, x] of Object.entries(v)) e.style.setProperty(n, x);
        else if (k === "class") e.className = v;
        else e.setAttribute(k, v === true ? "" : v);
    }
    for (const c of inside.flat(Infinity))
        if (c != null && c !== false) e.append(c);
    return e;
}
const faint = (tag, ...inside) => h(tag, { class: "dim" }, inside);
// The focus stays at the place where it was among what can have it.
const FOCUS = "button:not([hidden]), input, select, summary, [tabindex]";
const fill = (e, ...inside) => {
    const among = () => [...e.querySelectorAll(FOCUS)],
        place = among().indexOf(document.activeElement);
    e.replaceChildren(...inside.flat(Infinity).filter((c) => c != null && c !== false));
    const after = among(),
        next = after.slice(place).find((b) => !b.disabled) || after.pop() || e;
    if (place >= 0) next.focus({ preventScroll: true });
};
const press = (f, more, ...inside) =>
        h("button", { type: "button", on: { click: f }, ...more }, inside),
    button = (k, f, more) => press(f, more, t(k));
// A text whose days, and numerals with what they count, stay in one row.
const COUNT = "[\\d每〇零一二两三四五六七八九十百千万亿]+[\\u3400-\\u9fff]",
    WHOLE = RegExp(`(\\d{4}-\\d\\d-\\d\\d|${COUNT})`);
const dated = (s) =>
    s
        .split(WHOLE)
        .map((part, k) => (k % 2 ? h("span", { class: "day" }, part) : part));
const num = (v, d = 2) => Number(v).toFixed(d),
    day = (s) => (s ? s.slice(0, 10) : ""),
    big = (n) => Number(n).toLocaleString(lang === "zh" ? "zh-CN" : "en");
const bytes = (n) =>
    n < 1e4
        ? big(n) + " B"
        : n < 1e7
          ? big(Math.round(n / 1e3)) + " kB"
          : big(Math.round(n / 1e6)) + " MB";
