import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { listAt, objectAt, parseJson, textAt } from "../../adapters/providers/shared/json-read.ts";
import { scriptedModel } from "../../adapters/providers/scripted.ts";
import { type Fault, refusalStatuses } from "./faults.ts";
import { type MockProvider, startMockProvider } from "./server.ts";
import type { WireName } from "./wires.ts";

const open: MockProvider[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((mock) => mock.close()));
});

const said = "Grüße an 世界 😀";
const bodies: Readonly<Record<WireName, { readonly path: string; readonly whole: string; readonly body: object }>> = {
  anthropic: {
    path: "/v1/messages",
    whole: "/v1/messages",
    body: { model: "m", max_tokens: 10, messages: [{ role: "user", content: "hi" }] },
  },
  chat: {
    path: "/v1/chat/completions",
    whole: "/v1/chat/completions",
    body: { model: "m", messages: [{ role: "user", content: "hi" }] },
  },
  responses: { path: "/v1/responses", whole: "/v1/responses", body: { model: "m", input: "hi" } },
  gemini: {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    whole: "/v1beta/models/m:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  },
  interactions: { path: "/v1beta/interactions", whole: "/v1beta/interactions", body: { model: "m", input: "hi" } },
};
const apis = ["anthropic", "chat", "responses", "gemini", "interactions"] as const satisfies readonly WireName[];

/** The data that came over the wire. */
interface Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** Lines after `data:`. */
  readonly data: readonly string[];
  readonly writes: number;
  /** `ended`: in order; `broken`: the connection was lost first; `quiet`: nothing more came for a while. */
  readonly end: "ended" | "broken" | "quiet";
}

interface Asked {
  readonly streamed?: boolean;
  readonly tls?: boolean;
  readonly sleep?: (delayMs: number) => Promise<void>;
}

const quietMs = 60;

async function exchange(api: WireName, fault: Fault | null, asked: Asked = {}): Promise<Exchange> {
  const { streamed = true, tls = false, sleep } = asked;
  const brain = scriptedModel(
    [
      [
        { type: "text", text: said },
        { type: "tool-call", name: "look", parameters: { where: "here" }, id: "call_1" },
        { type: "tool-call", name: "look", parameters: { where: "there" }, id: "call_2" },
      ],
    ],
    () => Promise.resolve(),
  );
  const mock = await startMockProvider({
    api,
    faults: [fault],
    reply: (request, signal) => brain.stream(request, signal),
    tls,
    ...(sleep === undefined ? {} : { sleep }),
  });
  open.push(mock);
  const form = bodies[api];
  const url = new URL(streamed ? form.path : form.whole, mock.url);
  const sent = JSON.stringify({ ...form.body, ...(streamed && api !== "gemini" ? { stream: true } : {}) });
  // Only a deliberate silence is accepted after a short wait.
  const quietWaitMs = fault?.type === "stall" || fault?.type === "silence" ? quietMs : 20_000;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let head: { readonly status: number; readonly headers: Readonly<Record<string, unknown>> } | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (end: Exchange["end"]): void => {
      clearTimeout(timer);
      const bytes = Buffer.concat(chunks);
      const text = bytes.toString("utf8");
      const data = text.split(/\r?\n/).flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      resolve({
        status: head?.status ?? 0,
        headers: head?.headers ?? {},
        bytes,
        text,
        data,
        writes: chunks.length,
        end,
      });
      request.destroy();
    };
    const listen = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => finish("quiet"), quietWaitMs);
    };
    const options = {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "api-revision": "2026-05-20" },
      agent: false,
      ...(mock.certificate === null ? {} : { ca: mock.certificate }),
    } as const;
    const request = (tls ? httpsRequest : httpRequest)(url, options, (response) => {
      head = { status: response.statusCode ?? 0, headers: response.headers };
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        listen();
      });
      response.on("end", () => finish("ended"));
      response.on("error", () => finish("broken"));
      listen();
    });
    request.on("error", (problem) => (head === undefined ? reject(problem) : finish("broken")));
    listen();
    request.end(sent);
  });
}

/** An example of each fault with its visible effect, for every format. A fault without a row does not compile. */
const table: {
  readonly [Type in Fault["type"]]: {
    readonly fault: Extract<Fault, { readonly type: Type }>;
    readonly asked?: Asked;
    see(got: Exchange, plain: Exchange, api: WireName): void;
  };
} = {
  status: {
    fault: { type: "status", status: 418, headers: { "x-mark": "yes" }, body: "short and stout" },
    see(got) {
      expect([got.status, got.headers["x-mark"], got.text, got.end]).toEqual([418, "yes", "short and stout", "ended"]);
    },
  },
  refusal: {
    fault: { type: "refusal", status: 429, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" },
    see(got) {
      expect([got.status, got.headers["retry-after"]]).toEqual([429, "Wed, 21 Oct 2026 07:28:00 GMT"]);
      expect(textAt(objectAt(parseJson(got.text), "error"), "message")).toMatch(/rate limit|exhausted/i);
    },
  },
  "half-stream": {
    fault: { type: "half-stream", events: 2 },
    see(got, plain) {
      expect([got.data, got.end]).toEqual([plain.data.slice(0, 2), "ended"]);
    },
  },
  reset: {
    fault: { type: "reset", events: 2 },
    see(got) {
      expect(got.end).toBe("broken");
    },
  },
  "tls-cut": {
    fault: { type: "tls-cut", events: 2 },
    asked: { tls: true },
    see(got, plain) {
      expect([got.data, got.end]).toEqual([plain.data.slice(0, 2), "broken"]);
    },
  },
  stall: {
    fault: { type: "stall", events: 2 },
    see(got, plain) {
      expect([got.data, got.end]).toEqual([plain.data.slice(0, 2), "quiet"]);
    },
  },
  silence: {
    fault: { type: "silence" },
    see(got) {
      expect([got.status, got.end]).toEqual([0, "quiet"]);
    },
  },
  "error-event": {
    fault: { type: "error-event", events: 2, data: '{"error":1}', name: "error" },
    see(got, plain) {
      expect(got.data).toEqual([...plain.data.slice(0, 2), '{"error":1}']);
      expect(got.text).toContain('event: error\ndata: {"error":1}\n\n');
    },
  },
  "overloaded-event": {
    fault: { type: "overloaded-event", events: 2 },
    see(got, plain, api) {
      expect([got.status, got.data.slice(0, 2), got.end]).toEqual([200, plain.data.slice(0, 2), "ended"]);
      const form = {
        anthropic: "overloaded_error",
        chat: "server_is_overloaded",
        responses: "",
        gemini: "UNAVAILABLE",
        interactions: "unavailable",
      };
      expect(got.data.slice(2).join("")).toContain(form[api]);
      expect(got.data.slice(2).join("")).toContain("Overloaded");
    },
  },
  "no-end": {
    fault: { type: "no-end" },
    see(got, plain) {
      expect([got.data, got.end]).toEqual([plain.data.slice(0, -1), "ended"]);
    },
  },
  duplicate: {
    fault: { type: "duplicate", at: 1 },
    see(got, { data }) {
      expect(got.data).toEqual([data[0], data[1], data[1], ...data.slice(2)]);
    },
  },
  reorder: {
    fault: { type: "reorder", at: 1 },
    see(got, { data }) {
      expect(got.data).toEqual([data[0], data[2], data[1], ...data.slice(3)]);
    },
  },
  split: {
    fault: { type: "split", bytes: 1, crlf: true },
    see(got, plain) {
      expect(got.data).toEqual(plain.data);
      expect(got.text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
      // The network may merge some writes; without the fault there is one write per event.
      expect(got.writes).toBeGreaterThan(plain.data.length * 2);
    },
  },
  drip: {
    fault: { type: "drip", bytes: 1, everyMs: 1000 },
    see(got, plain) {
      expect(got.data).toEqual(plain.data);
    },
  },
  "half-event": {
    fault: { type: "half-event" },
    see(got, plain) {
      expect(plain.text.startsWith(got.text)).toBe(true);
      expect([got.end, got.text.endsWith("\n\n")]).toEqual(["ended", false]);
    },
  },
  "long-line": {
    fault: { type: "long-line", bytes: 70_000 },
    see(got, plain) {
      expect(got.data[0]?.length).toBeGreaterThan(70_000);
      expect(got.data.slice(1)).toEqual(plain.data);
    },
  },
  "big-delta": {
    fault: { type: "big-delta", characters: 70_000 },
    see(got) {
      expect(got.data.filter((line) => line.includes("x".repeat(70_000))).length).toBeGreaterThan(0);
    },
  },
  "broken-arguments": {
    fault: { type: "broken-arguments" },
    see(got, _plain, api) {
      expect(got.text).toContain(api === "gemini" ? "MALFORMED_FUNCTION_CALL" : '{\\"and\\": ');
    },
  },
  "same-ids": {
    fault: { type: "same-ids" },
    see(got, plain) {
      expect([plain.text.includes("call_2"), got.text.includes("call_2")]).toEqual([true, false]);
      expect(got.text).toContain("call_1");
    },
  },
  "empty-content": {
    fault: { type: "empty-content" },
    see(got, plain) {
      expect(plain.text).toContain("Gr");
      expect([got.text.includes("Gr"), got.text.includes("look"), got.end]).toEqual([false, false, "ended"]);
      expect(got.data.length).toBeGreaterThan(0);
    },
  },
  "web-page": {
    fault: { type: "web-page", status: 502 },
    see(got) {
      expect([got.status, got.headers["content-type"], got.text.startsWith("<!doctype html>")]).toEqual([
        502,
        "text/html",
        true,
      ]);
    },
  },
  empty: {
    fault: { type: "empty" },
    see(got) {
      expect([got.status, got.bytes.length, got.end]).toEqual([200, 0, "ended"]);
    },
  },
  "gzip-bomb": {
    fault: { type: "gzip-bomb", bytes: 1_000_000 },
    see(got) {
      expect([got.headers["content-encoding"], gunzipSync(got.bytes).length]).toEqual(["gzip", 1_000_000]);
      expect(got.bytes.length).toBeLessThan(5000);
    },
  },
  "content-type": {
    fault: { type: "content-type", value: "text/plain" },
    see(got, plain) {
      expect([got.headers["content-type"], got.data]).toEqual(["text/plain", plain.data]);
    },
  },
  crlf: {
    fault: { type: "crlf" },
    see(got, plain) {
      expect([got.data, /[^\r]\n/.test(got.text)]).toEqual([plain.data, false]);
    },
  },
};

const rows = Object.values(table);

describe.each(apis)("over %s", (api) => {
  test.each(rows.map((row) => [row.fault.type, row] as const))(
    "the fault %s has its effect on the wire",
    async (_name, row) => {
      const noWait = { sleep: () => Promise.resolve() };
      const plain = await exchange(api, null);
      expect(plain.end).toBe("ended");
      row.see(await exchange(api, row.fault, { ...noWait, ...row.asked }), plain, api);
    },
  );

  test("drip waits between its pieces as configured", async () => {
    const waits: number[] = [];
    const { bytes } = await exchange(
      api,
      { type: "drip", bytes: 10, everyMs: 1000 },
      {
        sleep: async (delayMs) => {
          waits.push(delayMs);
        },
      },
    );
    expect(new Set(waits)).toEqual(new Set([1000]));
    expect(waits.length).toBeGreaterThan(bytes.length / 10);
  });

  test.each(refusalStatuses)(
    "a refusal with %i has the provider's error form, or a proxy's empty body or page",
    async (status) => {
      const got = await exchange(api, { type: "refusal", status });
      expect(got.status).toBe(status);
      if (got.text === "") expect(got.headers["content-type"]).toBe("text/html");
      else expect(textAt(objectAt(parseJson(got.text), "error"), "message")).not.toBe("");
    },
  );

  test.each([
    ["half-stream", "ended"],
    ["reset", "broken"],
    ["stall", "quiet"],
  ] as const)("%s cuts an unstreamed reply in half", async (type, end) => {
    const plain = await exchange(api, null, { streamed: false });
    expect(parseJson(plain.text)).toBeDefined();
    const got = await exchange(api, { type, events: 2 }, { streamed: false });
    expect(got.end).toBe(end);
    if (type !== "reset") expect(got.text).toBe(plain.text.slice(0, got.text.length));
    expect(got.bytes.length).toBeLessThanOrEqual(plain.bytes.length / 2);
  });

  test("faults of content also affect an unstreamed reply", async () => {
    const got = await exchange(api, { type: "big-delta", characters: 70_000 }, { streamed: false });
    expect(got.text).toContain("x".repeat(70_000));
    const overloaded = await exchange(api, { type: "overloaded-event", events: 1 }, { streamed: false });
    expect(overloaded.text).toContain("Overloaded");
  });

  test("requests after the last scripted fault succeed", async () => {
    const got = await exchange(api, null);
    expect([got.status, got.end]).toEqual([200, "ended"]);
    expect(listAt(got, "data").length).toBeGreaterThan(3);
  });
});
