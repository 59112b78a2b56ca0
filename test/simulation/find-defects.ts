import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { SourceCopy } from "../mutants/source-copy.ts";
import type { Defect } from "./defect.ts";
import { defectsByPart } from "./defects/all.ts";

// node test/simulation/find-defects.ts [PART]... [--match TEXT] [--seeds N] [--workers N]: plants each defect in a copy of the
// sources and runs the simulation on it, from seed 1 until one fails. Prints that seed, and how the failure reads. Exits with 1
// where N seeds (default 5,000) let a defect pass.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    match: { type: "string", default: "" },
    seeds: { type: "string", default: "5000" },
    workers: { type: "string", default: String(availableParallelism()) },
  },
});
const unknown = positionals.filter((part) => !(part in defectsByPart));
if (unknown.length > 0) {
  console.error(
    `usage: node test/simulation/find-defects.ts [${Object.keys(defectsByPart).join("|")}]... [--match TEXT]`,
  );
  process.exit(2);
}
const planted = Object.entries(defectsByPart)
  .filter(([part]) => positionals.length === 0 || positionals.includes(part))
  .flatMap(([part, defects]) => defects.map((defect) => ({ part, defect })))
  .filter(({ defect }) => defect.name.includes(values.match));

const left = [...planted];
const seeds: number[] = [];
let survivors = 0;
const started = performance.now();
await Promise.all(Array.from({ length: Math.max(1, Number(values.workers)) }, work));
console.log(
  `${planted.length - survivors} of ${planted.length} defects found within ${values.seeds} seeds, half of them by seed ` +
    `${seeds.toSorted((a, b) => a - b)[Math.floor(seeds.length / 2)] ?? "-"}, the last one by seed ${Math.max(0, ...seeds)}, ` +
    `in ${((performance.now() - started) / 60_000).toFixed(1)} minutes`,
);
process.exit(survivors === 0 ? 0 : 1);

async function work(): Promise<void> {
  const copy = new SourceCopy();
  try {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const found = await find(copy, next.defect);
      if (found === null) survivors += 1;
      else seeds.push(found.seed);
      const outcome = found === null ? "NOT FOUND      " : `found by seed ${String(found.seed).padEnd(4)}`;
      console.log(`${outcome}  ${next.part}: ${next.defect.name}${found === null ? "" : `  (${found.words})`}`);
    }
  } finally {
    copy.remove();
  }
}

interface Found {
  readonly seed: number;
  /** How the failure reads. */
  readonly words: string;
}

/** Returns the first seed that fails with the defect; null: none does. */
async function find(copy: SourceCopy, defect: Defect): Promise<Found | null> {
  const mend = copy.plant(defect);
  try {
    const { code, said } = await simulated(copy.folder);
    if (code === 0) return null;
    const seed = /^replay: .*--seed (\d+)$/m.exec(said)?.[1];
    if (seed === undefined) throw new Error(`${defect.name}: the simulation did not run\n${said}`);
    const words = /simulation of seed \d+: (.*)/.exec(said)?.[1] ?? said.split("\n")[0] ?? "";
    return { seed: Number(seed), words: words.slice(0, 120) };
  } finally {
    mend();
  }
}

function simulated(folder: string): Promise<{ readonly code: number; readonly said: string }> {
  const child = spawn(process.execPath, ["test/simulation/run.ts", "--seeds", values.seeds], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (data: Buffer) => {
    said += data.toString("utf8");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve({ code: code ?? 1, said }));
  });
}
