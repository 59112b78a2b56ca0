// npm run test:clients:acp: agents that people use, against a mock of their provider. Inside Heddle each completes a turn, an edit with a
// permission, a cancel, and is killed in the midst of a turn; as clients of its MCP server they edit one canvas while a person types.
// The first run installs them beside this file.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  agentsWorld,
  closeAgents,
  type AgentsWorld,
} from "../../../src/host/outside-agents/outside-agents.test-support.ts";
import { until } from "../../../src/testing/test-client.ts";
import { editOneCanvas } from "./edit-canvas.ts";
import { agents, changed, type Agent } from "./programs.ts";
import { startAgentProvider } from "./provider.ts";

const here = import.meta.dirname;
const bin = process.env["HEDDLE_ACP_AGENTS"] ?? join(here, "node_modules", ".bin");
if (!existsSync(bin)) install();
if (process.env["HEDDLE_IN_NAMESPACE"] === undefined) process.exit(inNamespace());

/** Installs the locked versions. A registry that lacks an agent's programs for other systems fails `npm ci`, but not this. */
function install(): void {
  const args = ["--no-audit", "--no-fund"];
  const clean = spawnSync("npm", ["ci", ...args], { cwd: here, stdio: "inherit" });
  if (clean.status !== 0) execFileSync("npm", ["install", "--no-save", ...args], { cwd: here, stdio: "inherit" });
}

/** Runs this file again where only the loopback interface is; without that where it is forbidden. */
function inNamespace(): number {
  const own = [process.execPath, import.meta.filename, ...process.argv.slice(2)];
  const alone = ["-U", "--map-user=1000", "--map-group=1000", "--keep-caps", "-n", "sh", "-c"];
  const inside = 'ip link set lo up && exec setpriv --ambient-caps -all --inh-caps -all "$@"';
  const may = spawnSync("unshare", [...alone, inside, "sh", "true"]).status === 0;
  console.log(
    may ? "The agents see the loopback interface alone." : "No namespace here: the agents could reach a network.",
  );
  const [command = "", ...args] = may ? ["unshare", ...alone, inside, "sh", ...own] : own;
  const env = { ...process.env, HEDDLE_IN_NAMESPACE: may ? "yes" : "no" };
  return spawnSync(command, args, { stdio: "inherit", env }).status ?? 1;
}

async function tryAgent(id: string, agent: Agent): Promise<void> {
  const { command, args, prepare, write } = agent;
  const home = mkdtempSync(join(tmpdir(), `heddle-${id}-`));
  const folder = join(home, "work");
  mkdirSync(folder);
  const path = join(folder, "a.md");
  writeFileSync(path, "one\n");
  const provider = await startAgentProvider(agent);
  const began = performance.now();
  const log = (what: string): void =>
    console.log(`${id}: ${what} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  try {
    const env = { HOME: home, PATH: process.env["PATH"] ?? "", ...prepare(home, provider.url) };
    const world = await agentsWorld(folder, env, null, { command: join(bin, command), args, boundMs: 60_000 });
    await world.send("Hello");
    await world.run("idle", "error");
    check(
      world.path().join("\n").includes("Hello from the mock."),
      `a turn: ${JSON.stringify(world.view().runs[0]?.state)} ${world.path().join(" | ")}`,
    );
    log("a turn");
    await tryEdit(world, { words: write(path), path });
    log("an edit with a permission");
    await world.send("SLOW please");
    await until(world.heddle.conversation(world.rootId), (view) => (view?.runs[0]?.liveBlocks.length ?? 0) > 0, 60_000);
    const asked = performance.now();
    await world.heddle.call("run.cancel", { runId: (await world.run("requesting")).runId });
    await world.run("idle", "error");
    log(`a cancel in ${Math.round(performance.now() - asked)} ms`);
    await world.send("Hello again");
    await world.run("idle", "error");
    check(world.path().at(-1)?.includes("Hello from the mock.") === true, `goes on: ${world.path().join(" | ")}`);
    log("goes on after the cancel");
    await tryKill(world);
    log("killed in the midst of a turn, and goes on");
  } catch (problem) {
    const seen = provider.seen.requests.map(({ path: asked }) => asked).slice(-5);
    console.error(
      `${id}: the provider was asked ${JSON.stringify(seen)} and refused ${JSON.stringify(provider.seen.rejections.slice(-2))}`,
    );
    throw problem;
  } finally {
    await closeAgents();
    await provider.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Kills the agent while it answers: the turn ends with a reason, and the next message is answered. */
async function tryKill(world: AgentsWorld): Promise<void> {
  await world.send("SLOW please");
  await until(world.heddle.conversation(world.rootId), (view) => (view?.runs[0]?.liveBlocks.length ?? 0) > 0, 60_000);
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  for (const child of children) process.kill(Number(child), "SIGKILL");
  const { state } = await world.run("error", "idle");
  check(state.type === "error" && state.message.includes("AGENT_LOST"), `says what happened: ${JSON.stringify(state)}`);
  const answers = (): number => world.path().filter((each) => each.includes("Hello from the mock.")).length;
  const before = answers();
  await world.send("Hello after that");
  const after = await world.run("idle", "error");
  check(answers() === before + 1, `answers after that: ${JSON.stringify(after.state)} ${world.path().join(" | ")}`);
}

/** Sends words that make the agent write a file, and allows it. */
async function tryEdit(
  world: AgentsWorld,
  { words, path }: { readonly words: string; readonly path: string },
): Promise<void> {
  await world.send(words);
  const run = await world.run("awaiting-approval", "idle", "error");
  if (run.state.type !== "awaiting-approval") {
    throw new Error(`nobody was asked: ${JSON.stringify(run.state)} ${world.path().join(" | ")}`);
  }
  check(readFileSync(path, "utf8") === "one\n", "nothing is written before it is allowed");
  const { callId, argumentsHash } = run.state.request;
  const given = { runId: run.runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
  await world.heddle.call("approval.answer", given);
  await world.run("idle", "error");
  check(readFileSync(path, "utf8") === changed, `the edit is on disk: ${world.path().join(" | ")}`);
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

// With names of agents these alone are tried; with --canvas, only as clients.
const given = process.argv.slice(2);
const names = given.filter((each) => !each.startsWith("--"));
const wanted = Object.entries(agents).filter(([id]) => names.length === 0 || names.includes(id));
let failures = 0;
const failed = (id: string, problem: unknown): void => {
  failures += 1;
  console.error(`${id}: ${problem instanceof Error ? problem.message : String(problem)}`);
};
for (const [id, agent] of given.includes("--canvas") ? [] : wanted) {
  await tryAgent(id, agent).catch((problem: unknown) => failed(id, problem));
}
await editOneCanvas(wanted, bin).catch((problem: unknown) => failed("one canvas", problem));
console.log(failures === 0 ? "all hold" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
