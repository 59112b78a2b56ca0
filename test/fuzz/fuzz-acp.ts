import { setImmediate } from "node:timers/promises";
import { ok } from "../../src/core/base/result.ts";
import { agentDoor, type DoorServer } from "../../src/host/cli/acp/agent-door.ts";
import { ndJsonStream } from "../../src/adapters/acp/acp-package.ts";
import { clientOf } from "../../src/host/outside-agents/agent-link.ts";
import type { AgentHandlers } from "../../src/host/outside-agents/agent-handlers.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { mutate } from "./mutate.ts";

export interface AcpFuzzReport {
  readonly frames: number;
  /** Answered with an error; none of them had an effect. */
  readonly refused: number;
  /** Carried out: the mutation left the frame valid. */
  readonly carriedOut: number;
  /** Neither answered nor with an effect. */
  readonly ignored: number;
}

/** One end of the protocol under test. */
interface End {
  /** Valid frames of the other end. */
  readonly frames: readonly object[];
  /** A request that is always answered, which shows that everything before it was read. */
  readonly sentinel: object;
  /** What was done since the last call. */
  takeEffects(): readonly string[];
  open(): { readonly output: WritableStreamDefaultWriter<Uint8Array>; readonly answers: AsyncIterator<string> };
}

/** Sends mutated frames to Heddle as an agent and as an agent's client. Throws where a refused frame had an effect. */
export async function fuzzAcp(count: number, seed: number): Promise<AcpFuzzReport> {
  // The package writes every refused notification to standard error.
  const { error } = console;
  console.error = () => {};
  try {
    const half = Math.ceil(count / 2);
    const asAgent = await attack(agentEnd(), { count: half, seed });
    const asClient = await attack(clientEnd(), { count: count - half, seed: seed + half });
    return {
      frames: asAgent.frames + asClient.frames,
      refused: asAgent.refused + asClient.refused,
      carriedOut: asAgent.carriedOut + asClient.carriedOut,
      ignored: asAgent.ignored + asClient.ignored,
    };
  } finally {
    console.error = error;
  }
}

async function attack(
  end: End,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<AcpFuzzReport> {
  const report = { frames: 0, refused: 0, carriedOut: 0, ignored: 0 };
  const { output, answers } = end.open();
  for (let at = 0; at < count; at += 1) {
    const random = seededRandom(seed + at);
    const frame = end.frames[random.below(end.frames.length)] ?? {};
    const id = `f${at}`;
    const whole = { jsonrpc: "2.0", id, ...frame };
    // Half of them stay JSON, and say something else.
    const isJson = random.below(2) === 0;
    let bytes: Uint8Array = Buffer.from(JSON.stringify(isJson ? changed(whole, random) : whole));
    for (let times = isJson ? 0 : 1 + random.below(3); times > 0; times -= 1) bytes = mutate(bytes, random);
    // A newline would make two frames of it.
    const line = Buffer.from(bytes).filter((byte) => byte !== 10);
    end.takeEffects();
    await output.write(Buffer.concat([line, Buffer.from("\n")]));
    await output.write(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: `s${at}`, ...end.sentinel })}\n`));
    let isRefused = false;
    for (;;) {
      const { value, done } = await answers.next();
      if (done === true) throw new Error(`the connection ended at seed ${seed + at}: ${line.toString()}`);
      const answer = JSON.parse(value) as { readonly id?: unknown; readonly error?: unknown };
      if (answer.id === `s${at}`) break;
      if (answer.error !== undefined && (answer.id === id || answer.id === null)) isRefused = true;
    }
    // What was begun is over before the next frame.
    await setImmediate();
    const effects = end.takeEffects();
    if (isRefused && effects.length > 0) {
      throw new Error(`refused, and yet ${effects.join(", ")} at seed ${seed + at}: ${line.toString()}`);
    }
    report.frames += 1;
    if (isRefused) report.refused += 1;
    else if (effects.length > 0) report.carriedOut += 1;
    else report.ignored += 1;
  }
  return report;
}

const strange = [
  null,
  "",
  "x",
  0,
  -1,
  1.5,
  1e300,
  true,
  [],
  {},
  ["x"],
  { type: "text" },
  "\u0000",
  "\ud800",
  "../../x",
] as const;

/** Replaces or drops one value somewhere in a frame. */
function changed(value: unknown, random: SeededRandom): unknown {
  if (typeof value !== "object" || value === null || random.below(6) === 0)
    return strange[random.below(strange.length)];
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const [key, inner] = entries[at] ?? [];
  if (key === undefined) return { ...value, [`extra${random.below(9)}`]: strange[random.below(strange.length)] };
  const drops = random.below(4) === 0;
  const rest = entries.filter(([name]) => name !== key);
  const next = drops ? rest : [...rest, [key, changed(inner, random)] as const];
  return Array.isArray(value) ? next.map(([, each]) => each) : Object.fromEntries(next);
}

const cwd = "/tmp";
const reads = new Set(["folder.list", "conversation.find", "canvas.default-policy", "prompt.list"]);

/** Heddle as an agent, at a server that only counts. */
function agentEnd(): End {
  let effects: string[] = [];
  const rootId = "root_1";
  const root = { id: rootId, title: "t", model: "a/b", canvasId: null, createdAt: 1, updatedAt: 1 };
  const view = { root, nodesById: new Map(), childrenByParent: new Map(), runs: [], notices: [] };
  const answers: Readonly<Record<string, object>> = {
    "folder.list": { folders: [], canAdd: false },
    "conversation.create": { rootId },
    "conversation.find": root,
    "canvas.default-policy": { policy: "live" },
    "prompt.list": { prompts: [] },
    "message.send": { nodeId: "node_1", runId: "run_1", queued: false, waitingId: null },
    "message.add": { nodeId: "node_1" },
    "message.regenerate": { runId: "run_1" },
  };
  const steady = (value: unknown) => ({
    get: () => value,
    subscribe: (look: () => void) => (queueMicrotask(look), () => {}),
  });
  const client = {
    call: async (name: string) => {
      if (!reads.has(name)) effects.push(name);
      return ok(answers[name] ?? {});
    },
    conversation: () => steady(view),
    list: () => steady({ entries: [], total: 0 }),
    workspace: steady({ models: [], people: [] }),
    state: steady({ type: "live", since: 0, reconnected: false }),
  };
  const door = agentDoor({
    version: "1",
    draw: () => "f",
    setTimer: () => () => undefined,
    // The door uses these five members alone.
    reach: async () => ok({ client, upload: async () => ok("0".repeat(64)) } as unknown as DoorServer),
  });
  const session = { sessionId: rootId };
  return {
    frames: [
      { method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } },
      { method: "authenticate", params: { methodId: "x" } },
      { method: "session/new", params: { cwd, mcpServers: [] } },
      { method: "session/load", params: { ...session, cwd, mcpServers: [] } },
      { method: "session/resume", params: { ...session, cwd } },
      { method: "session/fork", params: { ...session, cwd } },
      { method: "session/list", params: { cwd } },
      { method: "session/prompt", params: { ...session, prompt: [{ type: "text", text: "Hello" }] } },
      { method: "session/set_mode", params: { ...session, modeId: "lease" } },
      { method: "session/set_config_option", params: { ...session, configId: "_heddle_approvals", value: "all" } },
      { method: "session/delete", params: session },
      { method: "session/close", params: session },
    ],
    sentinel: { method: "session/unheard_of", params: {} },
    takeEffects: () => {
      const taken = effects;
      effects = [];
      return taken;
    },
    open: () => opened((stream) => door.connect(stream)),
  };
}

/** Heddle as an agent's client, with handlers that only count. */
function clientEnd(): End {
  let effects: string[] = [];
  const handlers: AgentHandlers = {
    update: () => void effects.push("update"),
    permission: async () => {
      effects.push("permission");
      return { outcome: { outcome: "cancelled" } };
    },
    elicit: async () => {
      effects.push("elicit");
      return { action: "decline" };
    },
    read: async () => {
      effects.push("read");
      return { content: "" };
    },
    write: async () => {
      effects.push("write");
      return {};
    },
  };
  const app = clientOf(handlers);
  const sessionId = "s";
  const text = { type: "text", text: "words" };
  const options = [{ optionId: "a", name: "Allow", kind: "allow_once" }];
  return {
    frames: [
      { method: "session/request_permission", params: { sessionId, toolCall: { toolCallId: "c" }, options } },
      { method: "fs/read_text_file", params: { sessionId, path: "/w/a.md", line: 1, limit: 2 } },
      { method: "fs/write_text_file", params: { sessionId, path: "/w/a.md", content: "text" } },
      {
        method: "session/update",
        params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: text } },
      },
      {
        method: "session/update",
        params: { sessionId, update: { sessionUpdate: "tool_call", toolCallId: "c", title: "t" } },
      },
      { method: "terminal/create", params: { sessionId, command: "ls" } },
    ],
    sentinel: { method: "_unheard/of", params: {} },
    takeEffects: () => {
      const taken = effects;
      effects = [];
      return taken;
    },
    open: () => opened((stream) => app.connect(stream)),
  };
}

function opened(connect: (stream: ReturnType<typeof ndJsonStream>) => unknown) {
  // Neither end waits for the other to read.
  const wide = [{}, { highWaterMark: 1_000 }, { highWaterMark: 1_000 }] as const;
  const there = new TransformStream<Uint8Array, Uint8Array>(...wide);
  const back = new TransformStream<Uint8Array, Uint8Array>(...wide);
  connect(ndJsonStream(back.writable, there.readable));
  return { output: there.writable.getWriter(), answers: linesOf(back.readable) };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  return undefined;
}
