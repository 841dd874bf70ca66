// Doing and undoing.
let hide = 0;
function say(text, back) {
    clearTimeout(hide);
    fill(
        $("toast"),
        h("span", {}, text),
        back && button("undo", takeBack),
        press(
            () => {
                hush();
                deliver();
            },
            { "aria-label": t("close") },
            "✕",
        ),
    );
    $("toast").hidden = false;
    hide = setTimeout(hush, back ? 12000 : 7000);
}
function hush() {
    const next = $($("right").hidden ? "panel" : "memory");
    if ($("toast").contains(document.activeElement)) next.focus();
    $("toast").hidden = true;
}
const did = (what, of) => (what === "forget" ? t("forgot", of) : t("done"));
const panels = () => {
    contest();
    if (tab === "clean") cleanPanel();
    if (tab === "conflicts") conflictsPanel();
};
async function shown_(r) {
    await refresh();
    if (r.id && sel != null) choose(r.id);
    else if (sel != null) choose(sel);
    panels();
}
async function act(given, quiet) {
    if (fixed) return;
    await deliver();
    try {
        const r = await post(given);
        if (!quiet) {
            if (r.undo) undo.push(r.undo);
            say(did(given.what, label(given.id)), r.undo);
        } else say(r.missing && r.missing.length ? t("partly", r.missing.join("; ")) : t("undone"));
        await shown_(r);
    } catch (e) {
        fail(e);
    }
}
// What the memory cannot take back exactly waits here for a while, and is not sent if it is undone before.
let due = null,
    sent = Promise.resolve();
const WAIT = 5000,
    awaited = (id) => due && (due.given.pair ? due.given.pair.includes(id) : due.given.id === id);
function later(given) {
    if (fixed) return;
    deliver();
    due = {
        given,
        timer: setTimeout(() => {
            hush();
            deliver();
        }, WAIT),
    };
    say(t("soon"), true);
    panels();
}
function deliver() {
    if (due) {
        const d = due;
        due = null;
        clearTimeout(d.timer);
        sent = sent.then(async () => {
            try {
                await shown_(await post(d.given));
            } catch (e) {
                fail(e);
                panels();
            }
        });
    }
    return sent;
}
function takeBack() {
    if (due) {
        clearTimeout(due.timer);
        due = null;
        say(t("undone"));
        panels();
        return;
    }
    const u = undo.pop();
    if (Array.isArray(u)) unmake(u);
    else if (u) act(u, true);
}
// One thing done to several memories, and taken back at once.
async function actAll(what, ids) {
    if (fixed || !ids.length) return;
    if (what === "forget" && !(await sure(t("forgetAll", big(ids.length))))) return;
    await deliver();
    const back = [];
    try {
        for (const id of ids) {
            const r = await post({ what, id });
            if (r.undo) back.push(r.undo);
        }
        say(did(what, t("memories", big(ids.length))), back.length > 0);
    } catch (e) {
        fail(e);
    }
    if (back.length) undo.push(back);
    await shown_({});
    $("toast").querySelector("button").focus();
}
async function unmake(back) {
    const missing = [];
    try {
        for (const each of back.reverse()) missing.push(...((await post(each)).missing || []));
        say(missing.length ? t("partly", missing.join("; ")) : t("undone"));
    } catch (e) {
        fail(e);
    }
    await shown_({});
}
addEventListener("pagehide", () => {
    if (due) {
        clearTimeout(due.timer);
        post(due.given, true);
        due = null;
    }
});
function dialog(...inside) {
    const d = $("dlg");
    fill(d, ...inside);
    d.showModal();
    return d;
}
function sure(text) {
    return new Promise((done) => {
        const d = dialog(
            h("p", {}, text),
            h("div", { class: "row" },
                button(
                    "yes",
                    () => {
                        d.close("yes");
                    },
                    { class: "bad" },
                ),
                button("cancel", () => d.close("no")),
            ),
        );
        d.returnValue = "";
        d.onclose = () => done(d.returnValue === "yes");
    });
}
function write(what) {
    if (fixed || !open_ || !open_.alive) return;
    const id = open_.id,
        area = h("textarea", { "aria-label": t("text") });
    area.value = open_.text;
    const d = dialog(
        h("p", {}, t(what === "correct" ? "wrongText" : "newText")),
        area,
        h("div", { class: "row" },
            button("save", () => {
                d.close();
                if (area.value.trim()) act({ what, id, text: area.value });
            }),
            button("cancel", () => d.close()),
        ),
    );
    d.onclose = null;
    area.focus();
}
function help() {
    const d = dialog(
        h("h2", {}, t("helpT")),
        h("dl", {},
            KEYS.map(([k, en, zh]) => [
                h("dt", {}, h("kbd", {}, k)),
                h("dd", {}, lang === "zh" ? zh : en),
            ]),
        ),
        !G && faint("p", t("canvas")),
        h("div", { class: "row" },
            button("close", () => d.close()),
        ),
    );
    d.onclose = null;
}
