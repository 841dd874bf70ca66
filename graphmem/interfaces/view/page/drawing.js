// Drawing.
const onPath = (id) => (lit.paths.get(sel) || []).some((p) => p[0] === id || p[2] === id),
    isLit = (i) =>
        lit
            ? lit.set.has(M.id[i]) || nearHit().includes(i) || onPath(M.id[i])
            : group != null
              ? themeOf(i) === group
              : M.id[i] === sel || bonds().includes(i);
function flags() {
    if (G && M) {
        const f = new Float32Array(M.n);
        if (dimmed()) for (let i = 0; i < M.n; i++) f[i] = isLit(i) ? 1 : 0;
        G.bindBuffer(G.ARRAY_BUFFER, FB);
        G.bufferData(G.ARRAY_BUFFER, f, G.DYNAMIC_DRAW);
    }
    draw();
}
// Whether only what is lit is drawn: what was found or chosen, not a theme, whose surroundings are pale.
const alone = () => dimmed() && group == null;
let asked = false;
function draw() {
    if (!asked) {
        asked = true;
        requestAnimationFrame(paint);
    }
}
const least = () => (M.n > 3e4 ? 1.8 : M.n > 3e3 ? 2.6 : 8),
    swell = () => (w < 500 ? 1.4 : 1), // of dots, where a finger meets them
    radius = (i) =>
        Math.max(
            least() / 2,
            Math.min(14, view.k * swell() * (0.21 + 0.15 * Math.sqrt(importanceAt(i, at)))),
        );
const dimmed = () => (lit || group != null || bonds().length ? 1 : 0),
    // How near one looks: 0 where all memories are in view, 1 from twice as near.
    near = () => Math.max(0, Math.min(1, (view.k - 1.2 * home) / (0.8 * home))),
    linkAlpha = () => (dimmed() ? 0.06 : 0.25) * near();
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
    prints.clear();
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
    part();
    const bg = hex(C.bg),
        ink = C.link.split(",").map((v) => v / 255),
        fs = FORM().map(hex);
    if (G) {
        G.viewport(0, 0, w * dpr, hh * dpr);
        G.clearColor(...bg, 1);
        G.clear(G.COLOR_BUFFER_BIT);
        G.enable(G.BLEND);
        G.blendFunc(G.SRC_ALPHA, G.ONE_MINUS_SRC_ALPHA);
        G.useProgram(LP);
        attach(LP, LB, 5, [
            ["p", 2],
            ["e", 3],
        ]);
        G.uniform3f(UL.v, view.x, view.y, view.k);
        G.uniform2f(UL.half_, w / 2, hh / 2);
        G.uniform1f(UL.t, at);
        G.uniform1f(UL.now, M.passes);
        G.uniform1f(UL.decay, M.decay);
        G.uniform1f(UL.fine, linkAlpha());
        G.uniform3f(UL.ink, ...ink);
        if (!social() && linkAlpha()) G.drawArrays(G.LINES, 0, shown);
        G.useProgram(PP);
        for (let i = 0; i < 8; i++) G.disableVertexAttribArray(i);
        attach(PP, NB, 13, [
            ["p", 2],
            ["life", 4],
            ["im", 4],
            ["col", 3],
        ]);
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
        G.uniform1f(UP.alone, alone() ? 1 : 0);
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
        c.lineWidth = 1;
        const fine = linkAlpha(),
            dyes = [];
        for (const k of fine && !social() ? inner(2e4) : []) {
            const s = M.from[k],
                d = M.to[k];
            if (at < M.born[s] || at < M.born[d] || at >= far(M.gone[s]) || at >= far(M.gone[d]))
                continue;
            const [x, y] = px(s),
                [u, v] = px(d);
            c.strokeStyle = css(ink, Math.min(1, M.strength[k]) * fine);
            c.beginPath();
            c.moveTo(x, y);
            c.lineTo(u, v);
            c.stroke();
        }
        c.lineWidth = 1.5;
        const hidden = alone();
        for (let i = 0; i < M.n && !social(); i++) {
            const f = formAt(i, at);
            if (f < 0 || (f > 2 && !ghosts) || (hidden && !isLit(i))) continue;
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
// Which lines are drawn from the one at the side.
const bound = () => {
    const of = tiesOf(M.place.get(sel)),
        drawn = !boxed_ || inColumn();
    return strung(
        "\n",
        drawn && of.some((tie) => !tie.made) && t("hintTold"),
        drawn && of.some((tie) => tie.made) && t("hintMade"),
        out.size && t("leftOut"),
    );
};
// What one looks at, and what one can do.
const hint = () =>
    social()
        ? together()
        : lit
          ? `${t(lit.hint || "hintMap", lit.who || "")}${nearHit().length ? between() + t("hintNear") : ""}\n${t(out.size ? "leftOut" : "hintCircle")}`
          : group != null
            ? titleOf(group)
            : sel != null
              ? bound()
              : `${t("hintMap", t(mode === "form" ? "hintForm" : "hintTheme"))}\n${dots().uneven ? t("hintSize") : ""}${t("hintCircle")}`;
const inColumn = () => boxed_.every(({ k }) => !k);
const bow = (far_) => Math.min(110, 40 + 0.22 * Math.abs(far_));
// The boxes, each with the name of who said what is in it.
function shelf() {
    const c = over,
        k = view.k / BOXED;
    for (const { name, x, y, across, down } of boxed_) {
        const [left, top] = boxAt(x, y);
        c.fillStyle = `rgba(${C.link},${light ? 0.1 : 0.14})`;
        c.beginPath();
        c.roundRect(left, top, across * k, down * k, 10);
        c.fill();
        const font = `600 15px ${FONT}`;
        lettered(short(name, font, across - 30), left + 12, top + 22, C.ink, font);
    }
}
const boxAt = (x, y) => onto((x - w / 2) / BOXED, (hh / 2 - y) / BOXED);
function spoken() {
    for (const { x, y, rows, across } of boxed_)
        for (const { by, texts, high, y: at_ } of rows) {
            const [u, v] = boxAt(x + 46, y + at_),
                top = v - high / 2 + 13.5;
            if (by) lettered(short(by, PLAIN, across - 56), u, top, C.dim);
            texts.forEach(([s], n) => lettered(s, u, top + 18 * (n + (by ? 1 : 0)), C.ink, BOARD));
        }
}
const MOST_ASKED = 60, // texts beside what is looked at
    SPARSE = 600; // memories up to which each circle says what matters most in it
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
        return true;
    };
    const counted = []; // how many are in an isle, beside its name
    // Above the ground of its isle, or below the upper edge of the stage while the isle reaches there.
    const title = (a, col, surely) => {
        const [x, y] = onto(a.x, a.y),
            r = a.reach * view.k + rim(),
            rows = titled_(a),
            more = near() ? [] : said_(a),
            high = rows.length * ROW() + 15 * more.length,
            top = Math.max(view.k > home * 1.01 ? 32 : 0, y - r - high);
        if (x + r < 0 || x - r > w || top + high > y + r) return;
        const lines_ = rows.map(([s, m], j) => {
            const left = Math.max(5, Math.min(w - m - 5, x - m / 2));
            return [s, left, top + ROW() * (j + 1) - 6, m];
        });
        if (surely || lines_.every(([, u, v, m]) => under(u, v, m, 0) < FAR))
            for (const [s, u, v, m] of lines_) write_(s, u, v, m, titleFont(a), col);
        const [, u, v, m] = lines_[lines_.length - 1];
        if (lines_.length && w >= 500) counted.push([String(a.n), u + m + 8, v]);
        more.forEach(([s, m], k) => {
            const left = Math.max(5, Math.min(w - m - 5, x - m / 2));
            const y_ = top + rows.length * ROW() + 15 * k + 8;
            cover(left - 4, y_ - 13, left + m + 4, y_ + 4, 2);
            lettered(s, left, y_, C.dim);
        });
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
        arc = (i, j, col, width) => {
            const [x, y] = px(i),
                [u, v] = px(j);
            if (boxed_ && !inColumn()) return; // across the texts of others
            c.strokeStyle = col;
            c.lineWidth = width;
            c.beginPath();
            c.moveTo(x, y);
            // Beside boxes, on the left of a column.
            if (boxed_)
                c.bezierCurveTo(x - bow(y - v), y, x - bow(y - v), v, u, v);
            else c.quadraticCurveTo((x + u) / 2 + (v - y) * 0.15, (y + v) / 2 - (u - x) * 0.15, u, v);
            c.stroke();
        },
        rad = (i) => Math.max(3, radius(i)),
        isBeside = (a, u, v, m, high) => {
            const [x, y] = onto(a.x, a.y),
                [p, q] = [Math.max(u, Math.min(u + m, x)) - x, Math.max(v, Math.min(v + high, y)) - y];
            return Math.hypot(p, q) > a.reach * view.k + rim();
        },
        chosen = M.place.has(sel) ? M.place.get(sel) : null,
        hits = hitsOn(),
        of = groups();
    for (const [i, j] of (lit && lit.ties) || []) arc(i, j, `rgba(${C.link},.45)`, 1.2);
    if (boxed_) shelf();
    else if (group == null && view.k < 4 * home)
        for (const a of of)
            if (a.is.length > 2 && !named(a.g)) {
                c.strokeStyle = `rgba(${C.link},.5)`;
                c.lineWidth = 1;
                c.setLineDash([4, 4]);
                c.beginPath();
                c.arc(...onto(a.x, a.y), a.reach * view.k + rim(), 0, 7);
                c.stroke();
                c.setLineDash([]);
            } else if (a.is.length > 2) {
                const share = light ? 0.08 : 0.16;
                c.fillStyle = mode === "form" ? `rgba(${C.link},${share})` : css(rgb(a.g), share);
                c.beginPath();
                c.arc(...onto(a.x, a.y), a.reach * view.k + rim(), 0, 7);
                c.fill();
            }
    const path = (lit && lit.paths.get(sel)) || [];
    for (const [a, , b, s] of path) {
        const [i, j] = [M.place.get(a), M.place.get(b)];
        if (i == null || j == null) continue;
        c.setLineDash([8, 5]);
        c.lineDashOffset = calm ? 0 : -time / 45;
        arc(i, j, hot, 1.5 + 2.5 * s);
        c.setLineDash([]);
        moving = !calm;
    }
    if (!path.length)
        for (const i of new Set([over_, chosen]))
            if (i != null)
                for (const { j, made } of tiesOf(i).reverse())
                    if (made) arc(i, j, C.ok, 2.6);
                    else if (!hits.length) arc(i, j, `rgba(${C.link},.45)`, 1.1);
    // Hits by their numbers, each with a rim of the background.
    for (const i of hits) {
        const [x, y] = px(i),
            r = signed(),
            weak = lit.weak.has(M.id[i]);
        for (const [r_, dye] of [
            [r + inset(), C.bg],
            ...(i === chosen ? [[r + 6, ink], [r + 4, C.bg]] : []),
            [r + 1.25, hot],
            [r - 1.25, weak ? C.bg : hot],
        ]) {
            c.fillStyle = dye;
            c.beginPath();
            c.arc(x, y, r_, 0, 7);
            c.fill();
        }
        disc(x, y, r + 2, 2);
        c.fillStyle = weak ? hot : C.bg;
        const high = Math.min(15, Math.round(r) + (w < 500 ? 2 : 1));
        c.font = `700 ${high}px ${FONT}`;
        const number = String(lit.number.get(M.id[i]));
        c.fillText(number, x - wide(number, c.font) / 2, y + 0.37 * high);
    }
    if (chosen != null && !hits.includes(chosen)) ring(chosen, rad(chosen) + 6, ink, 2);
    // The groups by their names: those first that hold what is looked at.
    const first = new Set([...hits, ...(chosen == null ? [] : [chosen, ...bonds()])].map(groupOf));
    for (const a of [...of].sort((p, q) => first.has(q.g) - first.has(p.g)))
        if (!boxed_ && (a.is.length > 2 || of.length < 7) && group == null)
            title(
                a,
                mode === "form" ? ink : css(rgb(a.g, light ? 0.26 : 0.72)),
                first.has(a.g),
            );
    for (const [n, x, y] of counted)
        if (under(x + 2, y - 9, wide(n, PLAIN), 0) < FAR) lettered(n, x, y, C.dim);
    // What memories say: those first that are looked at, in some rows beside them.
    if (boxed_) spoken();
    let left = boxed_ ? 0 : alone() ? MOST_ASKED : view.k > 3 * home ? 120 : near() ? 34 : 0,
        look = 0,
        tried = 0;
    for (const i of alone() ? new Set([chosen, ...hits, ...sought()].filter((i) => i != null)) : M.order) {
        if (!left || ++look > (M.n > 3e3 && view.k < 14 ? 150 : 600) || tried > 120) break;
        const f = formAt(i, at);
        if (f < 0 || (f > 2 && !ghosts) || (M.flags[i] & 8 && !alone())) continue;
        const [x, y] = px(i);
        if (x < 0 || y < 0 || x > w || y > hh) continue;
        const r = hits.includes(i) ? signed() + inset() : i === chosen ? rad(i) + 8 : rad(i);
        // Without room for a word beside it no text is measured.
        const beside_ = (m) => [x + r + 5, x - r - 5 - m];
        if (beside_(WORD).every((u) => under(u, y + 4, WORD, 0))) continue;
        tried++;
        for (const rows of rowsOfDot(i)) {
            const m = Math.max(...rows.map(([, m]) => m)),
                high = 15 * rows.length,
                side = [
                    ...beside_(m).map((u) => [u, y + 11.5 - high / 2]),
                    [x - m / 2, y + r + 14],
                    [x - m / 2, y - r - high + 9],
                ].find(
                    ([u, v]) =>
                        rows.every((_, n) => !under(u, v + 15 * n, m, 0)) &&
                        of.every((a) => a.isle === M.isle[i] || isBeside(a, u, v - 12, m, high)),
                );
            if (!side) continue;
            const [u, v] = side;
            rows.forEach(([s, m], n) => {
                cover(u - 4, v - 13 + 15 * n, u + m + 4, v + 4 + 15 * n, 2);
                lettered(s, u, v + 15 * n, alone() ? ink : C.dim);
            });
            left--;
            break;
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
