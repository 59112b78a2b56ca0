import { mkdtempSync, rmSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { commitBatch, fileNow } from "../src/adapters/storage/sqlite/commit-batch.ts";
import { openDatabase } from "../src/adapters/storage/sqlite/open-database.ts";
import { openSqliteStore } from "../src/adapters/storage/sqlite/open-sqlite-store.ts";
import { encodeWrite } from "../src/adapters/storage/sqlite/row-write.ts";
import { Statements } from "../src/adapters/storage/row/sql.ts";
import type { StoreWrite } from "../src/core/port/store.ts";
import { replicaId, blockId, put } from "../src/testing/store/records.ts";
import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf } from "./harness/interleave.ts";
import { databaseSizes } from "./subjects/database-size.ts";
import { startToServing } from "./subjects/store-start.ts";

const blockCount = 100;
const update = new Uint8Array(200).fill(3);

/** Typing into one of many blocks: 200 bytes of update, as the document hub stores it. */
function edit(block: number, version: number): StoreWrite {
  const spans = [{ replica: replicaId(1), seq: version, length: 1 }];
  const body = { type: "text", update, spans, unit: { id: "u" } } as const;
  return version === 1 ? put(String(block), 1) : put(String(block), version, { change: { body } });
}

const blocks = Array.from({ length: blockCount }, (_, index) => index);

const bench: Bench = {
  name: "store",
  question: "What does a durable commit cost, and what does the storage thread save the others?",
  async run({ rounds, log, isAsked }) {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
    try {
      log("database size");
      const sizes = isAsked("size") ? await databaseSizes(folder) : [];
      if (!isAsked("speed")) return sizes;
      log("group commit");
      const grouped = await groupCommit(folder, rounds);
      log("CPU of a commit");
      const cpu = cpuOfCommit(folder, rounds);
      log("event-loop delay");
      const delay = await eventLoopDelay(folder, rounds);
      log("opening");
      const opening = await openAndRead(join(folder, "open.db"), rounds);
      log("starting");
      const starting = await startToServing(folder, rounds);
      return [...grouped, ...cpu, ...delay, ...opening, ...starting, ...sizes];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

export default bench;

/**
 * Durable commits per second, one after the other and many at once. Wall time, because waiting for the disk is
 * measured.
 */
async function groupCommit(folder: string, rounds: number): Promise<readonly BenchRow[]> {
  const store = await openSqliteStore({ file: join(folder, "group.db") });
  let version = 0;
  const perSecond = async (atOnce: number, batches: number): Promise<number> => {
    const each = blocks.slice(0, Math.min(atOnce, blockCount));
    const began = performance.now();
    for (let batch = 0; batch < batches; batch += 1) {
      const commits: Promise<unknown>[] = [];
      for (let made = 0; made < atOnce; made += each.length) {
        version += 1;
        for (const block of each) commits.push(store.commit([edit(block, version)]));
      }
      await Promise.all(commits);
    }
    return (atOnce * batches * 1_000) / (performance.now() - began);
  };
  const oneByOne = async (): Promise<number> => {
    version += 1;
    const began = performance.now();
    for (const block of blocks) await store.commit([edit(block, version)]);
    return (blockCount * 1_000) / (performance.now() - began);
  };
  const bare = new BareInserts(join(folder, "group-bare.db"));
  await perSecond(blockCount, 1);
  bare.perSecond(blockCount, 1);
  const single: number[] = [];
  const many = new Map<number, number[]>();
  const bareSingle: number[] = [];
  const bareMany = new Map<number, number[]>();
  const note = (figures: Map<number, number[]>, atOnce: number, figure: number): void => {
    figures.set(atOnce, [...(figures.get(atOnce) ?? []), figure]);
  };
  for (let round = 0; round < rounds; round += 1) {
    single.push(await oneByOne());
    bareSingle.push(bare.perSecond(1, blockCount));
    for (const [atOnce, batches] of grouped) {
      note(many, atOnce, await perSecond(atOnce, batches));
      note(bareMany, atOnce, bare.perSecond(atOnce, batches));
    }
  }
  await store.close();
  bare.close();
  const rowsOf = (
    subject: string,
    alone: readonly number[],
    together: ReadonlyMap<number, readonly number[]>,
    judged: (ratio: number) => Pick<BenchRow, "goal" | "holds">,
  ): readonly BenchRow[] => [
    { work: "one after the other, each on disk", subject, value: median(alone), unit: "1/s", ratio: null, ...noGoal },
    ...[...together].map(([atOnce, values]): BenchRow => {
      const ratio = median(values.map((value, round) => value / (alone[round] ?? Number.NaN)));
      const work = `${atOnce} at once, each on disk`;
      return { work, subject, value: median(values), unit: "1/s", ratio, ...judged(ratio) };
    }),
  ];
  return [
    ...rowsOf("bare inserts", bareSingle, bareMany, () => noGoal),
    ...rowsOf("commits", single, many, (ratio) => ({ goal: ">= 50", holds: ratio >= 50 })),
  ];
}

/** The number at once, and how often. */
const grouped = [
  [100, 20],
  [1_000, 4],
] as const;

/** The simplest table that could hold changes, in the calling thread. */
class BareInserts {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  #seq = 0;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE ops (id INTEGER PRIMARY KEY, doc TEXT, seq INTEGER, payload BLOB, UNIQUE (doc, seq)) STRICT`);
    this.#insert = this.#database.prepare("INSERT INTO ops (doc, seq, payload) VALUES (?1, ?2, ?3)");
  }

  perSecond(atOnce: number, transactions: number): number {
    const began = performance.now();
    for (let made = 0; made < transactions; made += 1) this.transaction(atOnce);
    return (atOnce * transactions * 1_000) / (performance.now() - began);
  }

  transaction(rows: number): void {
    this.#database.exec("BEGIN IMMEDIATE");
    for (let row = 0; row < rows; row += 1) {
      if (row % blockCount === 0) this.#seq += 1;
      this.#insert.run(String(row % blockCount), this.#seq, update);
    }
    this.#database.exec("COMMIT");
  }

  close(): void {
    this.#database.close();
  }
}

/**
 * CPU time of a hundred commits in one transaction, compared with the simplest insert and with the same two statements
 * by hand.
 */
function cpuOfCommit(folder: string, rounds: number): readonly BenchRow[] {
  const batches = 50;
  const store = openDatabase(join(folder, "cpu.db"));
  const statements = new Statements(store);
  let version = 0;
  const makeBatch = () => {
    version += 1;
    return blocks.map((id) => ({ type: "commit", id, writes: [encodeWrite(edit(id, version))] }) as const);
  };
  const prepared = Array.from({ length: batches * (rounds + 1) + 1 }, makeBatch);
  let next = 0;

  const bare = new BareInserts(join(folder, "bare.db"));
  const timings = interleave(rounds, [
    {
      name: "bare insert into a plain table",
      run: () => {
        for (let batch = 0; batch < batches; batch += 1) bare.transaction(blockCount);
      },
    },
    {
      name: "commit of header and change",
      run: () => {
        for (let batch = 0; batch < batches; batch += 1) {
          commitBatch(store, statements, prepared[next] ?? []);
          next += 1;
          // The storage thread does this at a thousand changes.
          if (next % (1_000 / blockCount) === 0) fileNow(store, statements);
        }
      },
    },
  ]);
  bare.close();
  store.close();
  const [base, heddle] = timings;
  if (base === undefined || heddle === undefined) return [];
  const perRow = (cpuMs: number) => (cpuMs * 1_000) / (batches * blockCount);
  const work = "CPU of one of 100 in a transaction";
  const ratio = ratioOf(heddle, base);
  return [
    { work, subject: base.name, value: perRow(base.cpuMs), unit: "us", ratio: null, ...noGoal },
    { work, subject: heddle.name, value: perRow(heddle.cpuMs), unit: "us", ratio, ...atMost(1.5, ratio) },
  ];
}

/** The main thread's longest delays at 400 commits a second, with the storage in it and in a thread. */
async function eventLoopDelay(folder: string, rounds: number): Promise<readonly BenchRow[]> {
  const within: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const database = openDatabase(join(folder, `within-${round}.db`));
    const statements = new Statements(database);
    within.push(
      await delayUnder((block, version) => {
        commitBatch(database, statements, [{ type: "commit", id: 0, writes: [encodeWrite(edit(block, version))] }]);
      }),
    );
    database.close();
    const store = await openSqliteStore({ file: join(folder, `beside-${round}.db`) });
    beside.push(await delayUnder((block, version) => void store.commit([edit(block, version)])));
    await store.close();
  }
  const work = "p99 event-loop delay at 400 commits/s";
  const ratio = median(beside.map((value, round) => value / (within[round] ?? Number.NaN)));
  return [
    { work, subject: "storage on the main thread", value: median(within), unit: "ms", ratio: null, ...noGoal },
    { work, subject: "storage thread", value: median(beside), unit: "ms", ratio, ...atMost(0.6, ratio) },
  ];
}

async function delayUnder(commit: (block: number, version: number) => void): Promise<number> {
  const perTick = 4;
  const tickMs = 10;
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  let made = 0;
  for (const end = performance.now() + 2_000; performance.now() < end; await wait(tickMs)) {
    for (let each = 0; each < perTick; each += 1, made += 1) {
      commit(made % blockCount, Math.floor(made / blockCount) + 1);
    }
  }
  histogram.disable();
  // The histogram also counts the timer's own millisecond.
  return histogram.percentile(99) / 1e6 - 1;
}

/** From the closed file to the last hundred changes of one block among 100,000. */
async function openAndRead(file: string, rounds: number): Promise<readonly BenchRow[]> {
  const versions = 1_000;
  const database = openDatabase(file);
  const statements = new Statements(database);
  for (let version = 1; version <= versions; version += 1) {
    commitBatch(
      database,
      statements,
      blocks.map((id) => ({ type: "commit", id, writes: [encodeWrite(edit(id, version))] })),
    );
  }
  fileNow(database, statements);
  database.close();
  const bare: number[] = [];
  const heddle: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let began = performance.now();
    const plain = new DatabaseSync(file);
    plain
      .prepare(
        "SELECT c.* FROM blocks AS b JOIN changes AS c ON c.block_place = b.place WHERE b.id = ?1 AND c.version > ?2",
      )
      .all(blockId("7"), versions - 100);
    bare.push(performance.now() - began);
    plain.close();
    began = performance.now();
    const store = await openSqliteStore({ file });
    await store.changes({ blockId: blockId("7"), afterVersion: versions - 100 });
    heddle.push(performance.now() - began);
    await store.close();
  }
  const work = "open 100,000 changes, read a tail of 100";
  const ratio = median(heddle.map((value, round) => value / (bare[round] ?? Number.NaN)));
  return [
    { work, subject: "node:sqlite", value: median(bare), unit: "ms", ratio: null, ...noGoal },
    { work, subject: "the store, its thread started", value: median(heddle), unit: "ms", ratio, ...atMost(2, ratio) },
  ];
}
