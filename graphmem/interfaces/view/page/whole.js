function tools() {
    fill(
        $("tools"),
        (mode === "form" || (M && M.passes > 0)) && press(
            () => {
                mode = mode === "theme" ? "form" : "theme";
                keepIn("graphmem-mode", mode);
                tools();
                chart();
                greet();
                draw();
            },
            {},
            t(mode === "theme" ? "byForm" : "byTheme"),
        ),
        press(
            () => {
                ghosts = !ghosts;
                tools();
                seat();
                draw();
            },
            { id: "ghosts", "aria-pressed": String(ghosts) },
            t("ghosts", 0),
        ),
        button(
            "fit",
            () => {
                stage.focus();
                lit = null;
                group = null;
                flags();
                fit();
                if (last && tab === "search") {
                    last = null;
                    box.value = "";
                    greet();
                }
            },
            { id: "fit", hidden: complete() },
        ),
        !fixed &&
            button(
                "anew",
                async () => {
                    try {
                        M = read(await source.map(true));
                        settle();
                        fit();
                    } catch (e) {
                        fail(e);
                    }
                },
                { id: "anew" },
            ),
    );
    if (M) clock();
    legend();
}
// What the map shows by which sign: folded away or not is kept.
const keyed = () => !$("legend").hidden;
function legend() {
    const e = $("legend"),
        b = $("key"),
        fs = FORM(),
        sign = (k, ...of) =>
            h("li", {},
                h("span", { "aria-hidden": "true" },
                    of.map((e) => (e.tagName ? e : h("i", { class: e[0], style: e[1] && { "--c": e[1] } }))),
                ),
                h("span", {}, t(k)),
            ),
        hues = [1, 2, 3].map((g) => ["", css(rgb(g))]);
    b.textContent = t("legend");
    b.setAttribute("aria-expanded", String(keyed()));
    b.className = keyed() ? "on" : "";
    aria(e, "legend");
    fill(
        e,
        h("ul", { class: "plain" },
            mode === "form"
                ? ["whole", "shorter", "gist"].map((k, f) => sign(k, filled(f, fs[f])))
                : sign("keyGroup", ...hues),
            sign("keyCircle", ["pale"], ["big pale"]),
            M && groups().some((a) => a.is.length > 2 && !named(a.g)) && sign("keyDashed", ["dashed"]),
            ghosts && sign("gone", filled(3, fs[3])),
            M && dots().uneven && sign("keySize", ["small"], ["big"]),
            mode !== "form" && sign("keyPale", ["pale"], [""]),
        ),
        M && M.passes > 0 && faint("div", t("keyPass")),
    );
    boxed();
}
function explain(on) {
    $("legend").hidden = !on;
    keepIn("graphmem-legend", on ? "open" : "folded");
    legend();
    draw();
}
function settle() {
    if (byTheme !== themed()) {
        byTheme = themed();
        tabs();
    }
    if (atNow) at = M.passes;
    tools();
    move();
    if (w > 1 && (boxed_ || !isles().every((a) => moves.has(a.isle)))) fit();
    else load();
    $("pass").max = until();
    seek(at, true);
    bars = null;
    chart();
    $("where").title = strung(" · ", S.path, S.scope);
    axis();
}
async function labels() {
    if (byTheme)
        try {
            names = new Map((await source.themes()).themes.map((x) => [x.id, x.name]));
            draw();
        } catch {}
}
async function refresh() {
    const old = M ? new Set(M.id) : null;
    if (!both) ask_();
    const now_ = both;
    both = null;
    const [s_, m_] = await now_;
    M = read(m_);
    S = s_;
    mode ||= M.passes ? "form" : "theme";
    over_ = null;
    for (const line of lines.values()) line.old = true; // shown until it is told anew
    S.sequence = Math.min(S.sequence, M.sequence);
    settle();
    labels();
    if (old && !calm)
        for (let i = 0; i < M.n; i++) if (!old.has(M.id[i])) pulses.push([i, performance.now()]);
    if (["budget", "people", "list"].includes(tab)) PANELS[tab]();
    if (tab === "search") searchPanel();
    queueMicrotask(() => learn().catch(fail)); // after what the lists ask for
}
function words() {
    root.lang = lang === "zh" ? "zh-CN" : "en";
    root.dataset.look = light ? "light" : "dark";
    dyed();
    $("lang").textContent = t("lang");
    $("lang").setAttribute("lang", lang === "zh" ? "en" : "zh-CN");
    $("look").title = t("look");
    aria($("look"), "look");
    aria($("help"), "helpT");
    aria(stage, "map");
    $("mapper").textContent = t("mapper");
    $("panel").dataset.today = t("ofToday");
    aria($("pass"), "time");
    $("back").textContent = t("toToday");
    asker();
    stop();
    tools();
    tabs();
}
$("lang").onclick = () => {
    lang = lang === "zh" ? "en" : "zh";
    keepIn("graphmem-lang", lang);
    words();
    const keep = sel,
        d = open_;
    PANELS[tab]();
    if (keep != null) panel(keep, d);
    settle();
    draw();
};
$("mapper").onclick = () => {
    isMapped = !isMapped;
    paged();
};
$("look").onclick = () => {
    light = !light;
    keepIn("graphmem-look", light ? "light" : "dark");
    words();
    load();
    chart();
    clock();
    draw();
};
$("help").onclick = help;
$("key").onclick = () => explain(!keyed());
$("legend").hidden = keepIn("graphmem-legend") !== "open";
$("play").onclick = play;
$("back").onclick = () => seek(M.passes);
$("pass").oninput = (e) => seek(+e.target.value);
new ResizeObserver(size).observe(stage);
// What the address asks for behind "#": tab, q (a cue), node, pass, by (theme or form).
async function begin() {
    const a = new URLSearchParams(location.hash.slice(1));
    if (a.get("by")) mode = a.get("by") === "form" ? "form" : "theme";
    if (a.get("gone")) {
        ghosts = true;
        seat();
    }
    tools();
    if (a.get("pass")) seek(a.get("pass") === "max" ? until() : +a.get("pass"));
    await open(TABS.includes(a.get("tab")) ? a.get("tab") : "search");
    if (a.get("q")) {
        open("search");
        box.value = a.get("q");
        await ask(box.value);
    }
    if (a.get("node")) await choose(+a.get("node"));
}
(async () => {
    words();
    try {
        await refresh();
        size();
        fit();
        await begin();
        document.body.dataset.ready = String(Math.round(performance.now()));
    } catch (e) {
        fill($("panel"), h("p", { class: "bad" }, e.message));
    }
})();
if (!fixed) {
    let busy = false;
    setInterval(async () => {
        if (document.hidden || busy || !M) return;
        busy = true;
        try {
            const s = await source.state();
            if (s.sequence !== S.sequence) await refresh();
            else S = s;
        } catch (e) {
            say(t("lost"));
        }
        busy = false;
    }, 2000);
}
