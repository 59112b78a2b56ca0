import { assert } from "../src/core/base/assert.ts";
import { officialIteration, officialReaders } from "../test/providers/official.ts";
import { recordedStreams } from "../test/providers/recordings.ts";
import { atLeast, atMost, noGoal, type Bench, type BenchContext, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf } from "./harness/interleave.ts";
import {
  type ArrivingStream,
  byEvent,
  bySize,
  floorThroughHttp,
  heddleDecoding,
  heddleMessage,
  parserAlone,
  parserAndJson,
} from "./subjects/decode.ts";

const bench: Bench = {
  name: "decode",
  question:
    "What does reading every recorded stream cost, beside cutting it into events and beside the official clients?",
  async run(context: BenchContext): Promise<readonly BenchRow[]> {
    const found: BenchRow[] = [];
    if (context.isAsked("process")) {
      const rows = recordedStreams();
      found.push(...inProcess("every stream, event by event", byEvent(rows), context));
      found.push(...inProcess("every stream, in pieces of 16 KB", bySize(rows, 16_384), context));
    }
    if (context.isAsked("http")) found.push(...(await besideClients(context)));
    return found;
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
    return { work, subject: timing.name, value: timing.cpuMs, unit: "ms CPU", ratio, ...noGoal };
  });
  // The work any decoder has to do or to replace: docs/decisions/0029.
  const beside = ratioOf(own, parsing);
  const held = { value: own.cpuMs, unit: "ms CPU", ratio: beside, ...atMost(2.5, beside) };
  return [...rows, { work: `${work}, to parser and JSON.parse`, subject: own.name, ...held }];
}

/**
 * A server reads replies all day: every subject's code is compiled before it is measured. Collecting garbage by force throws
 * much of that code away, so that each sample begins with a time that does not count.
 */
const warmUpMs = 1_500;
const settleMs = 500;
const sampleMs = 500;

/** Samples of one subject differ by a fifth on a shared machine: three rounds' median moved the ratios by as much. */
const samplesPerRound = 3;

/** Of the least that reading through HTTP takes: docs/decisions/0029. */
const floorTimes = 2.5;

const clients: Readonly<Record<string, string>> = {
  anthropic: "@anthropic-ai/sdk",
  chat: "openai, chat",
  responses: "openai, responses",
  "gemini-stream": "@google/genai",
};

/**
 * Both sides receive the same pieces of one response over HTTP's interface. The clients wait between events, so each is
 * measured over all streams of its format, one after the other.
 */
async function besideClients({ rounds, log }: BenchContext): Promise<readonly BenchRow[]> {
  const found: BenchRow[] = [];
  for (const [api, read] of Object.entries(officialReaders)) {
    log(`decode: the client of ${api}`);
    const streams = byEvent(recordedStreams().filter((row) => row.api === api));
    const iterate = officialIteration[api];
    assert(iterate !== undefined, "each client can be iterated");
    const each = (run: (stream: ArrivingStream) => Promise<unknown>) => async (): Promise<void> => {
      for (const stream of streams) await run(stream).catch(() => undefined);
    };
    const subjects = [
      each(heddleMessage),
      each(({ pieces }) => read(pieces)),
      each(({ pieces }) => iterate(pieces)),
      each(floorThroughHttp),
    ];
    const rows: (readonly number[])[] = [];
    for (const subject of subjects) await repeatedMs(subject, warmUpMs);
    for (let sample = 0; sample < rounds * samplesPerRound; sample += 1) {
      const times: number[] = [];
      for (const subject of subjects) {
        globalThis.gc?.();
        await repeatedMs(subject, settleMs);
        times.push(await repeatedMs(subject, sampleMs));
      }
      rows.push(times);
    }
    const cost = (subject: number): number => median(rows.map((times) => times[subject] ?? Number.NaN));
    const beside = (subject: number): number =>
      median(rows.map((times) => (times[subject] ?? Number.NaN) / (times[0] ?? Number.NaN)));
    const work = `${streams.length} streams of ${api}, through HTTP to a message`;
    const client = clients[api] ?? api;
    const row = (subject: string, value: number, ratio: number | null): BenchRow => ({
      work,
      subject,
      value,
      unit: "ms CPU",
      ratio,
      ...noGoal,
    });
    found.push(row("heddle", cost(0), null));
    // Google's client has no helper that puts a message together: the reader does it by hand.
    const hasHelper = api !== "gemini-stream";
    found.push({
      ...row(`${client}, ${hasHelper ? "its message" : "a message by hand"}`, cost(1), beside(1)),
      ...(hasHelper ? atLeast(3, beside(1)) : noGoal),
    });
    found.push({ ...row(`${client}, plain iteration`, cost(2), beside(2)), ...atLeast(1.5, beside(2)) });
    const toFloor = median(rows.map((times) => (times[0] ?? Number.NaN) / (times[3] ?? Number.NaN)));
    found.push(row("eventsource-parser and JSON.parse", cost(3), beside(3)));
    found.push({
      ...row("heddle, to eventsource-parser and JSON.parse", cost(0), toFloor),
      ...atMost(floorTimes, toFloor),
    });
  }
  return found;
}

/** Runs for some milliseconds of processor time, at least once; returns what one run took. */
async function repeatedMs(run: () => Promise<unknown>, leastMs: number): Promise<number> {
  const before = process.cpuUsage();
  let runs = 0;
  for (;;) {
    await run();
    runs += 1;
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1000;
    if (spent >= leastMs) return spent / runs;
  }
}
