import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { err } from "../../../core/base/result.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelPrices } from "../../../core/model/prices.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startMockProvider, type MockProvider } from "../../../testing/mock-provider/server.ts";
import { startTestServer } from "../../../testing/test-server.ts";
import { says } from "../../conversation/queue/conversation.test-support.ts";
import { callsTool, lastResult, scriptedCatalogue, type Script } from "../chat/chat.test-support.ts";
import type { BranchEvent } from "../chat/follow-run.ts";
import { runCommandLine } from "../run.ts";
import type { OneShot, Shot } from "./one-shot.ts";
import type { RunEvent } from "./run-events.ts";
import { structuredShot } from "./structured-shot.ts";

const finished = { type: "finished", usage: noUsage } as const;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-run-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Taken {
  readonly shot: Shot;
  readonly branchEvents: readonly BranchEvent[];
  readonly events: readonly RunEvent[];
  /** The requests to the model. */
  readonly requests: readonly ModelRequest[];
}

interface Setting {
  /** Every call needs an approval. */
  readonly isStrict?: boolean;
  readonly filesFolder?: string;
  readonly signal?: AbortSignal;
  readonly cancelMs?: number;
  readonly schema?: JsonObject;
  readonly prices?: ModelPrices;
  /** Wraps the client before its use. */
  readonly over?: (client: HeddleClient) => HeddleClient;
}

/** Runs one shot in this process, with a scripted model. */
async function shoot(
  script: Script,
  approve: OneShot["approve"] = "none",
  { isStrict = false, filesFolder, signal, cancelMs, schema, prices, over = (client) => client }: Setting = {},
): Promise<Taken> {
  const { catalogue, requests } = scriptedCatalogue(script, prices);
  const server = await startTestServer({
    catalogue,
    welcome: false,
    ...(filesFolder === undefined ? {} : { filesFolder }),
  });
  const client = connectTestClient(server);
  const branchEvents: BranchEvent[] = [];
  const events: RunEvent[] = [];
  try {
    await until(client.state, ({ type }) => type === "live");
    const shot = await structuredShot({
      client: over(client),
      prompt: "Go",
      rootId: isStrict ? await strictRoot(client) : null,
      approve,
      onBranchEvent: (branchEvent) => branchEvents.push(branchEvent),
      onEvent: (event) => events.push(event),
      signal: signal ?? new AbortController().signal,
      ...(cancelMs === undefined ? {} : { cancelMs }),
      ...(schema === undefined ? {} : { schema }),
    });
    if (!shot.ok) throw new Error(shot.error.message);
    return { shot: shot.value, branchEvents, events, requests };
  } finally {
    client.close();
    await server.close();
  }
}

async function strictRoot(client: HeddleClient): Promise<RootId> {
  const created = await client.call("conversation.create", {});
  if (!created.ok) throw new Error(created.error.message);
  const { rootId } = created.value;
  await client.call("conversation.rules", { rootId, approvals: "all" });
  return rootId;
}

test("oneShot returns the model's last message, with exit code 0", async () => {
  const { shot, events } = await shoot(() => says("An answer."));
  expect(shot).toMatchObject({ outcome: "ok", text: "An answer.", exit: 0 });
  expect(events).toMatchObject([{ type: "started", model: "test/scripted" }]);
});

const citySchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

test("20.14 an answer that does not fit the schema is sent back with the reason until it fits", async () => {
  const { shot, requests, events } = await shoot(
    ({ messages }) => says(messages.length < 3 ? '{"town":"Oslo"}' : '{"city":"Oslo"}'),
    "none",
    { schema: citySchema },
  );
  expect(shot).toMatchObject({ outcome: "ok", exit: 0, value: { city: "Oslo" } });
  expect(requests.map(({ outputSchema }) => outputSchema)).toEqual([citySchema, citySchema]);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("does not fit the schema");
  expect(new Set(events.flatMap((event) => (event.type === "started" ? [event.conversation] : []))).size).toBe(1);
});

test("the end of a run says what its turn cost, where the price is known", async () => {
  const usage = { ...noUsage, inputTokens: 1_000_000, outputTokens: 100_000 };
  const paid: Script = () => [...says("Dear.").slice(0, -1), { ...finished, usage, reason: "end-turn" }];
  expect((await shoot(paid, "none", { prices: { input: 2, output: 10 } })).shot.dollars).toBeCloseTo(3);
  expect((await shoot(paid)).shot).not.toHaveProperty("dollars");
});

test("20.14 an answer that never fits the schema fails with an exit code of its own, after three tries", async () => {
  const { shot, requests } = await shoot(() => says("Oslo, of course."), "none", { schema: citySchema });
  expect(shot).toMatchObject({
    outcome: "failed",
    exit: 5,
    error: { code: "SCHEMA_MISMATCH" },
    text: "Oslo, of course.",
  });
  expect(shot.value).toBeUndefined();
  expect(requests).toHaveLength(3);
});

test("14.17 an answer that was cut off at its token limit says so, with an exit code of its own", async () => {
  const cut: Script = () => [...says("Half an ans").slice(0, -1), { ...finished, reason: "max-tokens" }];
  const { shot, branchEvents } = await shoot(cut);
  expect(shot).toMatchObject({ outcome: "ok", text: "Half an ans", exit: 4, cut: true });
  expect(branchEvents).toContainEqual(expect.objectContaining({ type: "reply", cut: true }));
  expect((await shoot(() => says("A whole answer."))).shot.cut).toBeUndefined();
});

test("14.17 the program warns on standard error and exits with 4 when its answer was cut off", async () => {
  const provider = await startMockProvider({
    api: "chat",
    reply: async function* () {
      yield* says("Half an ans").slice(0, -1);
      yield { ...finished, reason: "max-tokens" };
    },
    strict: true,
  });
  try {
    const plain = await program(provider, ["run", "Tell me.", "--model", "local/house-model"], "").ended;
    expect(plain).toMatchObject({ code: 4, out: "Half an ans\n" });
    expect(plain.err).toContain("heddle: The reply was cut off at its token limit. heddle chat ");
    expect(plain.err.split("cut off").length).toBe(2);
    const json = await program(provider, ["run", "--json", "Tell me.", "--model", "local/house-model"], "").ended;
    const end = JSON.parse(json.out.trimEnd().split("\n").at(-1) ?? "") as RunEvent;
    expect([json.code, end]).toMatchObject([
      4,
      { type: "end", outcome: "ok", exit: 4, cut: true, text: "Half an ans" },
    ]);
    expect((await here("", "run", "--help")).printed).toContain("4 answered, but cut off at the token limit");
  } finally {
    await provider.close();
  }
});

test("an answer that the provider's filter stopped says so, and is not sent back for its schema", async () => {
  const part = [...says("Part").slice(0, -1), { ...finished, reason: "content-filter" } as const];
  const filtered: Script = () => part;
  const { shot, branchEvents } = await shoot(filtered);
  expect(shot).toMatchObject({ outcome: "ok", text: "Part", exit: 4, filtered: true });
  expect(branchEvents).toContainEqual(expect.objectContaining({ type: "reply", cut: false, filtered: true }));
  const { requests } = await shoot(filtered, "none", { schema: citySchema });
  expect(requests).toHaveLength(1);
  const provider = await startMockProvider({
    api: "chat",
    reply: async function* () {
      yield* part;
    },
    strict: true,
  });
  try {
    const plain = await program(provider, ["run", "Tell me.", "--model", "local/house-model"], "").ended;
    expect(plain).toMatchObject({ code: 4, out: "Part\n" });
    expect(plain.err).toContain("heddle: The provider’s filter stopped the reply before its end. Ask in other words");
    expect(plain.err.split("filter stopped").length).toBe(2);
  } finally {
    await provider.close();
  }
});

test("oneShot declines a question, and the model continues by itself", async () => {
  const questions = [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }];
  const { shot, events } = await shoot((request, turn) =>
    turn === 0 ? callsTool("ask_user", { questions }) : says(lastResult(request)),
  );
  expect(shot).toMatchObject({ outcome: "ok", exit: 0 });
  expect(events[1]).toMatchObject({ type: "question", questions: [{ question: "Which?" }] });
});

test.each(["conversation.create", "message.send", "approval.answer"])(
  "an ended run leaves the answer of %s to an unreachable server after a while",
  async (owed) => {
    const stop = new AbortController();
    const away = (client: HeddleClient): HeddleClient => {
      const call: typeof client.call = (name, input) => {
        if (name !== owed) return client.call(name, input);
        stop.abort();
        return new Promise(() => {});
      };
      return { ...client, call, conversation: client.conversation.bind(client) };
    };
    const setting = { over: away, signal: stop.signal, cancelMs: 20, isStrict: owed === "approval.answer" };
    const { shot } = await shoot(() => callsTool("kernel_search", { query: "loom" }), "all", setting);
    expect(shot).toMatchObject({ outcome: "cancelled", exit: 130 });
  },
);

test.each<[OneShot["approve"], boolean]>([
  ["none", false],
  ["all", true],
])("--approve %s allows a call that needs an approval: %s", async (approve, isAllowed) => {
  const { shot, events, requests } = await shoot(
    (_request, turn) => (turn === 0 ? callsTool("kernel_search", { query: "loom" }) : says("Done.")),
    approve,
    { isStrict: true },
  );
  expect(shot).toMatchObject({ outcome: "ok", text: "Done." });
  expect(events[1]).toMatchObject({
    type: "approval",
    name: "kernel_search",
    decision: isAllowed ? "allow" : "deny",
  });
  const [, second] = requests;
  expect(second && lastResult(second).includes("Nobody can answer")).toBe(!isAllowed);
});

test("a sub-agent's call is answered like the turn's own", async () => {
  const filesFolder = await mkdtemp(join(folder, "work-"));
  const script: Script = (request) => {
    const isAgent = request.system.includes("You work alone on one task");
    const results = request.messages.filter(({ role }) => role === "tool").length;
    // All of them number their calls the same way, as some providers do.
    if (!isAgent) {
      return results === 0
        ? callsTool("spawn_sub_agents", { tasks: [{ task: "look" }, { task: "look twice" }] }, "call-1")
        : says(lastResult(request));
    }
    return results === 0
      ? callsTool("keyword_search", { query: "loom" }, "call-1")
      : callsTool("submit_result", { result: "looked", success: true }, "call-2");
  };
  const { shot, events } = await shoot(script, "all", { isStrict: true, filesFolder });
  expect(shot.text.match(/looked/gu)).toHaveLength(2);
  const asked = events.flatMap((event) => (event.type === "approval" ? [event.name] : []));
  expect(asked).toEqual(["spawn_sub_agents", "keyword_search", "keyword_search"]);
});

test("a refused answer is sent again", async () => {
  let refusals = 1;
  const refusing = (client: HeddleClient): HeddleClient => {
    const call = ((name: "question.answer", input: never) =>
      name === "question.answer" && refusals-- > 0
        ? Promise.resolve(err(refusal("STORE_FULL")))
        : client.call(name, input)) as typeof client.call;
    return { ...client, call, conversation: client.conversation.bind(client) };
  };
  const questions = [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }];
  const { shot, events } = await shoot(
    (_request, turn) => (turn === 0 ? callsTool("ask_user", { questions }) : says("Done.")),
    "none",
    { over: refusing },
  );
  expect(shot.text).toBe("Done.");
  expect(events.filter(({ type }) => type === "question")).toHaveLength(1);
});

test("a failure is reported with its class and exit code 1", async () => {
  const failure = { class: "content-filter", message: "No.", retryable: false } as const;
  const { shot } = await shoot(() => [{ type: "failed", failure }]);
  expect(shot).toMatchObject({ outcome: "failed", exit: 1, error: { code: "content-filter", message: "No." } });
});

test("an aborted run returns the text so far, with exit code 130", async () => {
  const stop = new AbortController();
  const script: Script = () => {
    setTimeout(() => stop.abort(), 20);
    return [...says("So far").slice(0, 2), "hang"];
  };
  const { shot } = await shoot(script, "none", { signal: stop.signal });
  expect(shot).toMatchObject({ outcome: "cancelled", exit: 130, text: "So far" });
});

async function here(input: string, ...args: string[]): Promise<{ code: number; printed: string; noted: string }> {
  const output = { printed: "", noted: "" };
  const code = await runCommandLine(args, {
    print: (line) => void (output.printed += `${line}\n`),
    note: (line) => void (output.noted += `${line}\n`),
    input: async () => input,
    env: { HEDDLE_DATA: join(folder, "data"), XDG_CONFIG_HOME: folder },
    isInteractive: false,
    colours: false,
  });
  return { code, ...output };
}

test.each<[string, readonly string[], string]>([
  ["without a prompt", [], "There is nothing to ask"],
  ["with an unknown approval", ["x", "--approve", "some"], "--approve takes none, writes, all"],
  [
    "with --approve writes for an existing conversation",
    ["x", "--approve", "writes", "--conversation", "c"],
    "rules of its own",
  ],
  ["with an invalid address", ["x", "--url", "loom"], "is not an address"],
  ["with a schema that is not there", ["x", "--schema", "/nowhere.json"], "/nowhere.json: the file could not be read"],
  ["with a token but no server", ["x", "--token", "loom"], "--url"],
])("%s the command is refused with exit code 2, and no model is asked", async (_name, args, words) => {
  const { code, noted, printed } = await here("", "run", ...args);
  expect([code, printed]).toEqual([2, ""]);
  expect(noted).toContain(words);
});

test("a prompt larger than a server reads is refused at once, where it was once sent for ever", async () => {
  const { code, noted } = await here("x".repeat(1_500_000), "run", "Write a commit message for this");
  expect(code).toBe(2);
  expect(noted).toContain("At most 400,000 can be sent");
});

const key = "sk-test-secret-0123456789";

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The real program, with a strict provider of the test's own. */
function program(provider: MockProvider, args: readonly string[], input: string) {
  const own = {
    HEDDLE_DATA: join(folder, "data"),
    XDG_CONFIG_HOME: folder,
    HEDDLE_NO_BUILD: "1",
    HEDDLE_OPENAI_BASE_URL: provider.url,
    HEDDLE_OPENAI_MODEL: "house-model",
    OPENAI_API_KEY: key,
    NO_COLOR: "1",
  };
  const launcher = join(import.meta.dirname, "../../../../bin/heddle.js");
  const child = spawn(process.execPath, [launcher, ...args], { env: { ...process.env, ...own } });
  child.stdin.end(input);
  const output = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (output.out += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (output.err += piece));
  const ended = once(child, "close").then(([code]): Ended => ({ code: code as number | null, ...output }));
  return { child, ended, output };
}

test("the program asks a provider once, prints JSON lines, and leaves a trace that replays", async () => {
  const { catalogue } = scriptedCatalogue((_request, turn) =>
    turn === 0 ? callsTool("kernel_search", { query: "loom" }) : turn === 1 ? says("Looms ", "weave.") : ["hang"],
  );
  const model = catalogue.find("test/scripted");
  if (model === undefined) throw new Error("the catalogue has its model");
  const provider = await startMockProvider({
    api: "chat",
    reply: (request, signal) => model.stream(request, signal),
    strict: true,
  });
  try {
    const args = ["run", "--json", "What do looms do?", "--model", "local/house-model"];
    const first = await program(provider, args, "In one word.").ended;
    expect(first.err).toBe("");
    const events = first.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RunEvent);
    expect(events[0]).toMatchObject({ type: "started", model: expect.stringContaining("house-model") });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "tool-call",
        name: "kernel_search",
        arguments: { query: "loom" },
        place: 1,
        of: 1,
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-result", name: "kernel_search", outcome: "ok" }),
    );
    const text = events.flatMap((event) => (event.type === "text" ? event.text : [])).join("");
    expect(events.at(-1)).toMatchObject({ type: "end", outcome: "ok", exit: 0, text });
    expect([first.code, text, provider.rejections]).toEqual([0, "Looms weave.", []]);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("What do looms do?\\n\\nIn one word.");

    const [started] = events;
    const id = started?.type === "started" ? started.conversation : "";
    const traced = await here("", "trace", id);
    expect([traced.code, traced.noted]).toEqual([0, "6 events.\n"]);
    const token = (await readFile(join(folder, "data", "token"), "utf8")).trim();
    for (const secret of [key, token]) expect(traced.printed).not.toContain(secret);
    const replayed = await here(traced.printed, "replay", "-");
    expect([replayed.code, replayed.noted]).toEqual([0, "6 events of 1 run: every state as recorded.\n"]);

    const second = program(provider, ["run", "And then?", "--conversation", id], "");
    while (!second.output.err.includes("[Requesting]")) await once(second.child.stderr, "data");
    second.child.kill("SIGINT");
    expect(await second.ended).toMatchObject({ code: 130, out: "", err: expect.stringContaining("cancelled") });
  } finally {
    await provider.close();
  }
});
