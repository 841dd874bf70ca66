import sys,json
# usage: add.py LANG < raw lines "p|text" / "o|text"; appends to particular.LANG.jsonl
lang=sys.argv[1]; n={'p':0,'o':0}
with open(f'/work/texts/BC/particular.{lang}.jsonl','a',encoding='utf-8') as f:
    for l in sys.stdin:
        l=l.strip()
        if not l: continue
        k,t=l.split('|',1); n[k]+=1
        f.write(json.dumps({"text":t.strip(),"class":{'p':'particular','o':'other'}[k]},ensure_ascii=False)+'\n')
print(lang,n)
