import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/base/json.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { ServerCall, ToolServer, ToolServerFailure, ToolServerTarget } from "../../core/port/tool-server.ts";
import type { ServerResult } from "../../core/tool/server/server-tool.ts";
import type { Answer } from "../../core/turn/state/question.ts";
import type { Result } from "../../core/base/result.ts";
import { systemPlatform } from "../platform/system-platform.ts";
import { mcpConnector } from "./connect.ts";
import { onePixel } from "./fixture-tools.test-support.ts";
import { serveHttp } from "./serve-http.test-support.ts";

const fixture = join(import.meta.dirname, "fixture-server.test-support.ts");
const { clock } = systemPlatform("error");
const open: { close(): Promise<void> }[] = [];

afterAll(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

function program(args: readonly string[], env: Readonly<Record<string, string>> = {}): ToolServerTarget {
  return { type: "stdio", command: process.execPath, args, env, cwd: tmpdir() };
}

/** Records a server's events. */
class Observed {
  noise = "";
  changes = 0;
  closed: ToolServerFailure | null = null;
  readonly #waiting: (() => void)[] = [];

  onNoise(text: string): void {
    this.noise += text;
    this.#wake();
  }
  onToolsChanged(): void {
    this.changes += 1;
    this.#wake();
  }
  onClosed(failure: ToolServerFailure): void {
    this.closed = failure;
    this.#wake();
  }
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

async function connect(
  target: ToolServerTarget,
  { observed = new Observed(), connectMs = 10_000, callMs = 10_000, signal = new AbortController().signal } = {},
): Promise<Result<ToolServer, ToolServerFailure>> {
  const connected = await mcpConnector("0.0.0")(target, {
    times: { connectMs, callMs, callMsMax: 30_000 },
    clock: clock satisfies Clock,
    events: observed,
    signal,
  });
  if (connected.ok) open.push(connected.value);
  return connected;
}

async function connected(target: ToolServerTarget, options: Parameters<typeof connect>[1] = {}): Promise<ToolServer> {
  const server = await connect(target, options);
  if (!server.ok) throw new Error(server.error.message);
  return server.value;
}

function call(
  server: ToolServer,
  tool: string,
  {
    parameters = {},
    signal = new AbortController().signal,
    progress = () => {},
    ask,
  }: {
    parameters?: JsonObject;
    signal?: AbortSignal;
    progress?: (text: string) => void;
    ask?: NonNullable<ServerCall["ask"]>;
  } = {},
): Promise<Result<ServerResult, ToolServerFailure>> {
  return server.call({ tool, parameters, signal, progress, ...(ask && { ask }) });
}

function textOf(result: Result<ServerResult, ToolServerFailure>): string {
  if (!result.ok) return `${result.error.type}: ${result.error.message}`;
  return result.value.content.map((part) => (part.type === "text" ? part.text : part.type)).join(" ");
}

function why(result: Result<unknown, ToolServerFailure>): string {
  return result.ok ? "ok" : `${result.error.type}: ${result.error.message}`;
}

describe.concurrent("an MCP server over stdio", () => {
  test("answers calls, reports progress and list changes, receives cancellations, and its exit ends only the open call", async () => {
    const observed = new Observed();
    const server = await connected(program([fixture, "legacy"], { ONLY: "this" }), { observed });
    const listed = await server.listTools();
    const echo = listed.ok ? listed.value.find(({ name }) => name === "echo") : undefined;
    expect(echo).toMatchObject({ description: "Says it again.", hints: { readOnly: true, openWorld: false } });
    await answersCalls(server);
    expect(observed.noise).toContain("fixture is up");

    // The program has only the variables and the folder from its configuration.
    expect(textOf(await call(server, "names"))).toBe("HEDDLE_PROGRAM ONLY");
    expect(textOf(await call(server, "folder"))).toBe(tmpdir());

    await call(server, "change", { parameters: { text: "more" } });
    await observed.until(() => observed.changes > 0);
    const changed = await server.listTools();
    expect(changed.ok && changed.value.some(({ name }) => name === "late")).toBe(true);

    const stopping = new AbortController();
    const waiting = call(server, "wait", { signal: stopping.signal });
    await observed.until(() => observed.noise.includes("waiting"));
    const since = performance.now();
    stopping.abort();
    expect(why(await waiting)).toContain("cancelled");
    expect(performance.now() - since).toBeLessThan(100);
    await observed.until(() => observed.noise.includes("cancel received"));
    expect(textOf(await call(server, "echo", { parameters: { text: "still here" } }))).toBe("still here");
    expect(why(await call(server, "echo", { signal: stopping.signal }))).toContain("cancelled");

    expect(why(await call(server, "die"))).toMatch(/^closed: it exited with code 3/);
    expect(observed.closed?.message).toContain("code 3");
    expect(why(await call(server, "echo"))).toContain("code 3");
  });

  test("a server that speaks only the newer protocol works until it sends too long a message", async () => {
    const server = await connected(program([fixture, "modern"]));
    expect(await server.listTools()).toMatchObject({ ok: true });
    await answersCalls(server);
    expect(why(await call(server, "huge"))).toMatch(/^too-large: it sent more than 16 MiB/);
  });

  test("a call ends after its timeout, and closing the connection ends every process that the program started", async () => {
    const observed = new Observed();
    const path = process.env["PATH"] ?? "";
    const server = await connected(program([fixture], { PATH: path }), { observed, callMs: 1_000 });
    expect(why(await call(server, "wait"))).toContain("timeout");
    await observed.until(() => observed.noise.includes("cancel received"));
    // A process that ignores SIGTERM.
    const pid = Number(textOf(await call(server, "fork")));
    expect(isAlive(pid)).toBe(true);
    await server.close();
    while (isAlive(pid)) await setTimeout(5);
  });
});

async function answersCalls(server: ToolServer): Promise<void> {
  expect(textOf(await call(server, "echo", { parameters: { text: "hé\u2028" } }))).toBe("hé\u2028");
  expect(await call(server, "picture")).toMatchObject({
    value: { content: [{ type: "image", data: onePixel, mediaType: "image/png" }] },
  });
  expect(await call(server, "weigh")).toMatchObject({ ok: true, value: { structured: { grams: 7 } } });
  expect(await call(server, "fail")).toMatchObject({ ok: true, value: { ok: false } });
  // Invalid-parameter messages are passed on to the model.
  expect(textOf(await call(server, "echo", { parameters: { text: 7 } }))).toMatch(/text/);
  expect(why(await call(server, "nothing"))).toContain("refused");
  const progress: string[] = [];
  expect(textOf(await call(server, "count", { progress: (text) => progress.push(text) }))).toBe("counted");
  expect(progress).toEqual(["step 1 (1 of 3)\n", "step 2 (2 of 3)\n", "step 3 (3 of 3)\n"]);
}

describe.concurrent("a program that is not an MCP server", () => {
  const script = (code: string): ToolServerTarget => program(["-e", code]);
  const deep = "[".repeat(100_000);

  test.each<[string, ToolServerTarget, RegExp]>([
    [
      "is missing",
      { ...program([]), command: "/nowhere/at-all" } as ToolServerTarget,
      /^no-program: .*the program, .*does not exist/,
    ],
    ["exits at once", script("process.exit(9)"), /^closed: it exited with code 9/],
    ["never answers", script("setInterval(() => {}, 1000)"), /^timeout: it was not ready/],
    ["writes other text", script('setInterval(() => console.log("hello {"), 5)'), /^timeout/],
    ["answers an unknown request", answering('{jsonrpc: "2.0", id: 999, result: {}}'), /^timeout/],
    [
      "answers with another result",
      answering('{jsonrpc: "2.0", id: message.id, result: {odd: true}}'),
      /^(?:garbled|unreachable)/,
    ],
    [
      "speaks an unknown version",
      answering(
        '{jsonrpc: "2.0", id: message.id, result: {protocolVersion: "1999-01-01", capabilities: {}, serverInfo: {name: "x", version: "1"}}}',
      ),
      /version/,
    ],
    [
      "refuses",
      answering('{jsonrpc: "2.0", id: message.id, error: {code: -32000, message: "no"}}'),
      /^refused: it answered: .*no/,
    ],
    [
      "nests too deep",
      script(
        `process.stdout.write('{"jsonrpc":"2.0","id":0,"result":' + ${JSON.stringify(deep)} + "\\n"); setInterval(() => {}, 1000)`,
      ),
      /nested too deep/,
    ],
    ["writes an endless line", script('const w = () => process.stdout.write("{".repeat(1 << 20), w); w()'), /16 MiB/],
  ])("a program that %s fails with its reason before the timeout", async (_name, target, expected) => {
    // Only the rows that expect a timeout get a short one.
    const connectMs = expected.source.includes("timeout") ? 400 : 20_000;
    expect(why(await connect(target, { connectMs }))).toMatch(expected);
  });

  test("its output is reported as noise", async () => {
    const observed = new Observed();
    const stopping = new AbortController();
    const wordy = script('console.error("no key!"); console.log("plain words"); setTimeout(() => {}, 1e6)');
    const connecting = connect(wordy, { observed, signal: stopping.signal });
    await observed.until(() => observed.noise.includes("no key!") && observed.noise.includes("[stdout] plain words"));
    stopping.abort();
    await connecting;
  });

  test("aborting the connection rejects at once and ends the program", async () => {
    const stopping = new AbortController();
    const observed = new Observed();
    const connecting = connect(script("console.error(process.pid); setInterval(() => {}, 1000)"), {
      observed,
      signal: stopping.signal,
    });
    await observed.until(() => observed.noise !== "");
    stopping.abort();
    expect(why(await connecting)).toContain("cancelled");
    expect(isAlive(Number(observed.noise))).toBe(false);
  });
});

test("programs end when Heddle exits abruptly", async () => {
  const group = join(import.meta.dirname, "process-group.ts");
  const code = `import { startGroup } from ${JSON.stringify(group)};
    const { child } = startGroup(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { env: {}, cwd: "/" });
    child.once("spawn", () => { console.log(child.pid); process.exit(1); });`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  while (isAlive(pid)) await setTimeout(5);
});

describe("an MCP server over HTTP", () => {
  async function http(headers: Readonly<Record<string, string>> = {}) {
    const server = await serveHttp();
    open.push(server);
    return { server, target: { type: "http", url: server.url, headers } satisfies ToolServerTarget };
  }

  test("lists its tools, answers calls, reports progress and receives the configured headers", async () => {
    const { server, target } = await http({ authorization: "Bearer secret" });
    const client = await connected(target);
    const listed = await client.listTools();
    expect(listed.ok && listed.value.map(({ name }) => name)).toContain("echo");
    const progress: string[] = [];
    expect(textOf(await call(client, "count", { progress: (text) => progress.push(text) }))).toBe("counted");
    expect(progress).toHaveLength(3);
    expect(new Set(server.seen.map((headers) => headers.authorization))).toEqual(new Set(["Bearer secret"]));
  });

  test("a cancelled call ends at once", async () => {
    const { target } = await http();
    const client = await connected(target);
    const stopping = new AbortController();
    const waiting = call(client, "wait", { signal: stopping.signal });
    const since = performance.now();
    stopping.abort();
    expect(why(await waiting)).toContain("cancelled");
    expect(performance.now() - since).toBeLessThan(100);
  });

  test("67 a redirect to another host is not followed and receives no request", async () => {
    const other = await http();
    const { server, target } = await http({ authorization: "Bearer secret" });
    server.answer = () => new Response(null, { status: 307, headers: { location: other.server.url } });
    expect(why(await connect(target))).toContain("not followed");
    expect(other.server.seen).toEqual([]);
  });

  test.each<[string, () => Response, RegExp, boolean]>([
    [
      "rejects the credentials",
      () => new Response("", { status: 401 }),
      /^not-let-in: .*rejected the credentials/,
      false,
    ],
    ["has no such path", () => new Response("", { status: 404 }), /404/, true],
    ["answers 500", () => new Response("", { status: 500 }), /status 500/, true],
    [
      "answers HTML",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      /does not follow the protocol/,
      true,
    ],
    [
      "sends too long a message",
      () => new Response("x".repeat(17 * 1024 * 1024), { headers: { "content-type": "application/json" } }),
      /^too-large: .*16 MiB/,
      true,
    ],
  ])("a server that %s fails with its reason", async (_name, answer, expected, retryable) => {
    const { server, target } = await http();
    server.answer = answer;
    const result = await connect(target);
    expect(why(result)).toMatch(expected);
    expect(!result.ok && result.error.retryable).toBe(retryable);
  });

  test("an address where nothing listens fails with its reason", async () => {
    const { server, target } = await http();
    await server.close();
    expect(why(await connect(target))).toContain("nothing listens");
  });
});

/** A program that answers every message with the same text. */
function answering(answer: string): ToolServerTarget {
  return program([
    "-e",
    `require("readline").createInterface({input: process.stdin}).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.id !== undefined) console.log(JSON.stringify(${answer}));
    })`,
  ]);
}

function isAlive(pid: number): boolean {
  try {
    // A zombie is not alive.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe.each(["legacy", "modern"])("a server of the %s revision that asks in the midst of a call", (era) => {
  const ada = async (): Promise<readonly Answer[]> => [{ chosen: ["Ada"] }];

  test("gets a person's answer, and a decline when nobody is there", async () => {
    const server = await connected(program([fixture, era]));
    await server.listTools();
    const asked: string[] = [];
    const ask: typeof ada = async (questions?: unknown) => {
      asked.push(JSON.stringify(questions));
      return ada();
    };
    expect(textOf(await call(server, "introduce", { ask }))).toBe('{"action":"accept","content":{"name":"Ada"}}');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("Who is there?");
    expect(textOf(await call(server, "introduce"))).toBe('{"action":"decline"}');
    expect(textOf(await call(server, "introduce", { ask: async () => null }))).toBe('{"action":"decline"}');
  });

  test("may wait for a person longer than a silent call may last", async () => {
    const server = await connected(program([fixture, era]), { callMs: 400 });
    await server.listTools();
    const late = (): Promise<readonly Answer[]> => setTimeout(900).then(ada);
    const longest = await call(server, "introduce", { ask: late });
    expect(textOf(longest)).toContain("Ada");
  });
});

test("a server's resources and prompts are listed, read and filled in; what it refuses is a failure", async () => {
  const server = await connected(program([fixture, "modern"]));
  const offers = await server.listOffers();
  expect(offers).toMatchObject({
    ok: true,
    value: {
      resources: [{ uri: "notes://today", name: "Today", mediaType: null }],
      prompts: [{ name: "review", title: "Review", parameters: [{ name: "change", isRequired: true }] }],
    },
  });
  expect(await server.read("notes://today")).toEqual({
    ok: true,
    value: [{ uri: "notes://today", mediaType: "text/plain", content: { text: "warp and weft" } }],
  });
  expect(await server.prompt("review", { change: "the first" })).toEqual({
    ok: true,
    value: {
      text: "Review the first.\n\n[Answer] Gladly.",
      attached: [{ uri: "notes://it", mediaType: null, content: { text: "the change" } }],
    },
  });
  expect(why(await server.read("notes://none"))).toContain("refused");
  expect(why(await server.prompt("none", {}))).toContain("refused");
});
