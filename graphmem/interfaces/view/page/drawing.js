const isLit = (i) => (lit ? lit.set.has(M.id[i]) : themeOf(i) === group);
function flags() {
    if (G && M) {
        const f = new Float32Array(M.n);
        if (dimmed()) for (let i = 0; i < M.n; i++) f[i] = isLit(i) ? 1 : 0;
        G.bindBuffer(G.ARRAY_BUFFER, FB);
        G.bufferData(G.ARRAY_BUFFER, f, G.DYNAMIC_DRAW);
    }
    draw();
}
const SIGN = 11; // the radius of the number of a hit
let asked = false;
function draw() {
    if (!asked) {
        asked = true;
        requestAnimationFrame(paint);
    }
}
const least = () => (M.n > 3e4 ? 1.8 : M.n > 3e3 ? 2.6 : swell() > 1 && M.n < 400 ? 9.5 : 8),
    swell = () => (w < 500 && !boxed_ ? 1.5 : 1), // of dots, where a finger meets them
    radius = (i) =>
        Math.max(
            least() / 2,
            Math.min(14, view.k * swell() * (0.21 + 0.15 * Math.sqrt(importanceAt(i, at)))),
        );
const dimmed = () => (lit || group != null ? 1 : 0),
    // Whether one looks nearer than all memories are in view.
    near = () => view.k > 1.2 * home;
// What a frame needs of style and layout, asked for once: colours until the look changes, the place of the buttons until they do.
let C = null,
    boxes = [];
function dyed() {
    const of = getComputedStyle(root),
        v = (n) => of.getPropertyValue(n).trim();
    C = {
        bg: v("--bg"),
        link: v("--link"),
        hot: v("--hot"),
        ink: v("--ink"),
        dim: v("--dim"),
        pale: v("--pale"),
        ok: v("--ok"),
    };
}
function boxed() {
    const at_ = (b, x, y) => [x, y, x + b.offsetWidth, y + b.offsetHeight],
        of = [$("tools"), $("tip"), $("legend")];
    boxes = of.filter((e) => e.offsetWidth).map((e) => at_(e, e.offsetLeft, e.offsetTop));
}
function paint(time) {
    asked = false;
    if (!M) return;
    shift = [0, 0];
    shifted();
    offer();
    const bg = hex(C.bg),
        fs = FORM().map(hex);
    if (G) {
        G.viewport(0, 0, w * dpr, hh * dpr);
        G.clearColor(...bg, 1);
        G.clear(G.COLOR_BUFFER_BIT);
        G.enable(G.BLEND);
        G.blendFunc(G.SRC_ALPHA, G.ONE_MINUS_SRC_ALPHA);
        G.useProgram(PP);
        attach(PP, NB, 13, [["p", 2], ["life", 4], ["im", 4], ["col", 3]]);
        attach(PP, FB, 1, [["flag", 1]]);
        G.uniform3f(UP.v, view.x, view.y, view.k);
        G.uniform2f(UP.half_, w / 2, hh / 2);
        G.uniform1f(UP.t, at);
        G.uniform1f(UP.now, M.passes);
        G.uniform1f(UP.decay, M.decay);
        G.uniform1f(UP.dpr, dpr);
        G.uniform1f(UP.least, least());
        G.uniform1f(UP.swell, swell());
        G.uniform1f(UP.ghost, ghosts ? 1 : 0);
        G.uniform1f(UP.dim, dimmed());
        G.uniform1f(UP.byForm, mode === "form" ? 1 : 0);
        G.uniform3fv(UP.forms, fs.flat());
        G.uniform3f(UP.pale, ...hex(C.pale));
        if (!social()) G.drawArrays(G.POINTS, 0, M.n);
        for (let i = 0; i < 8; i++) G.disableVertexAttribArray(i);
    } else {
        const c = flat;
        c.setTransform(dpr, 0, 0, dpr, 0, 0);
        c.fillStyle = css(bg);
        c.fillRect(0, 0, w, hh);
        const dyes = [];
        c.lineWidth = 1.5;
        for (let i = 0; i < M.n && !social(); i++) {
            const f = formAt(i, at);
            if (f < 0 || (f > 2 && !ghosts)) continue;
            const [x, y] = px(i);
            if (x < -20 || y < -20 || x > w + 20 || y > hh + 20) continue;
            const r = radius(i),
                dye = groupOf(i) * 4 + f;
            if (!dyes[dye])
                dyes[dye] =
                    f > 2 || mode === "form" ? css(fs[f]) : css(rgb(groupOf(i)), 1 - 0.22 * f);
            const pale = f < 3 && dimmed() && !isLit(i);
            c.fillStyle = c.strokeStyle = pale ? C.pale : dyes[dye];
            c.beginPath();
            if (f && !pale && r > 2.5 && (f > 2 || mode === "form")) {
                // As in the legend: filled from below as far as it is left.
                const half = Math.acos(1 - 2 * LEFT[f]);
                c.arc(x, y, r - 0.75, 0, 7);
                c.stroke();
                c.beginPath();
                c.arc(x, y, r, Math.PI / 2 - half, Math.PI / 2 + half);
            } else c.arc(x, y, r, 0, 7);
            c.fill();
        }
    }
    const text = over_ == null || social() ? hint() : M.label[over_];
    if ($("tip").textContent !== text) {
        $("tip").textContent = text;
        boxed();
    }
    social() ? folk() : marks(time);
}
// What one looks at, and what one can do.
const hint = () =>
    social()
        ? together()
        : lit
          ? `${t(lit.hint || "hintMap", lit.who || "")}\n${t(boxed_ ? "leftOut" : "hintCircle")}`
          : group != null
            ? titleOf(group)
            : M.place.has(sel)
              ? `${t("hintOpen")} ${tiesOf(M.place.get(sel)).some((tie) => tie.made) ? t("hintMade") : ""}`
              : `${atNow ? "" : dayOf(at) + colon()}${t("hintMap", t(mode === "form" ? "hintForm" : "hintTheme"))}\n${dots().uneven ? t("hintSize") : ""}${t("hintCircle")}`;
// The boxes, each with the name of who said what is in it.
function shelf() {
    for (const { name, x, y, across, down } of boxed_) {
        over.fillStyle = `rgba(${C.link},${light ? 0.1 : 0.14})`;
        over.beginPath();
        over.roundRect(x, y, across, down, 10);
        over.fill();
        const font = `600 15px ${FONT}`;
        lettered(short(name, font, across - 30), x + 12, y + 22, C.ink, font);
    }
}
function spoken() {
    for (const { x, y, rows, across } of boxed_)
        for (const { by, texts, high, y: at_ } of rows) {
            const top = y + at_ - high / 2 + 13.5;
            if (by) lettered(short(by, PLAIN, across - 56), x + 46, top, C.dim);
            texts.forEach(([s], n) => lettered(s, x + 46, top + 18 * (n + (by ? 1 : 0)), C.ink, BOARD));
        }
}
// Labels are set one after another, what matters more first: where no dot and no other label is, else not at all.
function marks(time) {
    const c = over,
        { hot, ink } = C;
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.clearRect(0, 0, w, hh);
    let moving = false;
    occupy();
    const write_ = (s, x, y, m, font, col) => {
        cover(x - 4, y - 13, x + m + 4, y + 4, 2);
        print_(s, x, y, font, col);
    };
    // Above the ground of its isle, or below the upper edge of the stage while the isle reaches there.
    const title = (a, col) => {
        const [x, y] = onto(a.x, a.y),
            r = a.reach * view.k + rim(),
            rows = titled_(a),
            high = rows.length * ROW(),
            top = Math.max(view.k > home * 1.01 ? 32 : 0, y - r - high);
        if (x + r < 0 || x - r > w || top + high > y + r) return;
        const lines_ = rows.map(([s, m], j) => {
            const left = Math.max(5, Math.min(w - m - 5, x - m / 2));
            return [s, left, top + ROW() * (j + 1) - 6, m];
        });
        if (!lines_.every(([, u, v, m]) => under(u, v, m, 0) < FAR)) return;
        for (const [s, u, v, m] of lines_) write_(s, u, v, m, titleFont(a), col);
        const [, u, v, m] = lines_.pop();
        lettered(String(a.n), u + m + 8, v, C.dim);
    };
    const ring = (i, r, col, wd) => {
            const [x, y] = px(i);
            c.strokeStyle = col;
            c.lineWidth = wd;
            c.beginPath();
            c.arc(x, y, r, 0, 7);
            c.stroke();
            disc(x, y, r + 1, 2);
        },
        arc = (i, j) => {
            const [x, y] = px(i),
                [u, v] = px(j);
            c.strokeStyle = C.ok;
            c.lineWidth = 2.6;
            c.beginPath();
            c.moveTo(x, y);
            c.quadraticCurveTo((x + u) / 2 + (v - y) * 0.15, (y + v) / 2 - (u - x) * 0.15, u, v);
            c.stroke();
        },
        rad = (i) => Math.max(3, radius(i)),
        chosen = M.place.has(sel) ? M.place.get(sel) : null,
        hits = boxed_ ? hitsOn() : [],
        of = groups();
    if (boxed_) shelf();
    else if (group == null && view.k < 4 * home)
        for (const a of of)
            if (a.is.length > 2) {
                const share = light ? 0.08 : 0.16;
                c.beginPath();
                c.arc(...onto(a.x, a.y), a.reach * view.k + rim(), 0, 7);
                c.fillStyle = mode === "form" ? `rgba(${C.link},${share})` : css(rgb(a.g), share);
                if (named(a.g)) c.fill();
                else {
                    c.strokeStyle = `rgba(${C.link},.5)`;
                    c.lineWidth = 1;
                    c.setLineDash([4, 4]);
                    c.stroke();
                    c.setLineDash([]);
                }
            }
    for (const i of boxed_ ? [] : new Set([over_, chosen]))
        if (i != null) for (const { j, made } of tiesOf(i)) if (made) arc(i, j);
    // Hits by their numbers, each with a rim of the background.
    for (const i of hits) {
        const [x, y] = px(i),
            weak = lit.weak.has(M.id[i]);
        for (const [r_, dye] of [
            [SIGN + 3, C.bg],
            ...(i === chosen ? [[SIGN + 6, ink], [SIGN + 4, C.bg]] : []),
            [SIGN + 1.25, hot],
            [SIGN - 1.25, weak ? C.bg : hot],
        ]) {
            c.fillStyle = dye;
            c.beginPath();
            c.arc(x, y, r_, 0, 7);
            c.fill();
        }
        c.fillStyle = weak ? hot : C.bg;
        c.font = `700 12px ${FONT}`;
        const number = String(lit.number.get(M.id[i]));
        c.fillText(number, x - wide(number, c.font) / 2, y + 4.5);
    }
    if (chosen != null && !hits.includes(chosen)) ring(chosen, rad(chosen) + 6, ink, 2);
    if (!boxed_ && group == null)
        for (const a of of) title(a, mode === "form" ? ink : css(rgb(a.g, light ? 0.26 : 0.72)));
    if (boxed_) spoken();
    let left = boxed_ || !near() ? 0 : view.k > 3 * home ? 120 : 34,
        look = 0,
        tried = 0;
    for (const i of M.order) {
        if (!left || ++look > (M.n > 3e3 && view.k < 14 ? 150 : 600) || tried > 120) break;
        const f = formAt(i, at);
        if (f < 0 || f > 2 || M.flags[i] & 8 || (dimmed() && !isLit(i))) continue;
        const [x, y] = px(i);
        if (x < 0 || y < 0 || x > w || y > hh) continue;
        // Without room for a word beside it no text is measured.
        const side = [x + rad(i) + 5, y + 4];
        if (under(...side, WORD, 0)) continue;
        tried++;
        const [s, m] = cutsOf(i).find(([, m]) => !under(...side, m, 0)) || [];
        if (s) {
            write_(s, ...side, m, PLAIN, C.dim);
            left--;
        }
    }
    pulses = pulses.filter(([i, s]) => time - s < 1500);
    for (const [i, s] of pulses) {
        const k = (time - s) / 1500;
        c.globalAlpha = 1 - k;
        ring(i, 5 + 40 * k, C.ok, 2);
        c.globalAlpha = 1;
        moving = true;
    }
    if (moving) draw();
}
const calm = matchMedia("(prefers-reduced-motion:reduce)").matches;
