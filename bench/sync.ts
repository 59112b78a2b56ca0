import { BenchChild, type Listening } from "./sync/child.ts";
import { servers } from "./sync/wires.ts";
import { durableRows } from "./sync/durable.ts";
import { measureMemory, memoryRows, type MemorySample } from "./sync/memory.ts";
import { runLoad } from "./sync/run-load.ts";
import { slowReaderRows } from "./sync/slow-reader.ts";
import { deliveriesPerSecond, warmUp, warmUpSeconds, workloads, type Workload } from "./sync/workload.ts";
import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";

const workloadSeconds = 6;
const limit = "ws";
const durableLimit = "ws, on disk";

const bench: Bench = {
  name: "sync",
  rounds: 1,
  question: "What does a delivery of an edit cost the server, and how long does it take?",
  async run({ rounds, isAsked, log, peer }) {
    // Installs the peers if they are missing.
    await peer("yjs");
    const rows: BenchRow[] = [];
    for (const workload of workloads) {
      if (!isAsked(workload.name)) continue;
      const samples = await inQueue(rounds, async (name) => {
        const sample = await measure(name, workload);
        const { usPerDelivery, p50 } = sample;
        log(`${workload.name} ${name}: ${usPerDelivery.toFixed(1)} us a delivery, p50 ${p50.toFixed(1)} ms`);
        return sample;
      });
      rows.push(...rowsOf(workload, samples));
    }
    if (isAsked("M")) {
      const samples = await inQueue<MemorySample>(1, async (name) => {
        const sample = await measureMemory(name);
        log(`M ${name}: ${JSON.stringify(sample)}`);
        return sample;
      });
      rows.push(...memoryRows(samples));
    }
    if (isAsked("slow")) rows.push(...(await slowReaderRows(rounds, log)));
    if (isAsked("durable")) rows.push(...(await durableRows()));
    return rows;
  },
};

export default bench;

/** Measures every server once per round, in the opposite order every other round. */
async function inQueue<Measured>(
  rounds: number,
  measured: (name: string) => Promise<Measured>,
): Promise<ReadonlyMap<string, readonly Measured[]>> {
  const samples = new Map<string, Measured[]>(Object.keys(servers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const names = round % 2 === 0 ? [...samples.keys()] : [...samples.keys()].toReversed();
    for (const name of names) samples.get(name)?.push(await measured(name));
  }
  return samples;
}

interface Sample {
  readonly usPerDelivery: number;
  readonly p50: number;
  readonly p99: number;
}

/** Runs one server and one load, each in its own process. A sample with missing updates does not count. */
async function measure(name: string, workload: Workload): Promise<Sample> {
  const { module } = servers[name] ?? {};
  if (module === undefined) throw new Error(`no server ${name}`);
  const server = await BenchChild.start<Listening>(module, [String(workload.rooms)]);
  try {
    const shared = { server: name, listening: server.hello, stalled: 0 };
    await runLoad(server, { ...shared, workload: warmUp(workload), seconds: warmUpSeconds, firstClient: 0 });
    const { result, cpuMs } = await runLoad(server, {
      ...shared,
      workload,
      seconds: workloadSeconds,
      firstClient: 10_000,
    });
    const whole = result.arrived > 0.999;
    const usPerDelivery = whole ? (cpuMs * 1_000) / result.deliveries : Number.NaN;
    return { usPerDelivery, p50: result.p50, p99: result.p99 };
  } finally {
    await server.stop();
  }
}

function rowsOf(workload: Workload, samples: ReadonlyMap<string, readonly Sample[]>): readonly BenchRow[] {
  const work = `${workload.name}: ${deliveriesPerSecond(workload)} deliveries a second`;
  const rows = [...samples].flatMap(([subject, own]) => {
    const ratio = ratioTo(samples.get(limit), own);
    const cost = median(own.map(({ usPerDelivery }) => usPerDelivery));
    const goal = subject === "heddle" && workload.goal !== null ? atMost(workload.goal, ratio) : noGoal;
    const p50 = median(own.map((sample) => sample.p50));
    const p99 = median(own.map((sample) => sample.p99));
    return [
      { work, subject, value: cost, unit: "us CPU", ratio: subject === limit ? null : ratio, ...goal },
      {
        work: `${workload.name}: arrival, p50`,
        subject,
        value: p50,
        unit: "ms",
        ratio: null,
        ...propagation(subject, workload, p50, 5),
      },
      {
        work: `${workload.name}: arrival, p99`,
        subject,
        value: p99,
        unit: "ms",
        ratio: null,
        ...(workload.p99Max === undefined || subject !== "heddle"
          ? propagation(subject, workload, p99, 50)
          : atMost(workload.p99Max, p99)),
      },
    ];
  });
  const { goalOnDisk } = workload;
  if (goalOnDisk === undefined) return rows;
  const onDisk = ratioTo(samples.get(durableLimit), samples.get("heddle") ?? []);
  const beside = { work: `${workload.name}: beside ${durableLimit}`, subject: "heddle", value: onDisk, unit: "x" };
  return [...rows, { ...beside, ratio: null, ...atMost(goalOnDisk, onDisk) }];
}

/** The median of the rounds. */
function ratioTo(limits: readonly Sample[] = [], own: readonly Sample[]): number {
  const ratios = own.map(({ usPerDelivery }, round) => usPerDelivery / (limits[round]?.usPerDelivery ?? Number.NaN));
  return median(ratios.filter((value) => !Number.isNaN(value)));
}

/** The specification limits the arrival time on an idle machine: at the lightest load. */
function propagation(
  subject: string,
  { name }: Workload,
  figure: number,
  most: number,
): Pick<BenchRow, "goal" | "holds"> {
  return subject === "heddle" && name === "A" ? atMost(most, figure) : noGoal;
}
