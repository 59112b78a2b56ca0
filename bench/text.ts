import { assert, must } from "../src/core/base/assert.ts";
import { decodeDocument } from "../src/core/text/document.ts";
import { Rope } from "../src/core/text/rope.ts";
import type { AgentId, TextDocument } from "../src/core/text/types.ts";
import { readConcurrent, readSequential, type SequentialTrace } from "../test/text/traces.ts";
import { atMost, noGoal, type Bench, type BenchContext, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf, type Timing } from "./harness/interleave.ts";
import { heddleReplay, ropeReplay, type Replayed, type ReplayTxn } from "./subjects/text.ts";
import { flattened, heddleUpdates, hubImport, ropeImport, yjsUpdates } from "./subjects/text-concurrent.ts";
import { generous, HeddleReplica, type MakeReplica, yjsReplica } from "./subjects/text-replica.ts";
import { neverPausing, type Pair, pairOf, relaxed, stream } from "./subjects/text-streaming.ts";
import { yjsReplay, type Yjs } from "./subjects/text-yjs.ts";

const bench: Bench = {
  name: "text",
  question: "What do a keystroke, a streamed token, a merge, an opening and an undo cost, beside a bare rope and yjs?",
  async run(context: BenchContext): Promise<readonly BenchRow[]> {
    const yjs = await context.peer<Yjs>("yjs");
    const sections = [keystrokes, streaming, concurrency, imports, openAndUndo];
    return sections.flatMap((section) => {
      context.log(`text: ${section.name}`);
      return section(context, yjs);
    });
  },
};

export default bench;

const traces: readonly SequentialTrace[] = ["automerge-paper", "sveltecomponent"];

/** Enough for the compiler to be done with what takes milliseconds, and for one collection more or less not to matter. */
const steady = { warmUpMs: 300, sampleMs: 200 };

/** What a server does for each keystroke: commit the edit and produce the bytes to store and send. */
function keystrokes({ rounds, dataFolder }: BenchContext, yjs: Yjs): readonly BenchRow[] {
  return traces.flatMap((name) => {
    const { start, end, txns } = readSequential(dataFolder, name);
    const replayed: readonly ReplayTxn[] = start === "" ? txns : [[{ at: 0, removed: 0, insert: start }], ...txns];
    const ending = (replay: Replayed): void => assert(replay.text === end, `${name} ends at its recorded text`);
    const subjects = [
      { name: "rope", run: () => ending(ropeReplay(replayed)) },
      { name: "heddle", run: () => ending(heddleReplay(replayed)) },
      { name: "yjs", run: () => ending(yjsReplay(yjs, replayed)) },
    ];
    return beside(`${name}, ${replayed.length} commits`, 3, interleave(rounds, subjects, steady));
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

const makeHeddle: MakeReplica = (agent) => new HeddleReplica(agent);

/** Tokens at the end on one replica, letters in the middle on another, each taking in what the other wrote. */
function streaming({ rounds }: BenchContext, yjs: Yjs): readonly BenchRow[] {
  const makeYjs: MakeReplica = (agent) => yjsReplica(yjs, agent, "watched");
  const sizes = [
    { size: "10 KB", units: 10_000, tokens: 1_000, withPeer: true },
    { size: "1 MB", units: 1_000_000, tokens: 5_000, withPeer: true },
    { size: "10 MB", units: 10_000_000, tokens: 10_000, withPeer: false },
  ];
  const usPerToken: number[] = [];
  const rows = sizes.flatMap(({ size, units, tokens, withPeer }) => {
    const subject = (name: string, make: MakeReplica) => {
      let pair: Pair | undefined;
      const prepare = (): void => {
        pair = pairOf(make, units);
      };
      const run = (): unknown => {
        stream(must(pair, "the replicas were made"), tokens, relaxed);
        return pair;
      };
      return { name, prepare, run };
    };
    const subjects = [subject("heddle", makeHeddle), ...(withPeer ? [subject("yjs", makeYjs)] : [])];
    const timings = interleave(rounds, subjects, { warmUpMs: 300, sampleMs: 100 });
    const heddle = must(timings[0], "Heddle was timed");
    usPerToken.push((heddle.cpuMs * 1_000) / tokens);
    return timings.map((timing): BenchRow => {
      const value = (timing.cpuMs * 1_000) / tokens;
      const work = `streamed token, two replicas, ${size}`;
      const ratio = timing === heddle ? null : ratioOf(timing, heddle);
      return {
        work,
        subject: timing.name,
        value,
        unit: "us CPU",
        ratio,
        ...(ratio === null ? atMost(10, value) : noGoal),
      };
    });
  });
  const spread = Math.max(...usPerToken) / Math.min(...usPerToken);
  const work = "streamed token, dearest size / cheapest";
  return [...rows, { work, subject: "heddle", value: spread, unit: "x", ratio: null, ...atMost(1.5, spread) }];
}

/** Two replicas that are never up to date together: does a token cost more the longer that lasts? */
function concurrency({ rounds }: BenchContext): readonly BenchRow[] {
  const tokens = 10_000;
  const fifth = tokens / 5;
  const first: number[] = [];
  const growth: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const pair = pairOf(makeHeddle, 100_000);
    globalThis.gc?.();
    const spent: number[] = [];
    let before = process.cpuUsage();
    stream(pair, tokens, neverPausing, (token) => {
      if ((token + 1) % fifth !== 0) return;
      const { user, system } = process.cpuUsage(before);
      spent.push((user + system) / fifth);
      before = process.cpuUsage();
    });
    if (round < 0) continue;
    const [start = Number.NaN] = spent;
    first.push(start);
    growth.push((spent.at(-1) ?? Number.NaN) / start);
  }
  const work = "token of 10,000 without a common version";
  const value = median(growth);
  return [
    { work, subject: "heddle, first fifth", value: median(first), unit: "us CPU", ratio: null, ...noGoal },
    { work, subject: "heddle, last fifth / first", value, unit: "x", ratio: null, ...atMost(1.2, value) },
  ];
}

/** A hub that takes in two writers' updates one by one, and a replica that takes in the whole history as one. */
function imports({ rounds, dataFolder }: BenchContext, yjs: Yjs): readonly BenchRow[] {
  const trace = readConcurrent(dataFolder);
  const ours = heddleUpdates(trace);
  const theirs = yjsUpdates(yjs, trace);
  const changes = flattened(ours);
  const hub = interleave(
    rounds,
    [
      { name: "rope", run: () => ropeImport(changes) },
      { name: "heddle", run: () => hubImport(new HeddleReplica(9), ours) },
      { name: "yjs", run: () => hubImport(yjsReplica(yjs, 9, "unwatched"), theirs) },
    ],
    steady,
  );
  const ourBatch = [hubImport(new HeddleReplica(9), ours).everything()];
  const theirBatch = [hubImport(yjsReplica(yjs, 9, "unwatched"), theirs).everything()];
  const batch = interleave(
    rounds,
    [
      { name: "heddle", run: () => hubImport(new HeddleReplica(9), ourBatch) },
      { name: "yjs", run: () => hubImport(yjsReplica(yjs, 9, "unwatched"), theirBatch) },
    ],
    steady,
  );
  const heddle = must(batch[0], "Heddle was timed");
  return [
    ...beside(`friendsforever into a hub, ${ours.length} updates`, 12, hub),
    ...batch.map((timing): BenchRow => {
      const { name: subject, cpuMs: value } = timing;
      const ratio = timing === heddle ? null : ratioOf(timing, heddle);
      const judged = timing === heddle ? atMost(10, value) : noGoal;
      return { work: "friendsforever as one update", subject, value, unit: "ms CPU", ratio, ...judged };
    }),
  ];
}

/** A document of 260,000 keystrokes: opened from its stored bytes, and changes in it taken back. */
function openAndUndo({ rounds, dataFolder }: BenchContext): readonly BenchRow[] {
  const writer = new HeddleReplica(1);
  for (const patches of readSequential(dataFolder, "automerge-paper").txns) {
    for (const { at, removed, insert } of patches) writer.write(at, removed, insert);
  }
  const stored = writer.document.encode();
  const utf8 = new TextEncoder().encode(writer.document.text());
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const open = (): TextDocument => {
    const opened = decodeDocument(stored, generous);
    if (!opened.ok) throw new Error(`a stored document is refused: ${opened.error.code}`);
    return opened.value;
  };
  const opening = interleave(
    rounds,
    [
      { name: "text decode and rope", run: () => new Rope(decoder.decode(utf8)) },
      { name: "heddle", run: open },
    ],
    steady,
  );
  const agent = 1 as AgentId;
  const end = writer.document.nextSeq(agent);
  const undo = (name: string, back: number) => {
    let document: TextDocument | undefined;
    const prepare = (): void => {
      document = open();
      // What a running server has read in already.
      document.updateSince([]);
    };
    const run = (): unknown => {
      const undone = must(document, "a document was opened").cancel(agent, [
        { agent, seq: end - back - 10, length: 10 },
      ]);
      assert(undone.ok && undone.value.update.length > 0, "the undo does something");
      return undone;
    };
    return { name, prepare, run };
  };
  const [last, older] = interleave(rounds, [undo("heddle, last", 0), undo("heddle, 1,000 back", 1_000)], {
    warmUpMs: 100,
    sampleMs: 50,
  });
  const undone = (timing: Timing | undefined, goal: number): BenchRow => {
    const { name: subject, cpuMs: value } = must(timing, "an undo was timed");
    return { work: "undo of 10 keystrokes", subject, value, unit: "ms CPU", ratio: null, ...atMost(goal, value) };
  };
  return [
    ...beside(`open ${Math.round(utf8.length / 1_000)} KB with 260,000 keystrokes`, 2, opening),
    undone(last, 1),
    undone(older, 5),
  ];
}
