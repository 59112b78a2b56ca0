import { assert } from "../src/core/base/assert.ts";
import { officialReaders } from "../test/providers/official.ts";
import { recordedStreams } from "../test/providers/recordings.ts";
import { atMost, noGoal, type Bench, type BenchContext, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf } from "./harness/interleave.ts";
import { type ArrivingStream, byEvent, bySize, heddleDecoding, parserAlone, parserAndJson } from "./subjects/decode.ts";

const bench: Bench = {
  name: "decode",
  question:
    "What does reading every recorded stream cost, beside cutting it into events and beside the official clients?",
  async run(context: BenchContext): Promise<readonly BenchRow[]> {
    const rows = recordedStreams();
    return [
      ...inProcess("every stream, event by event", byEvent(rows), context),
      ...inProcess("every stream, in pieces of 16 KB", bySize(rows, 16_384), context),
      ...(await besideClients(context)),
    ];
  },
};

export default bench;

const steady = { warmUpMs: 600, sampleMs: 400 };

function inProcess(
  work: string,
  streams: readonly ArrivingStream[],
  { rounds, log }: BenchContext,
): readonly BenchRow[] {
  log(`decode: ${work}`);
  const subjects = [
    { name: "eventsource-parser", run: () => parserAlone(streams) },
    { name: "eventsource-parser and JSON.parse", run: () => parserAndJson(streams) },
    { name: "heddle", run: () => heddleDecoding(streams) },
  ];
  const timings = interleave(rounds, subjects, steady);
  const [base, parsing, own] = timings;
  assert(base !== undefined && parsing !== undefined && own !== undefined, "three subjects were measured");
  const rows = timings.map((timing): BenchRow => {
    const ratio = timing === base ? null : ratioOf(timing, base);
    const judged = timing === own && ratio !== null ? atMost(2, ratio) : noGoal;
    return { work, subject: timing.name, value: timing.cpuMs, unit: "ms CPU", ratio, ...judged };
  });
  // The work any decoder has to do or to replace: docs/decisions/0029.
  const beside = ratioOf(own, parsing);
  const held = { value: own.cpuMs, unit: "ms CPU", ratio: beside, ...atMost(1.2, beside) };
  return [...rows, { work: `${work}, to parser and JSON.parse`, subject: own.name, ...held }];
}

const clients: Readonly<Record<string, string>> = {
  anthropic: "@anthropic-ai/sdk",
  chat: "openai, chat",
  responses: "openai, responses",
  "gemini-stream": "@google/genai",
};

/** The clients wait between events, so each is measured over all streams of its format, one after the other. */
async function besideClients({ rounds, log }: BenchContext): Promise<readonly BenchRow[]> {
  const found: BenchRow[] = [];
  for (const [api, read] of Object.entries(officialReaders)) {
    log(`decode: the client of ${api}`);
    const streams = byEvent(recordedStreams().filter((row) => row.api === api));
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = -2; round < rounds; round += 1) {
      globalThis.gc?.();
      const [own, others] = [
        await cpuMs(() => Promise.resolve(heddleDecoding(streams))),
        await cpuMs(async () => {
          for (const { body } of streams) await read(body).catch(() => undefined);
        }),
      ];
      if (round < 0) continue;
      ours.push(own);
      theirs.push(others);
    }
    const work = `${streams.length} streams of ${api}`;
    const ratio = median(theirs.map((value, round) => value / (ours[round] ?? Number.NaN)));
    found.push({ work, subject: "heddle", value: median(ours), unit: "ms CPU", ratio: null, ...noGoal });
    found.push({ work, subject: clients[api] ?? api, value: median(theirs), unit: "ms CPU", ratio, ...noGoal });
  }
  return found;
}

async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
