import { openMemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Logger } from "../../src/core/port/platform.ts";
import type { StoreWrite } from "../../src/core/port/store.ts";
import { connectAgent, post } from "../../src/host/server/mcp/mcp.test-support.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { mutate } from "./mutate.ts";

export interface McpFuzzReport {
  readonly cases: number;
  readonly refused: number;
  readonly accepted: number;
  /** Commits that an accepted frame made. */
  readonly effects: number;
  /** Seeds of refused frames that changed something, and what the server reported as a defect of its own. */
  readonly wrong: readonly string[];
}

/** Writes that are an effect, unlike the renewal of a lease or the record of a replica. */
const effectTypes: ReadonlySet<StoreWrite["type"]> = new Set([
  "put-change",
  "put-node",
  "put-root",
  "put-thread",
  "put-suggestion",
  "put-trash",
  "acquire-lease",
]);

/** Sends frames of MCP that a bad wire or program changed; a frame that is refused has no effect. */
export async function fuzzMcp(count: number, seed: number): Promise<McpFuzzReport> {
  const wrong: string[] = [];
  let effects = 0;
  const store = openMemoryStore(undefined, {
    fault: (writes) => {
      if (writes.some(({ type }) => effectTypes.has(type))) effects += 1;
      return null;
    },
  });
  const error: Logger["error"] = (event, fields) => void wrong.push(`${event} ${JSON.stringify(fields)}`);
  const server = await startTestServer({ store, welcome: false, logger: { info: () => {}, warn: () => {}, error } });
  try {
    const frames = await validFrames(server);
    let refused = 0;
    for (let each = seed; each < seed + count; each += 1) {
      const random = seededRandom(each);
      const frame = random.pick(frames);
      const before = effects;
      const isRefused = await send(server, changed(frame, random), random);
      if (!isRefused) continue;
      refused += 1;
      if (effects !== before) wrong.push(`seed ${each}: a refused frame had an effect`);
    }
    await stillAnswers(server);
    return { cases: count, refused, accepted: count - refused, effects, wrong };
  } finally {
    await server.close();
  }
}

interface Frame {
  readonly message: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** Requests of every kind that change or read something, in both eras. */
async function validFrames(server: TestServer): Promise<readonly [Frame, ...Frame[]]> {
  const agent = await connectAgent(server);
  const { canvas_id: canvas } = await agent.call("document_create", { title: "Looms", text: "one\ntwo\n" });
  const { root_id: root } = await agent.call("conversation_create", { title: "Talk" });
  const { lease_id: lease } = await agent.call("canvas_check_out", { canvas_id: canvas });
  const { block_id: block } = await agent.call("block_create", { role: "assistant", kind: "text", content: "x" });
  await agent.close();
  const uri = `heddle://document/${typeof canvas === "string" ? canvas : ""}`;
  const calls: readonly (readonly [string, object])[] = [
    ["document_create", { title: "More", text: "words" }],
    ["canvas_check_out", { canvas_id: canvas }],
    ["canvas_edit", { lease_id: lease, edits: [{ action: "insert_after", line: 1, content: "x" }] }],
    ["canvas_apply_patch", { lease_id: lease, patch: "@@ -1,0 +1,1 @@\n+word\n" }],
    ["canvas_grep", { lease_id: lease, query: "/o/g" }],
    ["block_append", { block_id: block, content: "y" }],
    ["block_read", { block_id: block }],
    ["conversation_append", { parent_id: root, content: "hello" }],
    ["conversation_branch", { parent_id: root, content: "hello", client_request_id: "r1" }],
    ["comment_add", { canvas_id: canvas, text: "why" }],
    ["search_words", { words: "one", in: "blocks" }],
  ];
  const called = calls.flatMap(([name, parameters]) => [
    frameOf("tools/call", { name, arguments: parameters as JsonObject }, name),
    {
      message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: parameters } } as never,
      headers: {},
    },
  ]);
  return [
    frameOf("tools/list", {}),
    frameOf("server/discover", {}),
    frameOf("resources/read", { uri }, uri),
    frameOf("prompts/get", { name: "terse" }, "terse"),
    ...called,
  ];
}

function frameOf(method: string, params: JsonObject, name?: string): Frame {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    message: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
    headers: {
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
    },
  };
}

interface Sent {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Changes bytes, a value or a header; one frame in ten is sent as it is. */
function changed({ message, headers }: Frame, random: SeededRandom): Sent {
  const bytes = new TextEncoder().encode(JSON.stringify(message));
  if (random.oneIn(10)) return { body: bytes, headers };
  if (random.oneIn(4)) return { body: new TextEncoder().encode(JSON.stringify(bent(message, random))), headers };
  if (random.oneIn(8)) {
    const names = Object.keys(headers);
    const [name = "accept"] = names.slice(random.below(Math.max(1, names.length)));
    return { body: bytes, headers: { ...headers, [name]: random.pick(["", "x", "2027-01-01", "tools/list"]) } };
  }
  return { body: mutate(bytes, random), headers };
}

const foreign = [
  null,
  true,
  -1,
  1e300,
  "",
  "x".repeat(2_000),
  [],
  {},
  { __proto__: null },
  "\ud800",
  [[[[[]]]]],
] as const;

/** Replaces one value somewhere in a message by a foreign one, or drops or adds a key. */
function bent(value: unknown, random: SeededRandom): unknown {
  if (typeof value !== "object" || value === null || random.oneIn(5)) return random.pick(foreign);
  const entries: [string, unknown][] = Object.entries(value);
  const at = random.below(entries.length + 1);
  const chosen = entries[at];
  if (chosen === undefined) return { ...value, unknown: random.pick(foreign) };
  if (random.oneIn(6)) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(entries.map(([key, held], index) => [key, index === at ? bent(held, random) : held]));
}

/** Sends a frame; returns whether it was refused. */
async function send(server: TestServer, { body, headers }: Sent, random: SeededRandom): Promise<boolean> {
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${random.oneIn(50) ? "wrong" : server.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: body as never,
  });
  if (!response.ok) {
    await response.arrayBuffer();
    return true;
  }
  return isRefusal(await answerOf(response));
}

/** Reads the answer of a request: JSON, or the only event of a stream. A stream that stays open has none. */
async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return null;
  const data = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "null");
  return JSON.parse(data);
}

function isRefusal(answer: unknown): boolean {
  const { error, result } = (answer ?? {}) as {
    readonly error?: unknown;
    readonly result?: { readonly isError?: boolean };
  };
  return error !== undefined || result?.isError === true;
}

async function stillAnswers(server: TestServer): Promise<void> {
  const { message, headers } = frameOf("tools/list", {});
  const response = await post(server, message, headers);
  if (!(await response.text()).includes("canvas_check_out")) throw new Error("the server no longer answers");
}
