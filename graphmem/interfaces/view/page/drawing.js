// Drawing.
const stage = $("stage"),
    over = $("over").getContext("2d");
// A processor that plays a GPU draws slower than the canvas does. Asked of another canvas, for one that gave WebGL gives nothing else.
function gpu() {
    try {
        const g = document
                .createElement("canvas")
                .getContext("webgl2", { failIfMajorPerformanceCaveat: true }),
            x = g && g.getExtension("WEBGL_debug_renderer_info");
        return (
            !!g &&
            !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(
                g.getParameter(x ? x.UNMASKED_RENDERER_WEBGL : g.RENDERER),
            )
        );
    } catch {
        return false;
    }
}
let over_ = null, // the memory under the pointer
    G = null;
try {
    G =
        !new URLSearchParams(location.hash.slice(1)).get("canvas") && gpu()
            ? $("gl").getContext("webgl2", { antialias: true, alpha: false })
            : null;
} catch {}
const flat = G ? null : $("gl").getContext("2d");
let PP,
    LP,
    NB,
    FB,
    LB,
    UP = {},
    UL = {},
    shown = 0,
    dpr = 1,
    w = 1,
    hh = 1;
if (G) {
    const prog = (v, f) => {
        const p = G.createProgram();
        for (const [s, k] of [
            [v, G.VERTEX_SHADER],
            [f, G.FRAGMENT_SHADER],
        ]) {
            const o = G.createShader(k);
            G.shaderSource(o, "#version 300 es\nprecision highp float;" + s);
            G.compileShader(o);
            if (!G.getShaderParameter(o, G.COMPILE_STATUS)) throw Error(G.getShaderInfoLog(o));
            G.attachShader(p, o);
        }
        G.linkProgram(p);
        return p;
    };
    // A memory's whole life is in its vertex: moving the slider changes one number.
    PP = prog(
        `in vec2 p;in vec4 life;in vec4 im;in vec3 col;in float flag;uniform vec3 v;uniform vec2 half_;uniform float t,now,decay,dpr,ghost,dim,byForm,least;uniform vec3 forms[4];out vec4 q;
void main(){float f=t>=life.z?2.:t>=life.y?1.:0.;float dead=step(life.w,t);if(t>now&&t>=im.z){f+=1.;if(f>2.5)dead=1.;}float here=step(life.x,t);float imp=min(4.,im.x*exp(decay*(im.y-t)));
gl_Position=vec4((p-v.xy)*v.z/half_,0,1);float s=clamp(v.z*(.42+.3*sqrt(imp))*(1.-.16*min(f,2.)),least,40.);gl_PointSize=here*(dead>.5?max(2.,s*.6)*ghost:s)*dpr;
vec3 c=mix(col,forms[int(min(f,2.))],byForm);float a=mix(1.,.55,min(f,2.)/2.)*mix(.55,1.,min(1.,imp));if(dead>.5){c=forms[3];a=.7*ghost;}q=vec4(c,a*here*mix(1.,flag>.5?1.:.2,dim));if(q.a<.004)gl_Position=vec4(9);}`,
        "in vec4 q;out vec4 o;void main(){float r=length(gl_PointCoord-.5)*2.;if(r>1.)discard;o=vec4(q.rgb,q.a*(1.-smoothstep(.78,1.,r)));}",
    );
    LP = prog(
        "in vec2 p;in vec3 e;uniform vec3 v;uniform vec2 half_;uniform float t,now,decay,fine;out float a;void main(){gl_Position=vec4((p-v.xy)*v.z/half_,0,1);a=step(e.x,t)*(1.-step(e.y,t))*min(1.,e.z*exp(decay*(now-t)))*fine;}",
        "in float a;uniform vec3 ink;out vec4 o;void main(){o=vec4(ink,a);}",
    );
    for (const n of [
        "v",
        "half_",
        "t",
        "now",
        "decay",
        "dpr",
        "ghost",
        "dim",
        "byForm",
        "least",
        "forms",
    ])
        UP[n] = G.getUniformLocation(PP, n);
    for (const n of ["v", "half_", "t", "now", "decay", "fine", "ink"])
        UL[n] = G.getUniformLocation(LP, n);
    [NB, FB, LB] = [0, 0, 0].map(() => G.createBuffer());
}
function attach(p, b, stride, list) {
    G.bindBuffer(G.ARRAY_BUFFER, b);
    let o = 0;
    for (const [n, c] of list) {
        const i = G.getAttribLocation(p, n);
        if (i >= 0) {
            G.enableVertexAttribArray(i);
            G.vertexAttribPointer(i, c, G.FLOAT, false, stride * 4, o * 4);
        }
        o += c;
    }
}
// The strongest links within groups: those between them would cover the map and say nothing.
let inner_ = null;
function inner(most) {
    if (inner_ && inner_.M === M && inner_.byTheme === byTheme) return inner_.of;
    const of = [];
    for (let k = 0; k < M.m; k++) if (groupOf(M.from[k]) === groupOf(M.to[k])) of.push(k);
    if (of.length > most) {
        of.sort((p, q) => M.strength[q] - M.strength[p]);
        of.length = most;
    }
    inner_ = { M, byTheme, of };
    return of;
}
function load() {
    if (!G) return;
    const a = new Float32Array(M.n * 13);
    for (let i = 0; i < M.n; i++)
        a.set(
            [
                M.x[i],
                M.y[i],
                M.born[i],
                far(M.shorter[i]),
                far(M.gist[i]),
                far(M.gone[i]),
                M.importance[i],
                endOf(i),
                dueOf(i),
                0,
                ...rgb(groupOf(i)),
            ],
            i * 13,
        );
    G.bindBuffer(G.ARRAY_BUFFER, NB);
    G.bufferData(G.ARRAY_BUFFER, a, G.STATIC_DRAW);
    const es = inner(3e5),
        l = new Float32Array(es.length * 10);
    es.forEach((k, j) => {
        const s = M.from[k],
            d = M.to[k],
            lo = Math.max(M.born[s], M.born[d]),
            hi = Math.min(far(M.gone[s]), far(M.gone[d]));
        l.set(
            [M.x[s], M.y[s], lo, hi, M.strength[k], M.x[d], M.y[d], lo, hi, M.strength[k]],
            j * 10,
        );
    });
    shown = es.length * 2;
    G.bindBuffer(G.ARRAY_BUFFER, LB);
    G.bufferData(G.ARRAY_BUFFER, l, G.STATIC_DRAW);
    flags();
}
const onPath = (id) => (lit.paths.get(sel) || []).some((p) => p[0] === id || p[2] === id),
    isLit = (i) =>
        lit
            ? lit.set.has(M.id[i]) || onPath(M.id[i])
            : group != null
              ? groupOf(i) === group
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
function size() {
    dpr = Math.min(2, devicePixelRatio || 1);
    const r = stage.getBoundingClientRect(),
        nw = Math.max(1, r.width),
        nh = Math.max(1, r.height);
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
    prints.clear();
    boxed();
    if (M) {
        if (fitted && changed) fit(fitted);
        chart();
        draw();
    }
}
const onto = (x, y) => [w / 2 + (x - view.x) * view.k, hh / 2 - (y - view.y) * view.k],
    px = (i) => onto(M.x[i], M.y[i]);
let fitted = null,
    home = 8; // the zoom at which all memories are in view
function fit(list) {
    if (!M || !M.n) return;
    const all = !Array.isArray(list) || list.length === M.n;
    if (all) list = [...M.id.keys()];
    fitted = list;
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
    const low = below(),
        l = $("legend"),
        side = l.offsetLeft + l.offsetWidth,
        top = l.offsetTop,
        head = $("tools").offsetHeight ? 84 : 44,
        into = (left, bottom) => {
            view.k = Math.min(
                60,
                (w - 60 - left) / (b - a + 3),
                (hh - head - bottom) / (d - c + 3),
            );
            view.x = (a + b) / 2 - left / 2 / view.k;
            view.y = (c + d) / 2 - (bottom - head) / 2 / view.k;
        };
    into(0, low);
    // Only a memory that would lie under the legend makes the map go beside it; a narrow map stays.
    if (
        keyed() &&
        w >= 560 &&
        list.some((i) => {
            if (i >= M.n) return false;
            const [x, y] = px(i);
            return x < side + 14 && y > top - 14;
        })
    )
        into(side, low);
    if (all) home = view.k;
    draw();
}
const below = () => $("tools").offsetHeight + 24;
function zoom(f, x = w / 2, y = hh / 2) {
    fitted = null;
    const ux = view.x + (x - w / 2) / view.k,
        uy = view.y - (y - hh / 2) / view.k;
    view.k = Math.max(0.2, Math.min(240, view.k * f));
    view.x = ux - (x - w / 2) / view.k;
    view.y = uy + (y - hh / 2) / view.k;
    draw();
}
let asked = false;
function draw() {
    if (!asked) {
        asked = true;
        requestAnimationFrame(paint);
    }
}
const least = () => (M.n > 3e4 ? 1.8 : M.n > 3e3 ? 2.6 : 4.5),
    radius = (i) =>
        Math.max(
            least() / 2,
            Math.min(20, view.k * (0.21 + 0.15 * Math.sqrt(importanceAt(i, at)))),
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
        G.uniform1f(UP.ghost, ghosts ? 1 : 0);
        G.uniform1f(UP.dim, dimmed());
        G.uniform1f(UP.byForm, mode === "form" ? 1 : 0);
        G.uniform3fv(UP.forms, fs.flat());
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
        for (let i = 0; i < M.n && !social(); i++) {
            const f = formAt(i, at);
            if (f < 0 || (f > 2 && !ghosts)) continue;
            const [x, y] = px(i);
            if (x < -20 || y < -20 || x > w + 20 || y > hh + 20) continue;
            const r = Math.max(least() / 2, radius(i) * (1 - 0.16 * Math.min(f, 2))),
                pale = dimmed() && !isLit(i) ? 1 : 0,
                dye = (groupOf(i) * 4 + f) * 2 + pale;
            if (!dyes[dye])
                dyes[dye] = css(
                    f > 2 ? fs[3] : mode === "form" ? fs[f] : rgb(groupOf(i)),
                    (1 - 0.22 * Math.min(f, 2)) * (pale ? 0.2 : 1),
                );
            c.fillStyle = dyes[dye];
            c.beginPath();
            c.arc(x, y, r, 0, 7);
            c.fill();
        }
    }
    const told = over_ == null || social() ? hint() : M.label[over_];
    if ($("tip").textContent !== told) {
        $("tip").textContent = told;
        boxed();
    }
    if (social()) {
        folk();
        if (hint() !== told) draw();
    } else marks(time);
}
// What one looks at, and what one can do.
const hint = () =>
    social()
        ? together()
        : lit
          ? lit.hits.length
              ? t("hintFound")
              : ""
          : group != null
            ? nameOf(group)
            : t(sel == null ? "hintMap" : "hintChosen");
// Texts are measured once, and drawn with their outline once, into a picture of their own.
const widths = new Map(),
    cuts = new Map(),
    prints = new Map();
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
        const cjk = /[\u3400-\u9fff]/.test(s),
            units = cjk ? [...s] : s.split(" ");
        while (units.length > 1) {
            units.pop();
            const r = units.join(cjk ? "" : " ").replace(/[\s,;:·，、]+$/, "") + "…";
            if (wide(r, font) <= room) return r;
        }
        return "";
    });
const inked = (s, font, col) =>
    kept(prints, 400, font + col + s, () => {
        const e = document.createElement("canvas"),
            c = e.getContext("2d");
        e.width = Math.ceil((wide(s, font) + 8) * dpr);
        e.height = Math.ceil(26 * dpr);
        c.setTransform(dpr, 0, 0, dpr, 0, 0);
        c.font = font;
        c.lineWidth = 4;
        c.lineJoin = "round";
        c.strokeStyle = C.bg;
        c.strokeText(s, 4, 17);
        c.fillStyle = col;
        c.fillText(s, 4, 17);
        return e;
    });
function print_(s, x, y, font, col) {
    const e = inked(s, font, col),
        snapped = (v) => Math.round(v * dpr) / dpr;
    over.drawImage(e, snapped(x - 4), snapped(y - 17), e.width / dpr, e.height / dpr);
}
const FONT = 'system-ui,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif';
// The two lengths of a memory's label with their widths, neither cut to a word or two; asked for by its place, which is quicker than by its text.
const PLAIN = `12px ${FONT}`,
    WORD = 40;
let cutFor = null,
    cutOf = [];
const cutsOf = (i) => {
    if (cutFor !== M) {
        cutFor = M;
        cutOf = [];
    }
    return (
        cutOf[i] ||
        (cutOf[i] = [...new Set([230, 130].map((room) => short(M.label[i], PLAIN, room)))]
            .filter(
                (s) =>
                    (s === M.label[i] && !s.endsWith("…")) ||
                    s.length > (/[\u3400-\u9fff]/.test(s) ? 8 : 14),
            )
            .map((s) => [s, wide(s, PLAIN)]))
    );
};
// The groups at pass `at`, the largest first: the mean of where their members lie, and how far a disc
// around it reaches that is as full as they are.
let held_ = null;
function groups() {
    if (held_ && held_.M === M && held_.at === at) return held_.list;
    const cs = new Map();
    for (let i = 0; i < M.n; i++) {
        const f = formAt(i, at);
        if (f < 0 || f > 2) continue;
        const g = groupOf(i);
        if (!g) continue;
        const u = M.x[i],
            v = M.y[i];
        let a = cs.get(g);
        if (!a) cs.set(g, (a = { g, n: 0, x: 0, y: 0, square: 0 }));
        a.n++;
        a.x += u;
        a.y += v;
        a.square += u * u + v * v;
    }
    const list = [...cs.values()].sort((p, q) => q.n - p.n);
    for (const a of list) {
        a.reach = Math.sqrt((2 * (a.square - (a.x * a.x + a.y * a.y) / a.n)) / a.n) + 0.6;
        a.x /= a.n;
        a.y /= a.n;
    }
    held_ = { M, at, list };
    return list;
}
// What a memory is linked with most.
let ties_ = {};
function strongest(i) {
    if (ties_.M !== M || ties_.i !== i) {
        const of = [];
        for (let k = 0; k < M.m; k++) if (M.from[k] === i) of.push([M.strength[k], M.to[k]]);
        ties_ = { M, i, of: of.sort((p, q) => q[0] - p[0]).map(([, j]) => j) };
    }
    return ties_.of.filter((j) => formAt(j, at) >= 0 && formAt(j, at) < 3).slice(0, 10);
}
const bonds = () => (M.place.has(sel) ? strongest(M.place.get(sel)) : []);
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
        size.push((0.21 + 0.15 * Math.sqrt(importanceAt(i, at))) * (1 - 0.16 * Math.min(f, 2)));
    }
    return (dots_ = { M, at, ghosts, of, size });
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
            disc(x, y, Math.max(lo, Math.min(20, k * size[j])), 1);
    }
    for (const [x, y, u, v] of boxes) cover(x, y, u, v, 2);
}
// Labels are set one after another, what matters more first: where no dot and no other label is, else not at all. A hit's number, which must be there, lies in its dot where nothing else is left.
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
    const sides = (x, y, r, m) => [
        [x + r + 5, y + 4],
        [x - r - 5 - m, y + 4],
        [x - m / 2, y - r - 6],
        [x - m / 2, y + r + 15],
    ];
    // Above its group's ground if no dot, no other text and no group nearer than its own is there,
    // else as near to that as there is room, and if there is none, smaller.
    const title = (a, col) => {
        const [x, y] = onto(a.x, a.y),
            r = a.reach * view.k + 8,
            off = (b, u, v) => {
                const [x, y] = onto(b.x, b.y);
                return Math.hypot(x - u, y - v) / (b.reach * view.k + 8);
            };
        if (x + r < 0 || x - r > w || y + r < 0 || y - r > hh) return;
        for (const [size_, most] of [
            [w < 500 ? 13 : w < 800 ? 15 : 17, 0],
            [w < 500 ? 11 : 13, 0],
            [w < 500 ? 11 : 13, 50],
        ]) {
            const font = `600 ${size_}px ${FONT}`,
                s = short(w < 500 ? named(a.g).split(" · ")[0] : named(a.g), font, 260),
                m = wide(s, font);
            for (const down of [-r - 6, 4 - r, 14 - r, r + 16, r + 4, 5 + 0.7 * r, 5, 5 - 0.6 * r])
                for (const side of [0, 0.2, -0.2, 0.4, -0.4, 0.7, -0.7]) {
                    const u = Math.max(5, Math.min(w - m - 5, x + r * side - m / 2)),
                        v = Math.max(20, Math.min(hh - 12, y + down)),
                        mine = (most ? 1 : 1.1) * off(a, u + m / 2, v - 5);
                    if (
                        s &&
                        under(u, v, m, most) < FAR &&
                        !of.some((b) => b !== a && off(b, u + m / 2, v - 5) < mine)
                    )
                        return write_(s, u, v, m, font, col);
                }
        }
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
            c.strokeStyle = col;
            c.lineWidth = width;
            c.beginPath();
            c.moveTo(x, y);
            c.quadraticCurveTo((x + u) / 2 + (v - y) * 0.15, (y + v) / 2 - (u - x) * 0.15, u, v);
            c.stroke();
        },
        rad = (i) => Math.max(3, radius(i)),
        chosen = M.place.has(sel) ? M.place.get(sel) : null,
        hits = lit ? lit.hits.map((id) => M.place.get(id)).filter((i) => i != null) : [],
        of = groups();
    for (const [i, j] of (lit && lit.ties) || []) arc(i, j, `rgba(${C.link},.45)`, 1.2);
    // The ground of a group, unless its members are strewn over the map.
    if (group == null && view.k < 4 * home)
        for (const a of of)
            if (a.n > 2 && a.reach ** 2 < 2.5 * a.n + 6) {
                c.fillStyle =
                    mode === "form" ? `rgba(${C.link},.08)` : css(rgb(a.g), lit ? 0.04 : 0.08);
                c.beginPath();
                c.arc(...onto(a.x, a.y), a.reach * view.k + 8, 0, 7);
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
            if (i != null) for (const j of strongest(i)) arc(i, j, `rgba(${C.link},.75)`, 1.3);
    // Hits by their numbers, moved apart where they would lie on each other.
    const big_ = w < 500 ? 9 : 11,
        font = `700 ${big_ + 1}px ${FONT}`,
        where = hits.map(px);
    for (let round = 0; round < 30; round++)
        where.forEach((p, i) => {
            for (const q of where.slice(0, i)) {
                const [x, y] = [p[0] - q[0] || 0.1, p[1] - q[1] || 0.1],
                    by = Math.max(0, (2 * big_ + 1) / Math.hypot(x, y) - 1) / 2;
                p[0] += x * by;
                p[1] += y * by;
                q[0] -= x * by;
                q[1] -= y * by;
            }
        });
    where.forEach(([x, y], k) => {
        const weak = lit.weak && lit.weak.has(M.id[hits[k]]);
        c.fillStyle = weak ? C.bg : hot;
        c.strokeStyle = hits[k] === chosen ? ink : hot;
        c.lineWidth = hits[k] === chosen ? 3 : 1.5;
        c.beginPath();
        c.arc(x, y, big_, 0, 7);
        c.fill();
        c.stroke();
        disc(x, y, big_ + 2, 2);
        c.fillStyle = weak ? hot : C.bg;
        c.font = font;
        c.fillText(k + 1, x - wide(String(k + 1), font) / 2, y + 4.5);
    });
    if (chosen != null && !hits.includes(chosen)) ring(chosen, rad(chosen) + 6, ink, 2);
    // The groups by their names, as far as there is room: those first that hold what is looked at.
    const first = new Set([...hits, ...(chosen == null ? [] : [chosen, ...bonds()])].map(groupOf));
    let titles = 16;
    for (const a of [...of].sort((p, q) => first.has(q.g) - first.has(p.g))) {
        if ((a.n < 3 && of.length > 6) || (group != null && a.g !== group) || !titles--) continue;
        title(a, mode === "form" ? ink : css(rgb(a.g, light ? 0.31 : 0.72), lit ? 0.8 : 1));
    }
    let left = lit || !near() ? 0 : view.k > 3 * home ? 120 : 34,
        look = 0,
        tried = 0;
    for (const i of M.order) {
        if (!left || ++look > (M.n > 3e3 && view.k < 14 ? 150 : 600) || tried > 120) break;
        const f = formAt(i, at);
        if (i === chosen || f < 0 || f > 2 || M.flags[i] & 8 || (dimmed() && !isLit(i))) continue;
        const [x, y] = px(i);
        if (x < 0 || y < 0 || x > w || y > hh) continue;
        const r = rad(i);
        // A side without room for a word needs no text measured.
        const open = [
            !under(x + r + 5, y + 4, WORD, 0),
            !under(x - r - 5 - WORD, y + 4, WORD, 0),
            !under(x - WORD / 2, y - r - 6, WORD, 0),
            !under(x - WORD / 2, y + r + 15, WORD, 0),
        ];
        if (!open.includes(true)) continue;
        tried++;
        set: for (const [s, m] of cutsOf(i)) {
            const to = sides(x, y, r, m);
            for (let j = 0; j < 4; j++)
                if (open[j] && !under(...to[j], m, 0)) {
                    write_(s, ...to[j], m, PLAIN, C.dim);
                    left--;
                    break set;
                }
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
