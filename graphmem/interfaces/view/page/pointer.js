// Pointer and keys.
function pick(x, y, most = 16) {
    let best = null,
        d = most * most;
    for (const b of boxed_ || [])
        for (const row_ of b.rows)
            if (x > b.x && x < b.x + b.across && Math.abs(b.y + row_.y - y) < row_.high / 2 + 5) return row_.i;
    for (let i = 0; i < M.n && !social(); i++) {
        const f = formAt(i, at);
        if (f < 0 || (f > 2 && !ghosts)) continue;
        const [u, v] = px(i),
            e = (u - x) ** 2 + (v - y) ** 2;
        if (e < d) {
            d = e;
            best = i;
        }
    }
    return best;
}
// A row that comes to lie under a pointer at rest is not pointed at.
for (const n of ["click", "pointermove"])
    addEventListener(n, () => document.body.classList.toggle("points", n === "pointermove"));
const fingers = new Map();
let moved = 0;
// Where on the stage; the canvases may be on their way.
function spot(e) {
    const { x, y } = stage.getBoundingClientRect();
    return [e.clientX - x - stage.clientLeft, e.clientY - y - stage.clientTop];
}
stage.addEventListener("pointerdown", (e) => {
    if (e.target !== $("gl")) return;
    $("gl").setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, spot(e));
    moved = 0;
});
stage.addEventListener("pointermove", (e) => {
    if (!M || e.target !== $("gl")) return;
    const p = fingers.get(e.pointerId),
        [x, y] = spot(e);
    if (!p) {
        const k = nameAt(x, y),
            i = pick(x, y);
        $("gl").style.cursor = i == null && k == null ? "grab" : "pointer";
        if (i !== over_) {
            over_ = i;
            draw();
        }
        return;
    }
    const [dx, dy] = [x - p[0], y - p[1]];
    if (fingers.size === 2) {
        const o = [...fingers].find(([k]) => k !== e.pointerId)[1],
            was = Math.hypot(p[0] - o[0], p[1] - o[1]) || 1;
        zoom(Math.hypot(x - o[0], y - o[1]) / was, o[0], o[1]);
    } else drag(dx, dy);
    moved += Math.abs(dx) + Math.abs(dy);
    fingers.set(e.pointerId, [x, y]);
});
for (const n of ["pointerup", "pointercancel"])
    stage.addEventListener(n, (e) => {
        if (fingers.delete(e.pointerId) && n === "pointerup" && moved < 6 && M) {
            const k = nameAt(...spot(e)),
                i = pick(...spot(e), 22);
            if (k != null) meet(k);
            else if (i != null) choose(M.id[i]);
        }
    });
stage.addEventListener(
    "wheel",
    (e) => {
        if (!M) return;
        e.preventDefault();
        zoom(Math.exp(-e.deltaY * 0.0016), ...spot(e));
    },
    { passive: false },
);
function step(dx, dy) {
    if (sel == null || !M.place.has(sel)) {
        const i = M.order.find((i) => {
            const f = formAt(i, at);
            return f >= 0 && f < 3;
        });
        if (i != null) choose(M.id[i]);
        return;
    }
    const from = M.place.get(sel);
    let best = null,
        b = FAR;
    for (let i = 0; i < M.n; i++) {
        const f = formAt(i, at);
        if (i === from || f < 0 || f > 2) continue;
        const x = M.x[i] - M.x[from],
            y = M.y[i] - M.y[from],
            along = x * dx + y * dy,
            side = Math.abs(x * dy - y * dx);
        if (along <= 0.05) continue;
        const d = along + 2.5 * side;
        if (d < b) {
            b = d;
            best = i;
        }
    }
    if (best != null) choose(M.id[best]);
}
addEventListener("keydown", (e) => {
    const typing = e.target.matches("textarea, select, input:not([type=range], [type=checkbox])"),
        k = e.key,
        list = [...$("panel").querySelectorAll(".open")],
        to = list.indexOf(e.target) + { ArrowDown: 1, ArrowUp: -1 }[k];
    if ($("dlg").open) return;
    if (k === "Escape") {
        if (typing) e.target.blur();
        if (!$("right").hidden) shut();
        else if (lit || group != null) {
            lit = null;
            group = null;
            last = null;
            if (box) {
                box.value = "";
                greet();
            }
            fit();
            flags();
        }
        draw();
        return;
    }
    if (e.target === box ? k === "ArrowDown" : to >= -1 && list.includes(e.target)) {
        e.preventDefault();
        (list[to] || (to < 0 && box) || e.target).focus();
        return;
    }
    if (typing || e.ctrlKey || e.metaKey || e.altKey || !M) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
        a = arrows[k];
    if (a && stage.checkVisibility() && [stage, document.body].includes(e.target)) {
        e.preventDefault();
        stage.focus();
        if (e.shiftKey) {
            drag(-60 * a[0], 60 * a[1]);
        } else step(...a);
        return;
    }
    if (k === " " && e.target.matches("button, summary, [type=checkbox]")) return;
    const d = open_ && sel != null && open_.id === sel ? open_ : null,
        id = sel;
    const does = {
        "/": () => {
            open("search");
            box.focus();
            box.select();
        },
        "+": () => zoom(1.3),
        "=": () => zoom(1.3),
        "-": () => zoom(1 / 1.3),
        0: () => fit(),
        "[": () => seek(at - 1),
        "]": () => seek(at + 1),
        " ": play,
        "?": help,
        u: takeBack,
        l: () => explain(!keyed()),
        p: () => d && d.alive && act({ what: d.pinned ? "unpin" : "pin", id }),
        h: () => d && d.alive && later({ what: "used", id }),
        f: () => d && d.alive && act({ what: "forget", id }),
        c: () => write("correct"),
        r: () => write("replace"),
    }[k];
    if (does) {
        e.preventDefault();
        does();
    } else if (k >= "1" && k <= String(TABS.length)) {
        e.preventDefault();
        Promise.resolve(open(TABS[k - 1])).then(() => $("panel").focus());
    }
});
