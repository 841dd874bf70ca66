// What a link that nobody made by hand says; other relations are told as they were called.
const TIED = {
        en: {
            focus: "told close to each other",
            segment: "in the same text",
            supersedes: "replaces",
            corrects: "corrects",
        },
        zh: { focus: "先后说起", segment: "同一文本", supersedes: "替换", corrects: "更正" },
    },
    tied = (r) => TIED[lang][r] || r,
    isWeak = (r) => r === "focus" || r === "segment";
// The parts of a score, as reasons: why a memory was found.
const REASON = {
        en: {
            words: "it shares words with the question",
            vector: "it means something near the question",
            session: "its conversation fits the question",
            contrast: "it fits better than what resembles it",
            recency: "it is recent",
            negation: "it says not, as the question does",
            time: "it is of the time asked for",
            activation: "it is linked with what was found",
            question: "it answers such a question",
            speaker: "the question names who said it",
            assistant: "an assistant said it",
            lacks: "it may not tell what is asked for",
            reply: "it only replies",
            asks: "it only asks",
            use: "it helped before",
            focus: "it was just spoken of",
            distance: "it was just spoken of",
            currency: "it holds now",
            semantic: "its theme fits the question",
            episode: "its part of the conversation fits",
            message: "it was said in a part that fits",
        },
        zh: {
            words: "用词与问题相同",
            vector: "意思与问题相近",
            session: "所在对话与问题相符",
            contrast: "比相似的记忆更贴近问题",
            recency: "时间较近",
            negation: "与问题同为否定",
            time: "正是所问的时间",
            activation: "与找到的记忆有联系",
            question: "回答了类似的提问",
            speaker: "问题提到了说话人",
            assistant: "由助手说出",
            lacks: "可能没有所问的内容",
            reply: "只是回应",
            asks: "只是提问",
            use: "以前有帮助",
            focus: "刚刚谈到",
            distance: "刚刚谈到",
            currency: "目前有效",
            semantic: "主题与问题相符",
            episode: "所在段落与问题相符",
            message: "在相符的段落中说出",
        },
    },
    reasoned = (part) => REASON[lang][part] || t("otherReason");
const SLOT = {
    residence: "居住地",
    employer: "工作单位",
    job: "职业",
    team: "团队",
    marital: "婚姻状况",
    age: "年龄",
    called: "名字",
    diet: "饮食",
    place: "地点",
    choice: "选择",
    role: "角色",
    version: "版本",
    amount: "数量",
    owner: "负责人",
    favourite: "最爱",
    taste: "喜好",
    dose: "剂量",
    uses: "使用",
    frame: "说法",
    date: "日期",
    clock: "时间",
    weekday: "星期",
    floor: "楼层",
    birthday: "生日",
};
const OF = {
    money: "金额",
    minute: "分钟",
    second: "秒",
    hour: "小时",
    day: "天",
    week: "周",
    month: "月",
    year: "年",
    degree: "度",
    percent: "百分比",
    mass: "重量",
    length: "长度",
    bytes: "容量",
    people: "人数",
    piece: "件数",
    time: "次数",
    number: "号码",
    database: "数据库",
    channel: "联系方式",
    colour: "颜色",
    drink: "饮料",
    coffee: "咖啡",
    transport: "交通",
    diet: "饮食",
    language: "语言",
    office: "办公",
    browser: "浏览器",
    editor: "编辑器",
    seat: "座位",
    theme: "外观",
    phone: "手机",
    season: "季节",
    "time of day": "时段",
};
const KIND = {
        personal: "个人",
        project: "项目",
        universal: "通用",
        ephemeral: "一时",
        permanent: "永久",
        "long-term": "长期",
        "short-term": "短期",
        session: "仅本次会话",
    },
    kindOf = (k) => (lang === "zh" && KIND[k]) || k;
const colon = () => (lang === "zh" ? "：" : ": "),
    between = () => (lang === "zh" ? "" : " "); // sentences, or words
const slotOf = (s) => {
    const [k, ...more] = (s || "").split(":"),
        of = more.join(" ").trim();
    return lang === "zh"
        ? strung(" · ", SLOT[k] || k, of.replace(/[^/]+/g, (x) => OF[x] || x).replace(/\//g, " / "))
        : strung(" · ", k, of);
};
const DAY = {
    monday: "周一",
    tuesday: "周二",
    wednesday: "周三",
    thursday: "周四",
    friday: "周五",
    saturday: "周六",
    sunday: "周日",
};
// Values are compared in lower case; what is shown is what was said. What is not wanted is told as
// "no coffee", in Chinese by the verb of what it is of.
const NOT = { drink: "不喝", coffee: "不喝", diet: "不吃", transport: "不坐", phone: "不用" },
    notOf = (v, slot) =>
        lang === "zh" ? (NOT[(slot || "").split(/[:/]/)[1]] || "不要") + v : `no ${v}`,
    asWritten = (v, s, slot) => {
        if (v.startsWith("not ")) return notOf(asWritten(v.slice(4), s), slot);
        const i = s.toLowerCase().indexOf(v);
        return v && i >= 0 ? s.slice(i, i + v.length) : (lang === "zh" && DAY[v]) || v;
    };
// Sentences of the server: in both languages another memory is quoted, not told by its number.
const SECRET = {
        password: "密码",
        code: "验证码",
        token: "令牌",
        key: "密钥",
        card: "卡号",
        email: "邮箱",
        phone: "电话",
        address: "地址",
    },
    secrets = (s) => s.split(", ").map((k) => SECRET[k] || "个人信息").join("、"),
    SAID = [
        [/^its end was (.+); it is hidden$/, "已于 $1 到期，不再显示"],
        [
            /^replaced(?: by “(.+)”)?; it held until (.+)$/,
            (m, by, d) => `${by ? `已被“${by}”替换` : "已被替换"}，有效至 ${d}`,
        ],
        [/^“(.+)” says something else(?: of .+)? since then$/, "后来说法不同：“$1”"],
        [
            /^“(.+)” says something else(?: of .+)?(?:: say which of them holds)?$/,
            "说法不同，请决定哪一条成立：“$1”",
        ],
        [/^“(.+)” says the same in other words$/, "换一种说法，内容相同：“$1”"],
        [/^“(.+)” says the same$/, "内容相同：“$1”"],
        [/^it says nothing: (.+)$/, "没有实质内容"],
        [/^not sure: confirm it if it is so$/, "不确定：若属实请确认"],
        [/^it holds a (.+)$/, (m, k) => `含有机密（${secrets(k)}）`],
        [/^it may hold a (.+)$/, (m, k) => `可能含有机密（${secrets(k)}）`],
        [/^an earlier form holds a (.+)$/, (m, k) => `早期版本含有机密（${secrets(k)}）`],
        [/^an earlier form may hold a (.+)$/, (m, k) => `早期版本可能含有机密（${secrets(k)}）`],
        [/^the last day that it names, (.+), is over$/, "所提到的最后日期 $1 已过"],
        [
            /^not used for (\d+) days, meant for (\d+)$/,
            "本是短期内容（约 $2 天），已 $1 天未使用",
        ],
        [/, and what recall says of that time/, "、以及回忆时对那段时间的说明"],
        [/its sentence|(\d+) sentences/, (m, n) => (n ? `它的 ${n} 个句子` : "它本身")],
        [/links with (\S+) others?/, "与 $1 条记忆的联系"],
        [/(\d+) facts?/, "$1 条事实"],
        [/its gist/, "梗概"],
        [/its forms in the archive/, "归档中的版本"],
        [/the whole record/, "整条记录"],
        [/, /g, "、"],
    ],
    inWords = (sentence_) => {
        const s = sentence_
            .replace(/\bnode (\d+)/g, (m, id) => `“${label(+id)}”`)
            .replace(/ of (\w+:\S+?)(?=[ :]|$)/, "")
            .replace(/^(?:short-term|session): /, "")
            .replace(/^confidence \S+:/, "not sure:")
            .replace(/^version \d+ in the archive/, "an earlier form")
            .replace(/\b1 sentence\b/, "its sentence")
            .replace(/\b([\d,]+) links?\b/, (m, n) => `links with ${n} other${n === "1" ? "" : "s"}`);
        return lang === "zh" ? SAID.reduce((s, [a, b]) => s.replace(a, b), s) : s;
    };
