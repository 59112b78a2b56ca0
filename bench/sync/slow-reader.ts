import { assert, must } from "../../src/core/base/assert.ts";
import { atMost, noGoal, type BenchRow } from "../harness/bench.ts";
import { median } from "../harness/interleave.ts";
import { BenchChild, type Listening } from "./child.ts";
import { runLoad, type LoadRun } from "./run-load.ts";
import { servers } from "./wires.ts";
import { heavy, heavySeconds, heavyWarmUpSeconds } from "./workload.ts";

// The cost of a client that never reads for those that do. Two servers carry the same load at the same time, one of
// them with that client: other load on the machine then delays both alike, and a p99 consists mostly of such delays.

/** Which of the two servers have the client that never reads. */
type Pair = readonly [beside: number, without: number];

const onePair: Pair = [1, 0];
/** If two equal servers differ by this much, nothing can be said about a reader. */
const equalPair: Pair = [0, 0];

/** The rows of the slow reader; the second is the difference between two servers with the same load. */
export async function slowReaderRows(rounds: number, log: (line: string) => void): Promise<readonly BenchRow[]> {
  const slow: (readonly [LoadRun, LoadRun])[] = [];
  const equal: (readonly [LoadRun, LoadRun])[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const besideFirst = round % 2 === 0;
    const order = [
      { pair: onePair, runs: slow },
      { pair: equalPair, runs: equal },
    ];
    for (const { pair, runs } of besideFirst ? order : order.toReversed()) {
      const both = await atOnce(pair, besideFirst);
      const [beside, without] = both.map((run) => p99Of([run]).toFixed(1));
      log(`slow: p99 beside ${pair[0]} that never reads ${beside} ms, without ${without} ms`);
      runs.push(both);
    }
  }
  for (const [{ result }] of slow)
    assert(result.cutOff === 1, "who does not read is cut off in the middle of the load");
  const p99 = laterBeside(slow);
  const cpu = median(slow.map(([beside, without]) => beside.cpuMs / without.cpuMs));
  const megabytes = median(slow.map(([beside, without]) => (beside.rssBytes - without.rssBytes) / 1_048_576));
  const shared = { subject: "heddle", ratio: null };
  const work = "slow: healthy viewers' p99 beside one that never reads";
  return [
    { ...shared, work, value: p99, unit: "x", ...atMost(1.2, p99) },
    { ...shared, work: "slow: the same where neither has one", value: laterBeside(equal), unit: "x", ...noGoal },
    { ...shared, work: "slow: server CPU beside one that never reads", value: cpu, unit: "x", ...atMost(1.2, cpu) },
    {
      ...shared,
      work: "slow: memory that one costs the server",
      value: megabytes,
      unit: "MB RSS",
      ...atMost(60, megabytes),
    },
  ];
}

/** Over the arrivals of all rounds together: the slowest few of one round come from one or two instants. */
function laterBeside(runs: readonly (readonly [LoadRun, LoadRun])[]): number {
  return p99Of(runs.map(([beside]) => beside)) / p99Of(runs.map(([, without]) => without));
}

/** Not a number if updates are missing. */
function p99Of(runs: readonly LoadRun[]): number {
  if (runs.some(({ result }) => result.arrived <= 0.999)) return Number.NaN;
  const tookMs = runs.flatMap(({ result }) => result.tookMs).toSorted((a, b) => a - b);
  return tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
}

/** Both are warmed up in another room than the measured one. */
async function atOnce([beside, without]: Pair, besideFirst: boolean): Promise<readonly [LoadRun, LoadRun]> {
  const { module } = must(servers["heddle"], "a known server");
  const started: BenchChild<Listening>[] = [];
  try {
    for (let server = 0; server < 2; server += 1) started.push(await BenchChild.start(module, ["2"]));
    const [first, second] = started;
    assert(first !== undefined && second !== undefined, "two servers");
    await Promise.all([warmed(first), warmed(second)]);
    if (besideFirst) return await Promise.all([measured(first, beside), measured(second, without)]);
    const [none, one] = await Promise.all([measured(first, without), measured(second, beside)]);
    return [one, none];
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}

function warmed(server: BenchChild<Listening>): Promise<LoadRun> {
  const listening = { ...server.hello, rooms: server.hello.rooms.slice(1) };
  return runLoad(server, {
    server: "heddle",
    listening,
    workload: heavy,
    seconds: heavyWarmUpSeconds,
    stalled: 0,
    firstClient: 0,
  });
}

function measured(server: BenchChild<Listening>, stalled: number): Promise<LoadRun> {
  const listening = { ...server.hello, rooms: server.hello.rooms.slice(0, 1) };
  return runLoad(server, {
    server: "heddle",
    listening,
    workload: heavy,
    seconds: heavySeconds,
    stalled,
    firstClient: 10_000,
  });
}
