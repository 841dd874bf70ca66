// Where the data comes from: the server, or the page itself.
const held = $("data") ? JSON.parse($("data").textContent) : null,
    fixed = !!held;
async function get(path) {
    const r = await fetch(path, { credentials: "same-origin" });
    if (!r.ok) {
        let e = {};
        try {
            e = await r.json();
        } catch {}
        throw Error(e.error || String(r.status));
    }
    return path.startsWith("/api/map") ? r.arrayBuffer() : r.json();
}
async function post(given, keepalive) {
    const r = await fetch("/api/act", {
        method: "POST",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(given),
        keepalive: !!keepalive,
    });
    const d = await r.json();
    if (!r.ok) throw Error(d.error || String(r.status));
    return d;
}
const cut = (s) => {
    const l = s.toLowerCase(),
        w = l.match(/[\p{L}\p{N}]+/gu) || [];
    return w.flatMap((x) =>
        /[\u3400-\u9fff]/.test(x)
            ? [...x].map((c, i) => x.slice(i, i + 2)).filter((c) => c.length > 1 || x.length < 2)
            : x.length > 2
              ? [x]
              : [],
    );
};
const source = fixed
    ? {
          state: async () => held.state,
          map: async () => {
              const s = atob(held.map),
                  b = new Uint8Array(s.length);
              for (let i = 0; i < s.length; i++) b[i] = s.charCodeAt(i);
              return b.buffer;
          },
          node: async (i) => held.nodes[i] || null,
          lines: async (ids) => ({
              lines: Object.fromEntries(
                  ids
                      .map((i) => [i, held.nodes[i]])
                      .filter(([, d]) => d)
                      .map(([i, d]) => [i, [d.speaker, day(d.happened || d.created), d.sentence]]),
              ),
          }),
          themes: async () => held.themes,
          people: async () => held.people,
          candidates: async () => held.candidates,
          conflicts: async () => held.conflicts,
          recall: async (cue) => {
              const ws = [...new Set(cut(cue))],
                  found = [];
              for (let i = 0; i < M.n; i++) {
                  if (M.flags[i] & 4) continue;
                  const d = held.nodes[M.id[i]],
                      s = (d ? d.text : M.label[i]).toLowerCase(),
                      c = ws.filter((w) => s.includes(w)).length;
                  if (c) found.push([c / ws.length, i, d]);
              }
              found.sort((a, b) => b[0] - a[0] || M.importance[b[1]] - M.importance[a[1]]);
              return {
                  cue,
                  sure: true,
                  notes: [],
                  once: [],
                  hits: found.slice(0, 12).map(([c, i, d]) => ({
                      id: M.id[i],
                      scope: "",
                      likely: c >= 0.6 * found[0][0],
                      parts: { words: c },
                      path: [],
                      text: d ? d.text : M.label[i],
                      matched: ws,
                      speaker: d && d.speaker,
                      when: d ? d.happened || d.created : "",
                      form: M.form[i],
                      earlier: [],
                  })),
              };
          },
      }
    : {
          state: () => get("/api/state"),
          map: (a) => get("/api/map" + (a ? "?anew=1" : "")),
          node: (i) => get("/api/node?id=" + i),
          lines: (ids) => get("/api/lines?ids=" + ids.join()),
          themes: () => get("/api/themes"),
          people: () => get("/api/people"),
          candidates: () => get("/api/candidates"),
          conflicts: () => get("/api/conflicts"),
          recall: (q) => get("/api/recall?cue=" + encodeURIComponent(q)),
      };
// Asked for before WebGL starts, which takes the browser as long as the answers take the server.
let both = null;
const ask_ = () => {
    both = Promise.all([source.state(), source.map()]);
    both.catch(() => {});
};
ask_();
