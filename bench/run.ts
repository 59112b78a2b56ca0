import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Bench, BenchContext } from "./harness/bench.ts";
import { table } from "./harness/table.ts";

// npm run bench -- NAME [--json] [--rounds N] [--only WORK,…] [--judge]: runs one bench, peers and Heddle in the same rounds.
// With --judge it fails where a goal is missed.

const folder = fileURLToPath(new URL(".", import.meta.url));
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".ts") && name !== "run.ts")
  .map((name) => name.slice(0, -3));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string" },
    judge: { type: "boolean", default: false },
    only: { type: "string" },
  },
});
const name = positionals[0];
const asked = values.rounds === undefined ? null : Number(values.rounds);
if (name === undefined || !names.includes(name) || (asked !== null && !(Number.isInteger(asked) && asked >= 1))) {
  console.error(
    `usage: npm run bench -- NAME [--json] [--rounds N] [--only WORK,…] [--judge]\nbenches: ${names.join(", ")}`,
  );
  process.exit(2);
}

const only = values.only?.split(",") ?? null;

const bench = ((await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as { default: Bench }).default;
const context: BenchContext = {
  rounds: asked ?? bench.rounds ?? 5,
  isAsked: (work) => only === null || only.includes(work),
  dataFolder: process.env["HEDDLE_TEST_DATA"] ?? join(folder, "../../shared/data"),
  peer: loadPeer,
  log: (line) => console.error(line),
};
const rows = await bench.run(context);
if (values.json) console.log(JSON.stringify({ name: bench.name, rows }));
else console.log(`${bench.question}\n\n${table(rows)}`);
const missed = rows.filter(({ holds }) => holds === false);
if (values.judge)
  for (const { work, value, unit, goal } of missed) console.error(`MISSED: ${work}: ${value} ${unit}, ${goal}`);
process.exit(values.judge && missed.length > 0 ? 1 : 0);

async function loadPeer<Module>(peer: string): Promise<Module> {
  const peers = join(folder, "peers");
  if (!areInstalled(peers)) {
    console.error("bench: installing the peers (bench/peers, once)");
    const done = spawnSync("npm", ["ci", "--ignore-scripts"], { cwd: peers, stdio: ["ignore", 2, 2] });
    if (done.status !== 0) throw new Error("the peers could not be installed: npm ci in bench/peers failed");
  }
  const resolved = createRequire(join(peers, "package.json")).resolve(peer);
  return (await import(pathToFileURL(resolved).href)) as Module;
}

/** Whether what is installed was installed by the lock file as it is now. */
function areInstalled(peers: string): boolean {
  const installed = join(peers, "node_modules/.package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(peers, "package-lock.json")).mtimeMs;
}
