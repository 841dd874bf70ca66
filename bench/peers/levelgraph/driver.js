'use strict'
// LevelGraph under measurement. A command is a line of JSON on stdin, {operation, arguments, seconds};
// the answer a line on stdout, {times, answers}: seconds and result for each argument.
const { Level } = require('level')
const levelgraph = require('levelgraph')
const readline = require('readline')

const [folder, layout, DAMPING, DECAY] = process.argv.slice(2)
const LINK = 'memory:link'
const STRENGTH = 'memory:strength'
const AT_ONCE = 500 // triples that a pass rewrites together
let level, db

const call = (name, ...given) => new Promise((resolve, reject) =>
  db[name](...given, (error, found) => error ? reject(error) : resolve(found)))
const node = id => 'node:' + id
const idOf = name => name.slice(5)
const between = (a, b) => `link:${a}:${b}`
const triple = (subject, predicate, object) => ({ subject, predicate, object })

function linkTriples ([a, b, strength]) {
  const link = triple(node(a), LINK, node(b))
  if (layout === 'properties') return [{ ...link, strength }]
  return [link, triple(between(a, b), STRENGTH, String(strength))]
}

async function links (a) { // → [target, strength]s
  const found = await call('get', { subject: node(a), predicate: LINK })
  if (layout === 'properties') return found.map(t => [idOf(t.object), t.strength])
  const pairs = []
  for (const t of found) { // one after the other: thousands of streams at once are slower
    const [kept] = await call('get', { subject: between(a, idOf(t.object)), predicate: STRENGTH })
    pairs.push([idOf(t.object), Number(kept.object)])
  }
  return pairs
}

async function decayTriples (triples) {
  if (layout === 'properties') { // the same keys: they are overwritten
    return call('put', triples.map(t => ({ ...t, strength: t.strength * DECAY })))
  }
  await call('del', triples)
  await call('put', triples.map(t => ({ ...t, object: String(t.object * DECAY) })))
}

const operations = {
  write: ({ id, content, phrase, keywords, created, links }) => call('put', [
    triple(node(id), 'rdf:type', 'memory:Node'),
    triple(node(id), 'memory:content', content),
    triple(node(id), 'memory:phrase', phrase),
    triple(node(id), 'memory:keywords', JSON.stringify(keywords)),
    triple(node(id), 'memory:createdAt', String(created)),
    triple(node(id), 'memory:scanCount', '0'),
    ...links.flatMap(linkTriples)
  ]),
  async read (id) {
    const found = {}
    for (const t of await call('get', { subject: node(id) })) found[t.predicate] = t.object
    return [found['memory:content'], found['memory:phrase'], JSON.parse(found['memory:keywords'])]
  },
  neighbours: async id => Object.fromEntries(await links(id)),
  async two_hop ({ focus, strongest }) {
    let scores = new Map(focus.map(id => [id, 1]))
    const total = new Map()
    for (let hop = 0; hop < 2; hop++) {
      const reached = new Map()
      await Promise.all([...scores].map(async ([id, score]) => {
        let found = await links(id)
        if (strongest !== null) found = found.sort((x, y) => y[1] - x[1]).slice(0, strongest)
        for (const [b, s] of found) reached.set(b, (reached.get(b) || 0) + score * DAMPING * s)
      }))
      for (const [id, score] of reached) total.set(id, (total.get(id) || 0) + score)
      scores = reached
    }
    return Object.fromEntries(total)
  },
  async unscored ({ focus }) { // LevelGraph's own join
    const reached = new Set()
    await Promise.all(focus.map(async id => {
      for (const { m, n } of await call('search', [
        triple(node(id), LINK, db.v('m')), triple(db.v('m'), LINK, db.v('n'))
      ])) reached.add(idOf(m)).add(idOf(n))
    }))
    return [...reached]
  },
  async decay () {
    const found = await call('get', { predicate: layout === 'properties' ? LINK : STRENGTH })
    for (let at = 0; at < found.length; at += AT_ONCE) {
      await decayTriples(found.slice(at, at + AT_ONCE))
    }
  },
  async delete (id) {
    const found = await call('get', { subject: node(id) })
    const strengths = layout === 'properties' ? [] : await Promise.all(found
      .filter(t => t.predicate === LINK)
      .map(t => call('get', { subject: between(id, idOf(t.object)), predicate: STRENGTH })))
    await call('del', found.concat(...strengths))
  },
  link: links => call('put', links.flatMap(linkTriples)),
  bare: triples => call('put', triples.map(([s, p, o]) => triple(node(s), 'bench:' + p, node(o))))
}

async function open () {
  // Snappy is on by default; cache and buffer are graphmem's. Its default join is wrong at times.
  level = new Level(folder, { cacheSize: 64 << 20, writeBufferSize: 16 << 20 })
  await level.open()
  db = levelgraph(level, { joinAlgorithm: 'basic' })
  return {
    levelgraph: require('levelgraph/package.json').version,
    level: require('level/package.json').version,
    node: process.versions.node
  }
}

async function settle () {
  await level.compactRange('\x00', '\uffff')
  await level.close()
  return {}
}

async function answer ({ operation, arguments: given, seconds }) {
  if (operation === 'open') return open()
  if (operation === 'settle') return settle()
  const times = []
  const answers = []
  const end = performance.now() + 1000 * seconds
  for (const argument of given) {
    const begun = performance.now()
    const found = await operations[operation](argument)
    const now = performance.now()
    times.push((now - begun) / 1000)
    answers.push(found === undefined ? null : found)
    if (now > end) break
  }
  return { times, answers }
}

async function main () {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + '\n')
  }
  if (level.status === 'open') await level.close()
}

main()
