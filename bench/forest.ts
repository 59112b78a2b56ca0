import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { longestStored } from "../src/adapters/storage/shared/longest-prefix.ts";
import { openMemoryStore } from "../src/adapters/storage/memory/open-memory-store.ts";
import { commitBatch } from "../src/adapters/storage/sqlite/commit-batch.ts";
import { openDatabase } from "../src/adapters/storage/sqlite/open-database.ts";
import { openSqliteStore } from "../src/adapters/storage/sqlite/open-sqlite-store.ts";
import { encodeWrite } from "../src/adapters/storage/sqlite/row-write.ts";
import { Statements } from "../src/adapters/storage/row/sql.ts";
import { must } from "../src/core/base/assert.ts";
import { prefixHash } from "../src/core/forest/prefix-hash.ts";
import { planSplit } from "../src/core/forest/split.ts";
import type { ForestNode } from "../src/core/forest/types.ts";
import type { Message } from "../src/core/message/types.ts";
import type { Store, StoreWrite } from "../src/core/port/store.ts";
import { node, nodeId, root, rootId } from "../src/testing/store/records.ts";
import { seededRandom } from "../src/testing/seeded-random.ts";
import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { interleave, median } from "./harness/interleave.ts";

/** Conversations of 10,000 messages: 90 are branches of one root, 10 of another, whose map is drawn. */
const chainLength = 10_000;
const chainsByRoot = { big: 90, map: 10 } as const;
const mapNodes = chainLength * chainsByRoot.map;
/** One more conversation, whose first message is split. */
const longLength = 100_000;
const lookupsMax = Math.ceil(Math.log2(chainLength + 1));

type RootName = keyof typeof chainsByRoot;

const bench: Bench = {
  name: "forest",
  question: "What do looking up, appending, outlining and splitting cost in a forest of a million messages?",
  async run({ rounds, log }) {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
    try {
      const rows: BenchRow[] = [...hashing(rounds), lookups()];
      log("filling SQLite");
      const file = join(folder, "forest.db");
      fillSqlite(file);
      const sqlite = await openSqliteStore({ file });
      log("asking SQLite");
      rows.push(...(await measure("SQLite", sqlite, rounds)));
      await sqlite.close();
      log("filling memory");
      const memory = openMemoryStore();
      await fillMemory(memory);
      log("asking memory");
      rows.push(...(await measure("memory", memory, rounds)));
      return rows;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

export default bench;

function messageAt(chain: string, depth: number): Message {
  const content = [{ type: "text", text: `${chain}: message ${depth}, which says something of its own.` }] as const;
  return depth % 2 === 0 ? { role: "user", content } : { role: "assistant", content };
}

function* chainNodes(of: RootName | "long", chain: number, length = chainLength): Generator<ForestNode> {
  const name = `${of}-${chain}`;
  let above: ForestNode | null = null;
  for (let depth = 0; depth < length; depth += 1) {
    const message = messageAt(name, depth);
    above = node(`${name}-${depth}`, {
      rootId: rootId(of),
      parentId: above?.id ?? null,
      message,
      prefixHash: prefixHash(above?.prefixHash ?? null, message),
    });
    yield above;
  }
}

function* allWrites(): Generator<readonly StoreWrite[]> {
  for (const name of ["big", "map"] as const) {
    yield [{ type: "put-root", root: root(name) }];
    for (let chain = 0; chain < chainsByRoot[name]; chain += 1) {
      yield Array.from(chainNodes(name, chain), (each) => ({ type: "put-node", node: each }) as const);
    }
  }
  yield* longWrites();
}

function* longWrites(): Generator<readonly StoreWrite[]> {
  yield [{ type: "put-root", root: root("long") }];
  yield Array.from(chainNodes("long", 0, longLength), (each) => ({ type: "put-node", node: each }) as const);
}

function fillSqlite(file: string): void {
  const database = openDatabase(file);
  const statements = new Statements(database);
  for (const writes of allWrites()) {
    const [answer] = commitBatch(database, statements, [{ type: "commit", id: 1, writes: writes.map(encodeWrite) }]);
    if (answer?.type !== "committed") throw new Error("the forest could not be filled");
  }
  database.close();
}

async function fillMemory(store: Store): Promise<void> {
  for (const writes of allWrites()) await committed(store, ...writes);
}

async function committed(store: Store, ...writes: readonly StoreWrite[]): Promise<void> {
  const result = await store.commit(writes);
  if (!result.ok) throw new Error(`refused: ${result.error.code}`);
}

function hashesOf(messages: readonly Message[]): readonly string[] {
  let above: string | null = null;
  return messages.map((message) => (above = prefixHash(above, message)));
}

/** The caller's work before the query: hashing each prefix of the request, once. */
function hashing(rounds: number): readonly BenchRow[] {
  const text = "The kettle is on the table, and the tea is hot. ".repeat(20);
  const messages = Array.from({ length: chainLength }, (_, at): Message => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `${at} ${text}` }],
  }));
  const [timing] = interleave(rounds, [{ name: "prefixHash", run: () => hashesOf(messages) }]);
  const value = timing?.cpuMs ?? Number.NaN;
  return [
    { work: "hash 10,000 messages of 1 kB", subject: "prefixHash", value, unit: "ms CPU", ratio: null, ...noGoal },
  ];
}

/** The slowest of all lengths that occur. */
function lookups(): BenchRow {
  const hashes = Array.from({ length: chainLength }, (_, index) => String(index));
  let worst = 0;
  for (let stored = 0; stored <= chainLength; stored += 1) {
    let made = 0;
    longestStored(hashes, (hash) => {
      made += 1;
      return Number(hash) < stored ? hash : undefined;
    });
    worst = Math.max(worst, made);
  }
  const goal = atMost(lookupsMax, worst);
  return {
    work: "longest prefix of 10,000",
    subject: "look-ups at most",
    value: worst,
    unit: "",
    ratio: null,
    ...goal,
  };
}

async function measure(subject: string, store: Store, rounds: number): Promise<readonly BenchRow[]> {
  const random = seededRandom(1);
  const requests = Array.from({ length: 20 }, () => {
    const chain = `big-${random.below(chainsByRoot.big)}`;
    const stored = random.below(chainLength + 1);
    const messages = Array.from({ length: chainLength }, (_, at) => messageAt(at < stored ? chain : "new", at));
    return { stored, hashes: hashesOf(messages) };
  });
  const wall = async (
    work: string,
    goal: number | null,
    each: (round: number) => Promise<unknown>,
    asked = rounds * requests.length,
  ): Promise<BenchRow> => {
    const times: number[] = [];
    for (let round = -1; round < asked; round += 1) {
      const began = performance.now();
      await each(round + 1);
      if (round >= 0) times.push(performance.now() - began);
    }
    const value = median(times);
    return { work, subject, value, unit: "ms", ratio: null, ...(goal === null ? noGoal : atMost(goal, value)) };
  };
  let appended = 0;
  const append = () => {
    appended += 1;
    const name = `new-${appended}`;
    return committed(store, {
      type: "put-node",
      node: node(name, { rootId: rootId("big"), parentId: nodeId("big-0-9999"), prefixHash: name }),
    });
  };
  const rows: BenchRow[] = [
    await wall("longest prefix of 10,000 among 1,000,000", 5, async (round) => {
      const request = must(requests[round % requests.length], "there are requests");
      const found = await store.longestPrefix(rootId("big"), request.hashes);
      if ((found?.length ?? 0) !== request.stored) throw new Error("another prefix was found");
    }),
    await wall("append a message, committed", null, append),
    await wall("append 100 messages at once, committed", null, () => Promise.all(Array.from({ length: 100 }, append))),
    await wall("read a path of 10,000", null, async () => {
      if ((await store.path(nodeId("big-3-9999"))).length !== chainLength) throw new Error("the path is whole");
    }),
    await wall("outline of 100,000", null, async () => {
      if ((await store.outline(rootId("map"))).length !== mapNodes) throw new Error("the outline is whole");
    }),
  ];
  rows.push(await wall("split at the top of 100,000, committed", 2_000, (round) => splitAtTop(store, round), rounds));
  // The memory store reads everything for every search.
  if (subject === "memory") return rows;
  const search = async (words: string): Promise<void> => {
    const query = { words, in: "messages", rootId: rootId("map"), limit: 20 } as const;
    if ((await store.searchWords(query)).length === 0) throw new Error("something is found");
  };
  rows.push(await wall("search 1,000,000 for two words, one of them in all", null, () => search("4711 message")));
  const over = new AbortController();
  const searching = (async () => {
    while (!over.signal.aborted) await search("message");
  })();
  rows.push(await wall("append a message, committed, while another searches", null, append));
  over.abort();
  await searching;
  return rows;
}

/**
 * Cuts one more character off the first of a hundred thousand messages: everything below it becomes another
 * conversation.
 */
async function splitAtTop(store: Store, round: number): Promise<void> {
  const found = must(await store.node(nodeId("long-0-0")), "the first message exists");
  const [parent, siblings, children] = await Promise.all([
    found.parentId === null ? null : store.node(found.parentId),
    store.children(found.rootId, found.parentId),
    store.children(found.rootId, found.id),
  ]);
  const plan = planSplit(
    { node: found, parent, siblings, children },
    { at: 1, newId: nodeId(`half-${round}`), now: 1 },
  );
  if (!plan.ok) throw new Error(`refused: ${plan.error.code}`);
  const { added, changed, rehashedBelow } = plan.value;
  await committed(
    store,
    ...[...added, ...changed].map((each) => ({ type: "put-node", node: each }) as const),
    ...rehashedBelow.map((id) => ({ type: "rehash-below", nodeId: id }) as const),
  );
}
