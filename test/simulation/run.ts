import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runTurnWalk } from "../../src/core/turn/turn-walk.test-support.ts";
import { simulateCluster } from "../cluster/simulate.ts";
import { runTextSession } from "../text/session.ts";
import { simulate, type SimulationReport } from "./simulate.ts";

// npm run sim [-- --text | --turns | --nodes] [--seeds N] [--from S] [--workers N] [--seed S]: prints one line at the end; names a failing seed
// and stops. --text: only replicas of one text, against an oracle, 10,000 seeds by default. --turns: only the turn
// machine, in a world that answers late and crashes, 10,000 seeds of 100 events by default. --nodes: only the protocol between
// nodes, over a database in memory, 2,000 seeds by default. Seeds of lives and of nodes are divided among the workers.

const { values } = parseArgs({
  options: {
    text: { type: "boolean", default: false },
    turns: { type: "boolean", default: false },
    nodes: { type: "boolean", default: false },
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    workers: { type: "string", default: "1" },
  },
});
const from = Number(values.seed ?? values.from);
const usual = values.text || values.turns ? 10_000 : values.nodes ? 2_000 : 200;
const count = values.seed === undefined ? Number(values.seeds ?? usual) : 1;
if (!Number.isInteger(from) || !Number.isInteger(count) || count < 1) {
  console.error("usage: npm run sim -- [--text | --turns | --nodes] [--seeds N] [--from S] [--workers N] | --seed S");
  process.exit(2);
}
let current = from;
if (values.text) simulateTexts();
if (values.turns) simulateTurns();
const started = performance.now();
const workers = Math.min(Number(values.workers), count);
const sums = workers > 1 ? await simulateBeside(workers) : await simulateHere();
if (process.send !== undefined) process.send(sums, () => process.exit(0));
else {
  console.log(values.nodes ? sentenceOfNodes(sums) : sentence(sums));
  process.exit(0);
}

/** What lives did, in numbers. */
type Sums = Readonly<Record<string, number>>;

async function simulateHere(): Promise<Sums> {
  // What nobody awaits may fail too.
  process.on("uncaughtException", fail);
  let all: Sums = {};
  for (let seed = from; seed < from + count; seed += 1) {
    current = seed;
    all = added(all, await (values.nodes ? livedNodes(seed) : livedWhole(seed)).catch(fail));
  }
  return all;
}

/** Divides the seeds among processes; the first failure ends them all. */
async function simulateBeside(processes: number): Promise<Sums> {
  const each = Math.ceil(count / processes);
  const children: ChildProcess[] = [];
  const parts = Array.from({ length: processes }, (_, index) => {
    const seeds = Math.min(each, count - index * each);
    const which = values.nodes ? ["--nodes"] : [];
    const args = [...which, "--from", String(from + index * each), "--seeds", String(seeds)];
    const child = fork(fileURLToPath(import.meta.url), args);
    children.push(child);
    return new Promise<Sums>((resolve) => {
      child.on("message", (sums) => resolve(sums as Sums));
      child.on("exit", (code) => {
        if (code === 0) return;
        for (const other of children) other.kill("SIGKILL");
        process.exit(1);
      });
    });
  });
  return (await Promise.all(parts)).reduce(added, {});
}

async function livedWhole(seed: number): Promise<Sums> {
  const { seed: _seed, faults, ...rest } = await simulate(seed);
  return { ...rest, ...faults };
}

async function livedNodes(seed: number): Promise<Sums> {
  const { problems, writes, epochs } = await simulateCluster(seed);
  if (problems.length > 0) throw new Error(problems.slice(0, 5).join("; "));
  return { writes, epochs };
}

function added(a: Sums, b: Sums): Sums {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...keys].map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]));
}

function sentence(all: Sums): string {
  const of = (key: keyof SimulationReport | keyof SimulationReport["faults"]): number => all[key] ?? 0;
  return (
    `simulation: seeds ${from} to ${from + count - 1}: ${of("typed")} words typed, ${of("messages")} messages, ${of("works")} works of the clerk, ` +
    `${of("cuts")} cuts, ${of("crashes")} crashes, ${of("unheard")} of them between a commit and its answer, ${of("full")} full disks, ` +
    `${of("jumps")} jumps of the clock, ${of("broken")} broken replies, ${of("child")} calls whose MCP server failed, ` +
    `${of("file")} failed steps of the folder's disk, ${of("forgotten")} changes let go of, ${(of("lastedMs") / 60_000).toFixed(0)} minutes of life ` +
    `in ${((performance.now() - started) / 1000).toFixed(1)} s; nothing lost`
  );
}

function sentenceOfNodes({ writes = 0, epochs = 0 }: Sums): string {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return (
    `simulation of nodes: seeds ${from} to ${from + count - 1}: ${writes} writes under ${epochs} epochs in ${seconds} s; ` +
    "no stale write, nothing acknowledged lost"
  );
}

function fail(problem: unknown): never {
  console.error(problem);
  console.error(`replay: npm run sim -- ${values.nodes ? "--nodes " : ""}--seed ${current}`);
  process.exit(1);
}

function simulateTexts(): never {
  const sums = { replicas: 0, edits: 0, undone: 0, crashes: 0, compactions: 0 };
  const begun = performance.now();
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      // Every fiftieth run is long enough for deep trees in the engine.
      const report = runTextSession(seed, seed % 50 === 0 ? 400 : undefined);
      for (const key of ["replicas", "edits", "undone", "crashes", "compactions"] as const) sums[key] += report[key];
    } catch (problem) {
      console.error(problem);
      console.error(`replay: npm run sim -- --text --seed ${seed}`);
      process.exit(1);
    }
  }
  console.log(
    `text simulation: seeds ${from} to ${from + count - 1}: ${sums.replicas} replicas, ${sums.edits} edits, ` +
      `${sums.undone} of them undo or redo, ${sums.crashes} crashes, ${sums.compactions} compactions ` +
      `in ${((performance.now() - begun) / 1000).toFixed(1)} s; every text is the oracle's`,
  );
  process.exit(0);
}

function simulateTurns(): never {
  const sums = { accepted: 0, refused: 0, restarts: 0, toolRuns: 0, messages: 0 };
  const begun = performance.now();
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      const report = runTurnWalk(seed, 100);
      for (const key of ["accepted", "refused", "restarts", "toolRuns", "messages"] as const) sums[key] += report[key];
    } catch (problem) {
      console.error(problem);
      console.error(`replay: npm run sim -- --turns --seed ${seed}`);
      process.exit(1);
    }
  }
  console.log(
    `turn simulation: seeds ${from} to ${from + count - 1}: ${sums.accepted + sums.refused} events, ${sums.refused} refused, ` +
      `${sums.restarts} restarts, ${sums.toolRuns} calls run, ${sums.messages} messages ` +
      `in ${((performance.now() - begun) / 1000).toFixed(1)} s; every history is whole`,
  );
  process.exit(0);
}
