import { BenchChild, type Listening } from "./sync/child.ts";
import type { LoadOptions, LoadResult } from "./sync/load.ts";
import { servers } from "./sync/wires.ts";
import { deliveriesPerSecond, workloads, type Workload } from "./sync/workload.ts";
import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";

const seconds = 6;
const warmUpSeconds = 2;
const limit = "ws";

const bench: Bench = {
  name: "sync",
  question: "What does a delivery of an edit cost the server, and how long does it take?",
  async run({ rounds, log, peer }) {
    // Installs the peers where they are not.
    await peer("yjs");
    const rows: BenchRow[] = [];
    for (const workload of workloads) {
      const samples = new Map<string, Sample[]>(Object.keys(servers).map((name) => [name, []]));
      for (let round = 0; round < rounds; round += 1) {
        const names = round % 2 === 0 ? [...samples.keys()] : [...samples.keys()].toReversed();
        for (const name of names) {
          const sample = await measure(name, workload);
          log(
            `${workload.name} ${name}: ${sample.usPerDelivery.toFixed(1)} us a delivery, p50 ${sample.p50.toFixed(1)} ms`,
          );
          samples.get(name)?.push(sample);
        }
      }
      rows.push(...rowsOf(workload, samples));
    }
    return rows;
  },
};

export default bench;

interface Sample {
  readonly usPerDelivery: number;
  readonly p50: number;
  readonly p99: number;
}

/** One server and one load, each in a process of its own. A sample in which updates went missing counts for nothing. */
async function measure(name: string, workload: Workload): Promise<Sample> {
  const { module } = servers[name] ?? {};
  if (module === undefined) throw new Error(`no server ${name}`);
  const server = await BenchChild.start<Listening>(module, [String(workload.rooms)]);
  try {
    await load(server, { server: name, listening: server.hello, workload, seconds: warmUpSeconds, firstClient: 0 });
    const { result, cpuMs } = await load(server, {
      server: name,
      listening: server.hello,
      workload,
      seconds,
      firstClient: 10_000,
    });
    const whole = result.arrived > 0.999;
    const usPerDelivery = whole ? (cpuMs * 1_000) / result.deliveries : Number.NaN;
    return { usPerDelivery, p50: result.p50, p99: result.p99 };
  } finally {
    await server.stop();
  }
}

async function load(
  server: BenchChild<Listening>,
  options: LoadOptions,
): Promise<{ readonly result: LoadResult; readonly cpuMs: number }> {
  const clients = await BenchChild.start<"ready">("./load.ts", [JSON.stringify(options)]);
  const before = await server.used();
  const result = await clients.ask<LoadResult>({ ask: "go" });
  const { cpuMs } = await server.used();
  await clients.end();
  return { result, cpuMs: cpuMs - before.answeredCpuMs };
}

function rowsOf(workload: Workload, samples: ReadonlyMap<string, readonly Sample[]>): readonly BenchRow[] {
  const work = `${workload.name}: ${deliveriesPerSecond(workload)} deliveries a second`;
  const bare = samples.get(limit) ?? [];
  return [...samples].flatMap(([subject, own]) => {
    const ratios = own.map(({ usPerDelivery }, round) => usPerDelivery / (bare[round]?.usPerDelivery ?? Number.NaN));
    const ratio = median(ratios.filter((value) => !Number.isNaN(value)));
    const cost = median(own.map(({ usPerDelivery }) => usPerDelivery));
    const goal = subject === "heddle" ? atMost(workload.goal, ratio) : noGoal;
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
        ...propagation(subject, workload, p99, 50),
      },
    ];
  });
}

/** The specification bounds the arrival on a quiet machine: at the lightest load. */
function propagation(
  subject: string,
  { name }: Workload,
  figure: number,
  most: number,
): Pick<BenchRow, "goal" | "holds"> {
  return subject === "heddle" && name === "A" ? atMost(most, figure) : noGoal;
}
