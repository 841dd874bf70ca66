// The canvases, and dots and links on the lower one: by WebGL, or without it.
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
// Drawn by the processor at once: thousands of dots that another process draws take a quarter of a
// second a frame without a GPU.
const flat = G ? null : $("gl").getContext("2d", { willReadFrequently: true });
let PP,
    NB,
    FB,
    UP = {},
    dpr = 1,
    w = 1,
    hh = 1;
if (G) {
    const prog = (v, f) => {
        const p = G.createProgram();
        for (const [s, k] of [[v, G.VERTEX_SHADER], [f, G.FRAGMENT_SHADER]]) {
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
        `in vec2 p;in vec4 life;in vec4 im;in vec3 col;in float flag;uniform vec3 v;uniform vec2 half_;uniform float t,now,decay,dpr,ghost,dim,byForm,least,swell;uniform vec3 forms[4],pale;out vec4 q;out float left;
void main(){float f=t>=life.z?2.:t>=life.y?1.:0.;float dead=step(life.w,t);if(t>now&&t>=im.z){f+=1.;if(f>2.5)dead=1.;}float here=step(life.x,t);float imp=min(4.,im.x*exp(decay*(im.y-t)));
gl_Position=vec4((p-v.xy)*v.z/half_,0,1);float s=clamp(v.z*swell*(.42+.3*sqrt(imp)),least,28.);gl_PointSize=here*s*(dead>.5?ghost:1.)*dpr;
vec3 c=mix(col,forms[int(min(f,2.))],byForm);float a=mix(mix(1.,.55,min(f,2.)/2.)*mix(.55,1.,min(1.,imp)),1.,byForm);if(dead>.5){c=forms[3];a=ghost;}float d=dead>.5||flag>.5?0.:dim;left=d>.5||s<5.||byForm+dead<.5?1.:dead>.5?0.:f>1.5?.28:f>.5?.6:1.;q=vec4(mix(c,pale,d),mix(a,1.,d)*here);if(q.a<.004)gl_Position=vec4(9);}`,
        "in vec4 q;in float left;out vec4 o;void main(){float r=length(gl_PointCoord-.5)*2.;if(r>1.||r<.5&&gl_PointCoord.y<1.-left)discard;o=vec4(q.rgb,q.a*(1.-smoothstep(.78,1.,r)));}",
    );
    for (const n of "v half_ t now decay dpr ghost dim byForm least swell forms pale".split(" "))
        UP[n] = G.getUniformLocation(PP, n);
    [NB, FB] = [0, 0].map(() => G.createBuffer());
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
    flags();
}
