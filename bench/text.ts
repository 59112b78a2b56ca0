import { deflateRawSync } from "node:zlib";
import { assert, must } from "../src/core/base/assert.ts";
import { Rope } from "../src/core/text/rope.ts";
import type { ReplicaId, TextDocument } from "../src/core/text/types.ts";
import {
  type ConcurrentTrace,
  hasTrace,
  readConcurrent,
  readSequential,
  type SequentialTrace,
} from "../test/text/traces.ts";
import { atMost, noGoal, type Bench, type BenchContext, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf, type Subject, type Timing } from "./harness/interleave.ts";
import { replay, ropeReplay } from "./subjects/text.ts";
import { blocksOpened, memoryOf } from "./subjects/text-blocks.ts";
import { flattened, heddleUpdates, hubImport, ropeImport, updatesOf } from "./subjects/text-concurrent.ts";
import { loadEngines, type Engines } from "./subjects/text-engines.ts";
import { HeddleReplica, openStored } from "./subjects/text-heddle.ts";
import { offlineMerge } from "./subjects/text-offline.ts";
import type { Engine, ReplayTxn } from "./subjects/text-replica.ts";
import { neverPausing, type Pair, pairOf, relaxed, ropeStream, stream } from "./subjects/text-streaming.ts";
import { yjsUndo, type Yjs } from "./subjects/text-yjs.ts";

const bench: Bench = {
  name: "text",
  rounds: 2,
  question:
    "What do a keystroke, a streamed token, a merge, an opening and an undo cost, beside a bare rope and others?",
  async run(context: BenchContext): Promise<readonly BenchRow[]> {
    const engines = await loadEngines(context);
    const yjs = await context.peer<Yjs>("yjs");
    const sections = [keystrokes, streaming, concurrency, imports, offline, opening, undo, blocks];
    return sections
      .filter(({ name }) => context.isAsked(name))
      .flatMap((section) => {
        context.log(`text: ${section.name}`);
        return section(context, engines, yjs);
      });
  },
};

export default bench;

const traces: readonly SequentialTrace[] = ["automerge-paper", "sveltecomponent"];

/** Measured where the data folder has them, without the peers. */
const publicTraces: readonly SequentialTrace[] = ["rustcode", "seph-blog1", "json-crdt-blog-post", "json-crdt-patch"];

/** The goal of a hub for each trace, in ropes. */
const hubGoals: Readonly<Record<ConcurrentTrace, number>> = {
  friendsforever: 12,
  clownschool: 12,
  node_nodecc: 14,
  "git-makefile": 14,
};

/**
 * Long enough for the compiler to finish again: V8 discards code that did not run while the others had their turn. Also
 * long enough that one collection more or less does not matter.
 */
const steady = { warmUpMs: 1_000, sampleMs: 300 };

/**
 * A server has other texts open. Without one, the collection before each measurement would discard the compiled code
 * together with the last objects it was made for.
 */
const others: unknown[] = [];

function besideOthers(subject: Subject): Subject {
  subject.prepare?.();
  others.push(subject.run());
  return subject;
}

function replayed(dataFolder: string, name: SequentialTrace): { txns: readonly ReplayTxn[]; end: string } {
  const { start, end, txns } = readSequential(dataFolder, name);
  return { txns: start === "" ? txns : [[{ at: 0, removed: 0, insert: start }], ...txns], end };
}

/** A server's work for each keystroke: commit the edit and produce the bytes to store and send. */
function keystrokes({ rounds, dataFolder }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const found = publicTraces.filter((name) => hasTrace(dataFolder, name));
  return [...traces, ...found].flatMap((name) => {
    const { txns, end } = replayed(dataFolder, name);
    const subject = (engine: Engine): Subject => ({
      name: engine.name,
      run: () => {
        const replica = replay(engine, txns);
        assert(replica.text() === end, `${name} ends at its recorded text`);
        replica.free();
        return replica;
      },
    });
    const rope = { name: "rope", run: () => ropeReplay(txns) };
    assert(rope.run().toString() === end, `${name} ends at its recorded text`);
    const shown = traces.includes(name) ? peers : [];
    const subjects = [rope, subject(heddle), ...shown.map(subject)].map(besideOthers);
    return beside(`${name}, ${txns.length} commits`, 3, interleave(rounds, subjects, steady));
  });
}

/** Rows of one work: the first subject is the limit, and the goal is Heddle's. */
function beside(work: string, goal: number, timings: readonly Timing[]): readonly BenchRow[] {
  const base = must(timings[0], "there is something to compare with");
  return timings.map((timing): BenchRow => {
    const { name: subject, cpuMs: value } = timing;
    const ratio = timing === base ? null : ratioOf(timing, base);
    const judged = subject === "heddle" && ratio !== null ? atMost(goal, ratio) : noGoal;
    return { work, subject, value, unit: "ms CPU", ratio, ...judged };
  });
}

/** Tokens at the end on one replica, letters in the middle on another; each merges the other's updates. */
function streaming({ rounds }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const sizes = [
    { size: "10 KB", units: 10_000, tokens: 1_000, withPeers: true },
    { size: "1 MB", units: 1_000_000, tokens: 5_000, withPeers: true },
    { size: "10 MB", units: 10_000_000, tokens: 10_000, withPeers: false },
  ];
  const usPerToken: number[] = [];
  const rows = sizes.flatMap(({ size, units, tokens, withPeers }) => {
    const subject = (engine: Engine): Subject => {
      let pair: Pair | undefined;
      const free = (): void => {
        pair?.server.free();
        pair?.person.free();
      };
      const prepare = (): void => {
        free();
        pair = pairOf((replica) => engine.make(replica, "watched"), units);
      };
      const run = (): unknown => {
        stream(must(pair, "the replicas were made"), tokens, relaxed);
        return pair;
      };
      return { name: engine.name, prepare, run };
    };
    const subjects = [ropeStream(units, tokens), ...[heddle, ...(withPeers ? peers : [])].map(subject)];
    const timings = interleave(rounds, subjects, { warmUpMs: 300, sampleMs: 100 });
    const ours = must(timings[1], "Heddle was timed");
    usPerToken.push((ours.cpuMs * 1_000) / tokens);
    return beside(`streamed token, two replicas, ${size}`, 25, timings).map((row) => ({
      ...row,
      value: (row.value * 1_000) / tokens,
      unit: "us CPU",
    }));
  });
  const spread = Math.max(...usPerToken) / Math.min(...usPerToken);
  const work = "streamed token, dearest size / cheapest";
  return [...rows, { work, subject: "heddle", value: spread, unit: "x", ratio: null, ...atMost(1.5, spread) }];
}

/** Two replicas that are never up to date together: does a token cost more as time passes? */
function concurrency({ rounds }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  return [heddle, ...peers].flatMap((engine) => {
    // Work that grows with the square of the tokens gets fewer of them.
    const tokens = engine === heddle ? 10_000 : 2_000;
    const fifth = tokens / 5;
    const first: number[] = [];
    const growth: number[] = [];
    for (let round = -1; round < (engine === heddle ? rounds : 1); round += 1) {
      const pair = pairOf((replica) => engine.make(replica, "watched"), 100_000);
      globalThis.gc?.();
      const spent: number[] = [];
      let before = process.cpuUsage();
      stream(pair, tokens, neverPausing, (token) => {
        if ((token + 1) % fifth !== 0) return;
        const { user, system } = process.cpuUsage(before);
        spent.push((user + system) / fifth);
        before = process.cpuUsage();
      });
      pair.server.free();
      pair.person.free();
      if (round < 0) continue;
      const [start = Number.NaN] = spent;
      first.push(start);
      growth.push((spent.at(-1) ?? Number.NaN) / start);
    }
    const work = "token, never a common version";
    const value = median(growth);
    const judged = engine === heddle ? atMost(1.2, value) : noGoal;
    const of = `${engine.name}, ${tokens} tokens`;
    return [
      { work, subject: `${of}, first fifth`, value: median(first), unit: "us CPU", ratio: null, ...noGoal },
      { work, subject: `${of}, last fifth / first`, value, unit: "x", ratio: null, ...judged },
    ];
  });
}

/** A hub that merges the writers' updates one by one, and a replica that merges the whole history as one. */
function imports({ rounds, dataFolder }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const names = (Object.keys(hubGoals) as ConcurrentTrace[]).filter(
    (name) => name === "friendsforever" || hasTrace(dataFolder, `${name}.concurrent`),
  );
  return names.flatMap((name) => {
    const trace = readConcurrent(dataFolder, name);
    const { updates: ours, end } = heddleUpdates(trace);
    // A tie between two insertions is broken by the numbers of their writers, which this recording has changed.
    assert(end === trace.end || name === "git-makefile", `${name} ends at its recorded text`);
    const changes = flattened(ours);
    const rope = { name: "rope", run: () => ropeImport(changes) };
    const sent = [
      { engine: heddle, updates: ours },
      ...(name === "friendsforever" ? peers : []).map((engine) => ({ engine, updates: updatesOf(engine, trace) })),
    ];
    const subject = ({ engine, updates }: (typeof sent)[number]): Subject => ({
      name: engine.name,
      run: () => {
        const replica = hubImport(engine.make(9, "unwatched"), updates);
        replica.free();
        return replica;
      },
    });
    const hub = interleave(rounds, [rope, ...sent.map(subject)].map(besideOthers), steady);
    const whole = sent.map(({ engine, updates }) => {
      const replica = hubImport(engine.make(9, "unwatched"), updates);
      assert(replica.text() === end, `${engine.name} ends at the same text`);
      return { engine, updates: [replica.everything()] };
    });
    const batch = interleave(rounds, [rope, ...whole.map(subject)].map(besideOthers), steady);
    return [
      ...beside(`${name} into a hub, ${ours.length} updates`, hubGoals[name], hub),
      ...beside(`${name} as one update`, 3, batch),
    ];
  });
}

/** One of two people who each made 100,000 edits without a connection merges the other's. */
function offline({ rounds }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const joy = must(
    peers.find(({ name }) => name === "json-joy"),
    "json-joy is a peer",
  );
  // json-joy takes a minute and more for one.
  const timings = interleave(Math.min(rounds, 1), [offlineMerge(joy, 100_000), offlineMerge(heddle, 100_000)]);
  return beside("offline merge of 2 x 100,000 random edits", 1, timings);
}

/** A document of 260,000 keystrokes: its size on disk, the time to open it, and its memory. */
function opening({ rounds, dataFolder }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const { txns, end } = replayed(dataFolder, "automerge-paper");
  const utf8 = new TextEncoder().encode(end);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const saved = [heddle, ...peers].map((engine) => {
    const replica = replay(engine, txns);
    const bytes = replica.save();
    replica.free();
    return { engine, bytes };
  });
  const load = ({ engine, bytes }: (typeof saved)[number]): Subject => ({
    name: engine.name,
    run: () => {
      const replica = engine.load(bytes);
      assert(replica.length === end.length, "what was saved is loaded");
      replica.free();
      return replica;
    },
  });
  const limit = { name: "text decode and rope", run: () => new Rope(decoder.decode(utf8)) };
  const opened = interleave(rounds, [limit, ...saved.map(load)].map(besideOthers), steady);
  const size = `${Math.round(utf8.length / 1_000)} KB with 260,000 keystrokes`;
  return [
    ...beside(`open ${size}`, 2, opened),
    ...saved.map(({ engine, bytes }): BenchRow => {
      const value = deflateRawSync(bytes).length / 1_000;
      const judged = engine === heddle ? atMost(110, value) : noGoal;
      return { work: `stored, deflated: ${size}`, subject: engine.name, value, unit: "KB", ratio: null, ...judged };
    }),
    ...saved.map(({ engine, bytes }): BenchRow => {
      const value = memoryOf(20, () => engine.load(bytes.slice())) / 1_024;
      return { work: `in memory, opened: ${size}`, subject: engine.name, value, unit: "KB", ratio: null, ...noGoal };
    }),
  ];
}

/** Undoes ten keystrokes of a long history: the last ones, those of a thousand transactions ago, and the first of 40,000. */
function undo({ rounds, dataFolder }: BenchContext, { heddle }: Engines, yjs: Yjs): readonly BenchRow[] {
  const { txns } = replayed(dataFolder, "automerge-paper");
  const written = replay(heddle, txns);
  const stored = written.save();
  const deep = replay(heddle, txns.slice(0, 40_000)).save();
  const replica = 1 as ReplicaId;
  assert(written instanceof HeddleReplica, "Heddle's replica has a document");
  const end = written.document.nextSeq(replica);
  const subject = (name: string, bytes: Uint8Array, seq: number): Subject => {
    let document: TextDocument | undefined;
    const prepare = (): void => {
      document = openStored(bytes);
      // A running server has already read this.
      document.updateSince([]);
    };
    const run = (): unknown => {
      const spans = [{ replica, seq, length: 10 }];
      const undone = must(document, "a document was opened").cancel(replica, spans);
      assert(undone.ok && undone.value.update.length > 0, "the undo does something");
      return undone;
    };
    return { name, prepare, run };
  };
  const pace = { warmUpMs: 100, sampleMs: 50 };
  const subjects = [
    subject("heddle, last", stored, end - 10),
    subject("heddle, 1,000 back", stored, end - 1_010),
    subject("heddle, the deepest of 40,000", deep, 0),
  ];
  const timings = interleave(rounds, subjects.map(besideOthers), pace);
  const theirs = must(interleave(rounds, [yjsUndo(yjs, txns.slice(0, 20_000))])[0], "yjs was timed");
  const goals = [2, 10, 20];
  const work = "undo of 10 keystrokes";
  const rows = timings.map(({ name, cpuMs: value }, index): BenchRow => {
    const ratio = value / theirs.cpuMs;
    return { work, subject: name, value, unit: "ms CPU", ratio, ...atMost(goals[index] ?? 0, ratio) };
  });
  return [{ work, subject: theirs.name, value: theirs.cpuMs, unit: "ms CPU", ratio: null, ...noGoal }, ...rows];
}

/** Many blocks of 500 characters, each its own document: opened, then edited, all in memory at once. */
function blocks({ rounds }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const diamond = must(
    peers.find(({ name }) => name === "diamond-types"),
    "diamond-types is a peer",
  );
  const counts = [
    { count: 10_000, engines: [diamond, heddle, ...peers.filter((peer) => peer !== diamond)] },
    { count: 100_000, engines: [diamond, heddle] },
  ];
  return counts.flatMap(({ count, engines }) => {
    let limit = Number.NaN;
    return engines.flatMap((engine): readonly BenchRow[] => {
      const turns = Array.from({ length: engine === heddle || engine === diamond ? Math.min(rounds, 3) : 1 }, () =>
        blocksOpened(engine, count),
      );
      const work = `${count.toLocaleString("en")} blocks of 500 characters`;
      const us = median(turns.map(({ usPerBlock }) => usPerBlock));
      const kb = median(turns.map(({ bytesPerBlock }) => bytesPerBlock)) / 1_024;
      if (engine === diamond) limit = us;
      const ratio = engine === diamond ? null : us / limit;
      const isOurs = engine === heddle;
      const speed = isOurs && ratio !== null ? atMost(1.1, ratio) : noGoal;
      const size = isOurs ? atMost(5, kb) : noGoal;
      return [
        { work: `${work}: cold open + edit`, subject: engine.name, value: us, unit: "us CPU", ratio, ...speed },
        { work: `${work}: memory of each`, subject: engine.name, value: kb, unit: "KB", ratio: null, ...size },
      ];
    });
  });
}
