import json,collections,re,statistics as st
for l,n in (('en',360),('zh',360),('de',300)):
    R=[json.loads(x) for x in open(f'/work/texts/BC/particular.{l}.jsonl',encoding='utf-8')]
    assert all(set(r)=={'text','class'} for r in R)
    c=collections.Counter(r['class'] for r in R)
    norm=[re.sub(r'\W','',r['text'].lower()) for r in R]
    print(l,len(R),n,dict(c),'doubles',len(norm)-len(set(norm)))
    for k in c:
        L=sorted((len(r['text']) if l=='zh' else len(r['text'].split())) for r in R if r['class']==k)
        print('  ',k,L[0],st.mean(L),L[-1])
