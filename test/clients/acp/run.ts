// npm run test:clients:acp: real agents inside Heddle, against a mock of their provider. Each completes a turn, an edit with a
// permission, a cancel, and is killed in the midst of a turn. The first run installs them beside this file.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StreamPart } from "../../../src/core/model/stream-part.ts";
import type { ModelRequest } from "../../../src/core/model/request.ts";
import { noUsage } from "../../../src/core/message/usage.ts";
import { startMockProvider, type MockProviderOptions } from "../../../src/testing/mock-provider/server.ts";
import {
  agentsWorld,
  closeAgents,
  type AgentsWorld,
} from "../../../src/host/outside-agents/outside-agents.test-support.ts";
import { until } from "../../../src/testing/test-client.ts";

interface Agent {
  readonly command: string;
  readonly args: readonly string[];
  readonly api: MockProviderOptions["api"];
  /** Writes the agent's own configuration; returns its environment. */
  readonly prepare: (home: string, url: string) => Readonly<Record<string, string>>;
  /** What makes its model add the line `two` below the line `one` of a file. */
  readonly write: (path: string) => string;
}

const changed = "one\ntwo\n";

const agents: Readonly<Record<string, Agent>> = {
  claude: {
    command: "claude-agent-acp",
    args: [],
    api: "anthropic",
    prepare: (_, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "x",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    write: (path) => `CALL Write ${JSON.stringify({ file_path: path, content: changed })}`,
  },
  codex: {
    command: "codex-acp",
    args: [],
    api: "responses",
    prepare: (home, url) => {
      mkdirSync(join(home, ".codex"));
      const config = [
        'model = "gpt-6.1-sol"',
        'model_provider = "mock"',
        "[model_providers.mock]",
        'name = "mock"',
        `base_url = "${url}/v1"`,
        'env_key = "MOCK_KEY"',
        'wire_api = "responses"',
      ];
      writeFileSync(join(home, ".codex", "config.toml"), config.join("\n"));
      return { CODEX_HOME: join(home, ".codex"), MOCK_KEY: "x", MODEL_PROVIDER: "mock" };
    },
    // Its edits are a custom call of apply_patch, which `startFront` makes.
    write: (path) => `PATCH\n*** Begin Patch\n*** Update File: ${path}\n@@\n one\n+two\n*** End Patch\nENDPATCH`,
  },
  gemini: {
    command: "gemini",
    args: ["--acp"],
    api: "gemini",
    prepare: (home, url) => {
      mkdirSync(join(home, ".gemini"));
      const settings = { security: { auth: { selectedType: "gemini-api-key" } } };
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
      return { GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    },
    write: (path) => `CALL write_file ${JSON.stringify({ file_path: path, content: changed })}`,
  },
  opencode: {
    command: "opencode",
    args: ["acp"],
    api: "chat",
    prepare: (home, url) => {
      const config = {
        provider: {
          mock: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "x" },
            models: { "mock-model": {} },
          },
        },
        model: "mock/mock-model",
        small_model: "mock/mock-model",
        autoupdate: false,
        share: "disabled",
        permission: { edit: "ask", bash: "ask" },
      };
      mkdirSync(join(home, ".config", "opencode"), { recursive: true });
      writeFileSync(join(home, ".config", "opencode", "opencode.json"), JSON.stringify(config));
      return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
    },
    write: (path) => `CALL write ${JSON.stringify({ filePath: path, content: changed })}`,
  },
};

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

async function* reply(
  { messages, tools }: ModelRequest,
  { signal, isAside }: { readonly signal: AbortSignal; readonly isAside: boolean },
): AsyncGenerator<StreamPart> {
  const last = messages.at(-1);
  // Earlier words of a turn that was stopped may be in the same message.
  const text = (last?.content ?? []).flatMap((block) => ("text" in block ? [block.text] : [])).at(-1) ?? "";
  const [, name, parameters] = /CALL (\w+) (\{.*\})/u.exec(last?.role === "user" ? text : "") ?? [];
  const finished = (reason: "end-turn" | "tool-use"): StreamPart => ({ type: "finished", reason, usage: noUsage });
  if (name !== undefined && parameters !== undefined && tools.some((tool) => tool.name === name)) {
    yield { type: "tool-call-start", index: 0, id: `call_${Date.now()}`, name };
    yield { type: "tool-call-delta", index: 0, text: parameters };
    yield { type: "tool-call-end", index: 0 };
    yield finished("tool-use");
    return;
  }
  yield { type: "text-start", index: 0 };
  if (!isAside && last?.role === "user" && text.includes("SLOW")) {
    for (let at = 0; at < 100 && !signal.aborted; at += 1) {
      yield { type: "text-delta", index: 0, text: `slow ${at} ` };
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } else if (isAside) {
    // What Gemini asks before each prompt; as the title that others ask for, it is as good as any.
    yield { type: "text-delta", index: 0, text: '{"reasoning":"x","model_choice":"flash","next_speaker":"user"}' };
  } else {
    yield { type: "text-delta", index: 0, text: last?.role === "tool" ? "RESULT: done." : "Hello from the mock." };
  }
  yield { type: "text-end", index: 0 };
  yield finished("end-turn");
}

/** Answers words that hold a patch by Codex's custom call, and the call's output by words; null: the mock answers. */
function patchEvents(body: string): string | null {
  let last: {
    readonly type?: string;
    readonly role?: string;
    readonly content?: readonly { readonly text?: string }[];
  };
  try {
    last = (JSON.parse(body) as { readonly input: readonly (typeof last)[] }).input.at(-1) ?? {};
  } catch {
    return null;
  }
  const id = `call_${Date.now()}`;
  const patch = /PATCH\n([\s\S]*)\nENDPATCH/u.exec(last.content?.at(-1)?.text ?? "")?.[1];
  const text = { type: "output_text", text: "RESULT: done." };
  const item =
    last.role === "user" && patch !== undefined
      ? { type: "custom_tool_call", id, status: "completed", call_id: id, name: "apply_patch", input: patch }
      : last.type === "custom_tool_call_output"
        ? { type: "message", id, role: "assistant", status: "completed", content: [text] }
        : null;
  if (item === null) return null;
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const events = [
    { type: "response.created", response: { id: `resp_${id}` } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: `resp_${id}`, usage } },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** Is before the mock, which knows the provider's documented paths alone: Claude Code adds `?beta=true`. */
async function startFront(url: string, api: Agent["api"]): Promise<{ readonly url: string; close(): void }> {
  const front = createServer((incoming, outgoing) => {
    const { pathname, search } = new URL(incoming.url ?? "/", url);
    const path = api === "gemini" ? pathname + search : pathname;
    const { method, headers } = incoming;
    const pass = (body: Buffer): void => {
      const asked = request(new URL(path, url), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      asked.on("error", () => outgoing.destroy());
      outgoing.on("close", () => asked.destroy());
      asked.end(body);
    };
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const body = Buffer.concat(pieces);
      const own = api === "responses" && method === "POST" ? patchEvents(body.toString()) : null;
      if (own === null) return pass(body);
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(own);
    });
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port } = front.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => front.closeAllConnections() };
}

async function tryAgent(id: string, { command, args, api, prepare, write }: Agent): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), `heddle-${id}-`));
  const folder = join(home, "work");
  mkdirSync(folder);
  const path = join(folder, "a.md");
  writeFileSync(path, "one\n");
  const provider = await startMockProvider({
    api,
    strict: false,
    // Codex has tools of its own form, which are no function tools.
    reply: (asked, signal) => reply(asked, { signal, isAside: api !== "responses" && asked.tools.length === 0 }),
  });
  const front = await startFront(provider.url, api);
  const began = performance.now();
  const log = (what: string): void =>
    console.log(`${id}: ${what} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  try {
    const env = { HOME: home, PATH: process.env["PATH"] ?? "", ...prepare(home, front.url) };
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
    const seen = provider.requests.map(({ path: asked }) => asked).slice(-5);
    console.error(
      `${id}: the provider was asked ${JSON.stringify(seen)} and refused ${JSON.stringify(provider.rejections.slice(-2))}`,
    );
    throw problem;
  } finally {
    await closeAgents();
    front.close();
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

const wanted = process.argv.slice(2);
let failures = 0;
for (const [id, agent] of Object.entries(agents)) {
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  await tryAgent(id, agent).catch((problem: unknown) => {
    failures += 1;
    console.error(`${id}: ${problem instanceof Error ? problem.message : String(problem)}`);
  });
}
process.exit(failures === 0 ? 0 : 1);
