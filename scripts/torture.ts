import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { repository } from "./command.ts";
import { proofPage } from "./proof-page.ts";

// The full counts of every promise, step by step. docs/proof.md has a section for each step with the commit at which it last ran,
// its seeds and its figures; a run rewrites the sections of its steps. Takes long.
//   npm run torture               everything
//   npm run torture -- sim fuzz   only these steps

interface Step {
  readonly name: string;
  readonly promise: string;
  /** Its figures are measured against goals; a completed run does not mean that they hold. */
  readonly measures?: true;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const tenfold = { HEDDLE_TORTURE: "10" } as const;

const steps: readonly Step[] = [
  {
    name: "sim",
    promise:
      "Server and clients under cut and delayed connections, crashes, commits whose answer was lost, full disks, jumps of the clock, providers and MCP servers that die, hang, are late, answer twice or with garbage, and a failing folder that another program writes too, several at once at rates of each seed's own: nothing acknowledged is lost or doubled, all texts are equal when idle, each call of a tool took effect at most once and only where a person allowed it",
    args: ["test/simulation/run.ts", "--seeds", "10000", "--workers", String(availableParallelism())],
  },
  {
    name: "sim-defects",
    promise:
      "Defects planted in a copy of the sources, one at a time, over store, documents, runs, leases, forest, rooms, effects once, approvals, clock, MCP servers' children and files: the simulation finds each within 5,000 seeds",
    args: ["test/simulation/find-defects.ts"],
  },
  {
    name: "fuzz",
    promise: "Mutated and truncated updates are refused whole",
    args: ["test/fuzz/run.ts", "text", "--count", "100000"],
  },
  {
    name: "sim-text",
    promise: "2 to 6 replicas of a text, offline, crashing, undoing and compacted: equal to an oracle of its own",
    args: ["test/simulation/run.ts", "--text", "--seeds", "10000"],
  },
  {
    name: "sim-turns",
    promise: "A million events through the turn machine, crashes and late answers among them: every history is whole",
    args: ["test/simulation/run.ts", "--turns"],
  },
  {
    name: "fuzz-providers",
    promise: "Every recorded stream cut at every event: what remains is a history that all four formats accept",
    args: ["test/fuzz/run.ts", "providers"],
  },
  {
    name: "fuzz-syntax",
    promise: "The laws of every tool-call syntax",
    args: ["test/fuzz/run.ts", "syntax", "--count", "5000"],
  },
  {
    name: "fuzz-acp",
    promise: "100,000 mutated frames at both ends of ACP: no crash, and a refused frame has no effect",
    args: ["test/fuzz/run.ts", "acp", "--count", "100000"],
  },
  {
    name: "fuzz-mcp",
    promise: "100,000 mutated frames of MCP: no crash, and a refused frame has no effect",
    args: ["test/fuzz/run.ts", "mcp", "--count", "100000"],
  },
  {
    name: "agents",
    promise: "20 outside agents and 5 people on one canvas for a minute: nothing lost, everything attributed",
    measures: true,
    args: ["test/agents/run.ts", "--seconds", "60"],
  },
  {
    name: "attack",
    promise:
      "Connections that are silent, pipelined, unread or without a token delay nobody's typing, and leave nothing behind",
    measures: true,
    args: ["test/attack/run.ts", "all"],
  },
  {
    name: "nodes",
    promise:
      "Three processes on one PostgreSQL, 30 documents, 20 conversations and 60 people, for a quarter of an hour of kills, stops, cut and delayed links, ended sessions and restarts of the database: no stale write is accepted, nothing acknowledged is lost, no call runs twice, and no document waits longer than the lease and half a second",
    measures: true,
    args: ["--expose-gc", "test/cluster/run.ts", "--rounds", "24"],
  },
  {
    name: "sim-nodes",
    promise:
      "100,000 seeds of the protocol between nodes over a database in memory: no stale write, nothing acknowledged lost; `npm test` finds each planted fault within 2,000 seeds",
    args: ["test/simulation/run.ts", "--nodes", "--seeds", "100000", "--workers", String(availableParallelism())],
  },
  {
    name: "soak",
    promise:
      "A server under 200 people who come and go and 20 agents for half an hour, killed each minute of the second half: no acknowledged word is lost, nothing is stuck, memory grows by at most 1 MB a minute, descriptors stay, and every row of the database has a cause",
    args: ["test/soak/run.ts"],
  },
  {
    name: "mutants",
    promise: "Sources broken on purpose, one defect at a time: each is found by a test",
    args: ["test/mutants/run.ts"],
  },
  {
    name: "generated-mutants",
    promise:
      "1,000 small defects drawn from the core and the host, one at a time: the tests near each find at least 85 % of those that change what the program does",
    args: ["test/mutants/generated.ts", "--count", "1000", "--kept", ".cache/generated-mutants.jsonl"],
  },
  {
    name: "patch",
    promise:
      "20,000 hunks of this repository's and generated histories applied with git and with our engine: the same text, or a difference with a cause; 10,000 spoiled patches: none applied wrongly, as many of each kind applied as the specification proposes",
    args: ["test/patch/run.ts"],
  },
  {
    name: "package",
    promise:
      "A fresh clone installs with an empty npm cache, serves within a minute and builds; what it packs installs and serves, on the machine's own Node",
    args: ["scripts/verify-package.ts"],
  },
  {
    name: "bench",
    promise: "The text engine beside the bare rope and yjs",
    measures: true,
    args: ["--expose-gc", "bench/run.ts", "text", "--rounds", "3"],
  },
  {
    name: "beside",
    promise:
      "A person types while another opens, exports, searches, adds to and deletes a conversation of 50,000 messages in a big workspace: none adds more than 50 ms to the p99 of a key each time",
    args: ["--expose-gc", "bench/run.ts", "workspace", "--only", "beside", "--rounds", "1", "--judge"],
  },
  {
    name: "process",
    promise: "The real server, killed 50 times at work, 50 times inside rounds of tools and with commands on their way",
    args: ["scripts/test.ts", "test/process"],
    env: tenfold,
  },
  {
    name: "sandbox",
    promise:
      "Commands of agents: none of the probes of a user without rights gets out, and a cancelled tree with a fork that ignores SIGTERM is gone within 100 ms (p95 of 100)",
    args: ["scripts/test.ts", "test/sandbox"],
    env: tenfold,
  },
  {
    name: "power-cut",
    promise:
      "What was written to the disk, replayed up to 1,000 instants of a power cut: nothing acknowledged is lost, nothing is broken; stores that sync less are found out",
    args: ["scripts/test.ts", "test/power-cut"],
    env: tenfold,
  },
  {
    name: "browser",
    promise:
      "The real app: killed under 50 times, 200 runs of two browsers and an agent over a rough network, and control taken 100 times: the text is editable within 150 ms (p95), and nothing of the agent comes after it",
    args: ["scripts/test.ts", "test/e2e"],
    env: tenfold,
  },
  {
    name: "laws",
    promise: "Every other test, with ten times the cases of every law",
    args: [
      "scripts/test.ts",
      "src",
      "web",
      "test/text",
      "test/providers",
      "test/fuzz",
      "test/simulation",
      "test/turns",
      "test/tidy",
      "test/package",
    ],
    env: tenfold,
  },
];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => steps.every((step) => step.name !== name));
if (unknown.length > 0) {
  console.error(`torture: no step ${unknown.join(", ")}; there are ${steps.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const proofFile = join(repository, "docs/proof.md");
const names = steps.map(({ name }) => name);
let failed = 0;
for (const step of steps.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  console.log(`\ntorture: ${step.name}`);
  const commit = currentCommit();
  const started = performance.now();
  const { code, lines } = await runStep(step);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  if (code !== 0) failed += 1;
  const shown = Object.entries(step.env ?? {})
    .map(([name, value]) => `${name}=${value} `)
    .join("");
  const section =
    `## ${step.name}: ${code !== 0 ? "FAILED" : step.measures === true ? "measured" : "holds"}\n\n${step.promise}.\n\n` +
    `\`${shown}node ${step.args.join(" ")}\`, at commit \`${commit}\`, Node ${process.version}, ${availableParallelism()} cores, ` +
    `${minutes} minutes.\n\n\`\`\`\n${lines.join("\n")}\n\`\`\`\n`;
  // After each step, so that the results are kept when a later step is interrupted.
  writeFileSync(proofFile, proofPage(readFileSync(proofFile, "utf8"), names, { name: step.name, section }));
}
process.exit(failed === 0 ? 0 : 1);

/** The commit that is checked out, marked where files differ from it; docs/proof.md itself may. */
function currentCommit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ":!docs/proof.md");
  return `${git("rev-parse", "--short=12", "HEAD")}${changed === "" ? "" : " with changes"}`;
}

/** Runs a step, showing its output, and keeps its last lines, which have the figures. */
function runStep(step: Step): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const child = spawn(process.execPath, [...step.args], {
    cwd: repository,
    env: { ...process.env, ...step.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: string[] = [];
  child.stdout.on("data", (data: Buffer) => {
    process.stdout.write(data);
    printed.push(data.toString("utf8"));
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) =>
      resolve({
        code: code ?? 1,
        lines: printed
          .join("")
          .trimEnd()
          .split("\n")
          .slice(-30)
          .map((line) => line.replaceAll(repository, "")),
      }),
    );
  });
}
