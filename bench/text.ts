import { assert, must } from "../src/core/base/assert.ts";
import { readSequential, type SequentialTrace } from "../test/text/traces.ts";
import { atMost, noGoal, type Bench, type BenchContext, type BenchRow } from "./harness/bench.ts";
import { interleave, ratioOf } from "./harness/interleave.ts";
import { heddleReplay, ropeReplay, type Replayed, type ReplayTxn } from "./subjects/text.ts";
import { yjsReplay, type Yjs } from "./subjects/text-yjs.ts";

const traces: readonly SequentialTrace[] = ["automerge-paper", "sveltecomponent"];

/** What a server does for each keystroke: commit the edit and produce the bytes to store and send. */
const bench: Bench = {
  name: "text",
  question: "What does a committed keystroke cost, with its update bytes, beside a bare rope and yjs?",
  async run(context: BenchContext): Promise<readonly BenchRow[]> {
    const yjs = await context.peer<Yjs>("yjs");
    return traces.flatMap((name) => {
      context.log(`text: ${name}`);
      const { start, end, txns } = readSequential(context.dataFolder, name);
      const replayed: readonly ReplayTxn[] = start === "" ? txns : [[{ at: 0, removed: 0, insert: start }], ...txns];
      const ending = (replay: Replayed): void => assert(replay.text === end, `${name} ends at its recorded text`);
      const [rope, heddle, peer] = interleave(context.rounds, [
        { name: "rope", run: () => ending(ropeReplay(replayed)) },
        { name: "heddle", run: () => ending(heddleReplay(replayed)) },
        { name: "yjs", run: () => ending(yjsReplay(yjs, replayed)) },
      ]);
      const base = must(rope, "the rope was timed");
      return [rope, heddle, peer].map((timing): BenchRow => {
        const { name: subject, cpuMs } = must(timing, "every subject was timed");
        const ratio = subject === "rope" ? null : ratioOf(must(timing, "every subject was timed"), base);
        return {
          work: `${name}, ${replayed.length} keystrokes`,
          subject,
          value: cpuMs,
          unit: "ms CPU",
          ratio,
          ...(subject === "heddle" && ratio !== null ? atMost(3, ratio) : noGoal),
        };
      });
    });
  },
};

export default bench;
