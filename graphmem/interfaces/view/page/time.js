function counts(p) {
    const c = [0, 0, 0, 0];
    for (let i = 0; i < M.n; i++) {
        const f = formAt(i, p);
        if (f >= 0) c[Math.min(f, 3)]++;
    }
    return c;
}
const until = () => M.passes + Math.max(10, Math.min(MOST_AHEAD, Math.round(M.passes / 3))),
    // How long so many passes take, at the pace so far, in ms; 0 if none is known.
    taking = (n) => {
        const [first] = M.names.days || [];
        return first && M.passes ? (n * (Date.parse(S.today) - Date.parse(first[1]))) / M.passes : 0;
    },
    lasting = (n) => {
        const days = Math.round(taking(n) / 864e5);
        return days ? t("days", big(days)) : t("steps", big(n));
    },
    // The day at which the forecast ends.
    ending = (n) => taking(n) && new Date(Date.parse(S.today) + taking(n)).toISOString().slice(0, 10),
    passOf = (p) =>
        p === M.passes
            ? t("today")
            : p < M.passes
              ? t("before", lasting(M.passes - p))
              : t("later", lasting(p - M.passes));
// The day of a pass: the last one on which something was remembered by then.
function dayOf(p) {
    if (p === M.passes) return `${t("today")} ${S.today}`;
    const a = p < M.passes && (M.names.days || []).filter((d) => d[0] <= p).pop();
    return a ? a[1] : passOf(p);
}
// Only a map that is coloured by form gives its colours a meaning here.
const tones = () =>
    mode === "form"
        ? FORM()
        : light
          ? ["#17202e", "#3f4d63", "#64748b", "#8794a6"]
          : ["#f4f7fb", "#b4bfd0", "#8794a9", "#5f6b80"];
// A sign that is as full as what is left in a form.
const LEFT = [1, 0.6, 0.28, 0],
    filled = (f, dye) =>
        h("span", { class: "sw form", style: { "--c": dye, "--left": `${Math.round(100 * LEFT[f])}%` } });
// Some days below the slider, and where the forecast begins.
function axis() {
    const P = until(),
        ds = M.names.days || [[0, S.today]],
        far_ = (p, q) => p - q > P / 5,
        days = [0, 1, 2]
            .map((k) => ds.filter(([p]) => p <= (k * M.passes) / 3).pop() || ds[0])
            .filter(([p], k, of) => far_(M.passes, p) && (!k || far_(p, of[k - 1][0])));
    $("history").textContent = t("history");
    $("ahead").textContent = t("forecast");
    fill(
        $("axis"),
        [...days, [M.passes, t("today")]].map(([p, day_]) =>
            h("span", { class: p === M.passes ? "now" : "", style: { left: `${(100 * p) / P}%` } }, day_),
        ),
        h("span", { class: "end" }, (ending(P - M.passes) || "").slice(phone.matches ? 5 : 0)),
    );
}
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
            bars.m = Math.max(bars.m, k[0] + k[1] + k[2] + k[3]);
        }
    }
    const fs = tones(),
        bw = b.width / cols,
        edge = (i) => Math.round(i * bw);
    bars.ys.forEach((k, i) => {
        let y = b.height;
        const ahead = (P * i) / (cols - 1 || 1) > M.passes;
        for (let f = 0; f < 4; f++) {
            const z = (k[f] / bars.m) * (b.height - 3);
            g.fillStyle = fs[f];
            // What is forgotten is hollow, as its sign is.
            g.fillRect(edge(i), y - z, ahead ? bw / 2 : edge(i + 1) - edge(i), f < 3 ? z : z && 1);
            y -= z;
        }
    });
    g.fillStyle = C.dim;
    g.font = `11px ${FONT}`;
    g.fillText(t(S.nodes < bars.m ? "upTo" : "memories", big(S.nodes), big(bars.m)), 2, 10);
    g.fillStyle = C.ink;
    g.fillRect((b.width * M.passes) / P - 1, 0, 2, b.height);
    g.fillStyle = C.hot;
    g.fillRect(Math.min(b.width - 2, (b.width * at) / P), 0, 2, b.height);
}
function seek(p, quiet) {
    at = Math.max(0, Math.min(until(), Math.round(p)));
    atNow = at === M.passes;
    $("foot").hidden = !M.passes && atNow; // no history yet
    $("pass").value = at;
    $("back").hidden = atNow;
    document.body.classList.toggle("past", !atNow);
    const d = dayOf(at),
        e = $("day");
    e.textContent = at || atNow ? d : `${t("oldest")} · ${d}`;
    $("pass").setAttribute("aria-valuetext", e.textContent);
    chart();
    clock();
    tally();
    seat();
    draw();
    if (tab === "search" && !last) greet();
    if (!quiet) stop();
}
function clock() {
    const c = counts(at),
        fs = tones(),
        ns = ["whole", "shorter", "gist", "gone"];
    $("where").textContent = t("memories", big(c[0] + c[1] + c[2]));
    fill(
        $("now"),
        c.map((n, f) => (n > 0 || !f) && h("span", {}, filled(f, fs[f]), `${big(n)} ${t(ns[f])}`)),
    );
    const g = $("ghosts");
    if (g) {
        g.textContent = t("ghosts", big(c[3]));
        g.hidden = !c[3];
        g.className = ghosts && c[3] ? "on" : "";
        boxed();
    }
}
// What is shown now lies together.
function seat() {
    if (M.n > MOST_SEATED) return;
    move();
    load();
}
function stop() {
    if (playing) {
        clearInterval(playing);
        playing = 0;
    }
    $("play").textContent = "▶";
    aria($("play"), "play");
}
function play() {
    if (playing) return stop();
    if (at >= until()) seek(0, true);
    $("play").textContent = "❚❚";
    aria($("play"), "stop");
    playing = setInterval(
        () => {
            if (at >= until()) stop();
            else seek(at + Math.max(1, Math.round(until() / 300)), true);
        },
        calm ? 400 : 120,
    );
}
