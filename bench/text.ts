import { deflateRawSync } from "node:zlib";
import { assert, must } from "../src/core/base/assert.ts";
import { Rope } from "../src/core/text/rope.ts";
import type { ReplicaId, TextDocument } from "../src/core/text/types.ts";
import { readConcurrent, readSequential, type SequentialTrace } from "../test/text/traces.ts";
import { atMost, noGoal, type Bench, type BenchContext, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf, type Subject, type Timing } from "./harness/interleave.ts";
import { replay, ropeReplay } from "./subjects/text.ts";
import { blocksOpened, memoryOf } from "./subjects/text-blocks.ts";
import { flattened, heddleUpdates, hubImport, ropeImport, updatesOf } from "./subjects/text-concurrent.ts";
import { loadEngines, type Engines } from "./subjects/text-engines.ts";
import { HeddleReplica, openStored } from "./subjects/text-heddle.ts";
import type { Engine, ReplayTxn } from "./subjects/text-replica.ts";
import { neverPausing, type Pair, pairOf, relaxed, stream } from "./subjects/text-streaming.ts";
import { yjsUndo, type Yjs } from "./subjects/text-yjs.ts";

const bench: Bench = {
  name: "text",
  rounds: 2,
  question:
    "What do a keystroke, a streamed token, a merge, an opening and an undo cost, beside a bare rope and others?",
  async run(context: BenchContext): Promise<readonly BenchRow[]> {
    const engines = await loadEngines(context);
    const yjs = await context.peer<Yjs>("yjs");
    const sections = [keystrokes, streaming, concurrency, imports, opening, undo, blocks];
    return sections.flatMap((section) => {
      context.log(`text: ${section.name}`);
      return section(context, engines, yjs);
    });
  },
};

export default bench;

const traces: readonly SequentialTrace[] = ["automerge-paper", "sveltecomponent"];

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
  return traces.flatMap((name) => {
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
    const subjects = [rope, subject(heddle), ...peers.map(subject)].map(besideOthers);
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
    const subjects = [heddle, ...(withPeers ? peers : [])].map(subject);
    const timings = interleave(rounds, subjects, { warmUpMs: 300, sampleMs: 100 });
    const ours = must(timings[0], "Heddle was timed");
    usPerToken.push((ours.cpuMs * 1_000) / tokens);
    return timings.map((timing): BenchRow => {
      const value = (timing.cpuMs * 1_000) / tokens;
      const work = `streamed token, two replicas, ${size}`;
      const ratio = timing === ours ? null : ratioOf(timing, ours);
      const judged = ratio === null ? atMost(10, value) : noGoal;
      return { work, subject: timing.name, value, unit: "us CPU", ratio, ...judged };
    });
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

/** A hub that merges two writers' updates one by one, and a replica that merges the whole history as one. */
function imports({ rounds, dataFolder }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const trace = readConcurrent(dataFolder);
  const ours = heddleUpdates(trace);
  const changes = flattened(ours);
  const sent = [
    { engine: heddle, updates: ours },
    ...peers.map((engine) => ({ engine, updates: updatesOf(engine, trace) })),
  ];
  const subject = ({ engine, updates }: (typeof sent)[number]): Subject => ({
    name: engine.name,
    run: () => {
      const replica = hubImport(engine.make(9, "unwatched"), updates);
      replica.free();
      return replica;
    },
  });
  const hubs = [{ name: "rope", run: () => ropeImport(changes) }, ...sent.map(subject)].map(besideOthers);
  const hub = interleave(rounds, hubs, steady);
  const whole = sent.map(({ engine, updates }) => {
    const replica = hubImport(engine.make(9, "unwatched"), updates);
    assert(replica.text() === trace.end, `${engine.name} ends at the recorded text`);
    return { engine, updates: [replica.everything()] };
  });
  const batch = interleave(rounds, whole.map(subject).map(besideOthers), steady);
  const heddles = must(batch[0], "Heddle was timed");
  return [
    ...beside(`friendsforever into a hub, ${ours.length} updates`, 12, hub),
    ...batch.map((timing): BenchRow => {
      const { name, cpuMs: value } = timing;
      const ratio = timing === heddles ? null : ratioOf(timing, heddles);
      const judged = timing === heddles ? atMost(10, value) : noGoal;
      return { work: "friendsforever as one update", subject: name, value, unit: "ms CPU", ratio, ...judged };
    }),
  ];
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

/** Undoes ten keystrokes of a long history: the last ones, and those of a thousand transactions ago. */
function undo({ rounds, dataFolder }: BenchContext, { heddle }: Engines, yjs: Yjs): readonly BenchRow[] {
  const { txns } = replayed(dataFolder, "automerge-paper");
  const written = replay(heddle, txns);
  const stored = written.save();
  const replica = 1 as ReplicaId;
  assert(written instanceof HeddleReplica, "Heddle's replica has a document");
  const end = written.document.nextSeq(replica);
  const subject = (name: string, back: number): Subject => {
    let document: TextDocument | undefined;
    const prepare = (): void => {
      document = openStored(stored);
      // A running server has already read this.
      document.updateSince([]);
    };
    const run = (): unknown => {
      const spans = [{ replica, seq: end - back - 10, length: 10 }];
      const undone = must(document, "a document was opened").cancel(replica, spans);
      assert(undone.ok && undone.value.update.length > 0, "the undo does something");
      return undone;
    };
    return { name, prepare, run };
  };
  const pace = { warmUpMs: 100, sampleMs: 50 };
  const subjects = [subject("heddle, last", 0), subject("heddle, 1,000 back", 1_000)];
  const [last, older] = interleave(rounds, subjects.map(besideOthers), pace);
  const theirs = interleave(rounds, [yjsUndo(yjs, txns.slice(0, 20_000))]);
  const row = (timing: Timing | undefined, goal: number | null): BenchRow => {
    const { name, cpuMs: value } = must(timing, "an undo was timed");
    const judged = goal === null ? noGoal : atMost(goal, value);
    return { work: "undo of 10 keystrokes", subject: name, value, unit: "ms CPU", ratio: null, ...judged };
  };
  return [row(last, 1), row(older, 5), row(theirs[0], null)];
}

/** Many blocks of 500 characters, each its own document: opened, then edited, all in memory at once. */
function blocks({ rounds }: BenchContext, { heddle, peers }: Engines): readonly BenchRow[] {
  const counts = [
    { count: 10_000, engines: [heddle, ...peers] },
    { count: 100_000, engines: [heddle] },
  ];
  return counts.flatMap(({ count, engines }) =>
    engines.flatMap((engine) => {
      const turns = Array.from({ length: engine === heddle ? Math.min(rounds, 3) : 1 }, () =>
        blocksOpened(engine, count),
      );
      const work = `${count.toLocaleString("en")} blocks of 500 characters`;
      const us = median(turns.map(({ usPerBlock }) => usPerBlock));
      const kb = median(turns.map(({ bytesPerBlock }) => bytesPerBlock)) / 1_024;
      const goals = engine === heddle ? { us: atMost(15, us), kb: atMost(8, kb) } : { us: noGoal, kb: noGoal };
      return [
        {
          work: `${work}: cold open + edit`,
          subject: engine.name,
          value: us,
          unit: "us CPU",
          ratio: null,
          ...goals.us,
        },
        { work: `${work}: memory of each`, subject: engine.name, value: kb, unit: "KB", ratio: null, ...goals.kb },
      ];
    }),
  );
}
