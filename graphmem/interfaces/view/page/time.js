// Time.
function counts(p) {
    const c = [0, 0, 0, 0];
    for (let i = 0; i < M.n; i++) {
        const f = formAt(i, p);
        if (f >= 0) c[Math.min(f, 3)]++;
    }
    return c;
}
const until = () => M.passes + Math.max(10, Math.min(MOST_AHEAD, Math.round(M.passes / 3))),
    rounds = (n) => (lang === "zh" ? `${n} 轮淡化` : `${n} round${n === 1 ? "" : "s"} of fading`),
    passOf = (p) =>
        p === M.passes
            ? t("today")
            : p < M.passes
              ? t("before", rounds(M.passes - p))
              : t("later", rounds(p - M.passes));
// The day of a pass: of what was remembered then, or before and after it if that was one day.
function dayOf(p) {
    if (p === M.passes) return `${t("today")} ${S.today}`;
    const ds = [...(M.names.days || []), [M.passes, S.today]],
        a = ds.filter((d) => d[0] <= p).pop(),
        b = ds.find((d) => d[0] >= p);
    return a && b && (a[0] === p || a[1] === b[1]) ? a[1] : passOf(p);
}
// Only a map that is coloured by form gives its colours a meaning here.
const tones = () =>
    mode === "form"
        ? FORM()
        : light
          ? ["#2f3d52", "#53637a", "#6f7f95", "#8896a8"]
          : ["#d5dde9", "#a3b0c4", "#7c8aa0", "#5f6c84"];
let bars = null;
function chart() {
    const e = $("chart"),
        b = e.getBoundingClientRect(),
        g = e.getContext("2d"),
        P = until();
    e.width = Math.max(1, b.width * dpr);
    e.height = b.height * dpr;
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    const cols = Math.max(1, Math.min(P + 1, Math.floor(b.width / 4), M.n > 2e4 ? 60 : 400));
    if (!bars || bars.key !== M.sequence + ":" + cols) {
        bars = { key: M.sequence + ":" + cols, ys: [], m: 1 };
        for (let i = 0; i < cols; i++) {
            const k = counts(Math.round((P * i) / (cols - 1 || 1)));
            bars.ys.push(k);
            bars.m = Math.max(bars.m, k[0] + k[1] + k[2]);
        }
    }
    const fs = tones(),
        bw = b.width / cols;
    bars.ys.forEach((k, i) => {
        let y = b.height;
        const ahead = (P * i) / (cols - 1 || 1) > M.passes;
        for (let f = 0; f < 3; f++) {
            const z = (k[f] / bars.m) * (b.height - 3);
            g.fillStyle = fs[f];
            g.globalAlpha = ahead ? 0.3 : 0.8;
            g.fillRect(i * bw, y - z, Math.max(1, bw - 0.5), z);
            y -= z;
        }
    });
    g.globalAlpha = 1;
    g.fillStyle = C.dim;
    g.fillRect((b.width * M.passes) / P, 0, 1, b.height);
    g.fillStyle = C.hot;
    g.fillRect(Math.min(b.width - 2, (b.width * at) / P), 0, 2, b.height);
}
function seek(p, quiet) {
    at = Math.max(0, Math.min(until(), Math.round(p)));
    atNow = at === M.passes;
    $("foot").hidden = !M.passes && atNow; // no history yet
    $("pass").value = at;
    const d = dayOf(at),
        e = $("day");
    e.textContent = at || atNow ? d : `${t("oldest")} · ${d}`;
    const side = e.offsetWidth / 2;
    e.style.left = `clamp(${side}px,calc(8px + (100% - 16px)*${at / until()}),calc(100% - ${side}px))`;
    $("pass").setAttribute("aria-valuetext", e.textContent);
    chart();
    clock();
    tally();
    draw();
    if (!quiet) stop();
}
function clock() {
    const c = counts(at),
        fs = tones(),
        ns = ["whole", "shorter", "gist", "gone"];
    fill(
        $("now"),
        h(
            "div",
            {},
            h("b", {}, dayOf(at)),
            " ",
            atNow ? "" : at > M.passes ? `· ${t("ahead")}` : `· ${t("ago")}`,
        ),
        h(
            "div",
            {},
            c.map(
                (n, f) =>
                    (n > 0 || !f) &&
                    h(
                        "span",
                        {},
                        h("span", { class: "sw", style: { background: fs[f] } }),
                        `${big(n)} ${t(ns[f])}`,
                    ),
            ),
        ),
    );
    const g = $("ghosts");
    if (g) {
        g.textContent = t("ghosts", big(c[3]));
        g.hidden = !c[3];
        g.className = ghosts && c[3] ? "on" : "";
        boxed();
    }
}
function stop() {
    if (playing) {
        clearInterval(playing);
        playing = 0;
    }
    $("play").textContent = "▶";
    $("play").setAttribute("aria-label", t("play"));
}
function play() {
    if (playing) return stop();
    if (at >= until()) seek(0, true);
    $("play").textContent = "❚❚";
    $("play").setAttribute("aria-label", t("stop"));
    playing = setInterval(
        () => {
            if (at >= until()) stop();
            else seek(at + Math.max(1, Math.round(until() / 300)), true);
        },
        calm ? 400 : 120,
    );
}
