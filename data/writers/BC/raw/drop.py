import sys,json
lang=sys.argv[1]; pre=[l.strip() for l in open(sys.argv[2],encoding='utf-8') if l.strip()]
p=f'/work/texts/BC/particular.{lang}.jsonl'
R=[json.loads(x) for x in open(p,encoding='utf-8')]
hit={}
keep=[]
for r in R:
    m=[q for q in pre if r['text'].startswith(q)]
    if m:
        for q in m: hit[q]=hit.get(q,0)+1
    else: keep.append(r)
bad=[q for q in pre if hit.get(q,0)!=1]
print('bad',bad,'dropped',len(R)-len(keep))
if not bad:
    open(p,'w',encoding='utf-8').write(''.join(json.dumps(r,ensure_ascii=False)+'\n' for r in keep))
