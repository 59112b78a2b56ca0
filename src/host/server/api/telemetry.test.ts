import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
} from "@opentelemetry/api";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { buildCatalogue } from "../../../adapters/providers/catalogue.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient } from "../../../testing/test-client.ts";
import { startTestServer } from "../../../testing/test-server.ts";
import { connectAgent, post, statelessCall } from "../mcp/mcp.test-support.ts";

interface Recorded {
  readonly name: string;
  readonly attributes: Attributes;
  readonly parentId: string | null;
  readonly traceId: string;
  readonly id: string;
  status?: number;
  isEnded: boolean;
}

/** The smallest SDK: what an owner loads in its place is OpenTelemetry's own. */
const spans: Recorded[] = [];
let count = 0;

function startSpan(name: string, { attributes = {} }: { attributes?: Attributes }, within: Context): Span {
  const parent = trace.getSpanContext(within);
  count += 1;
  const id = count.toString(16).padStart(16, "0");
  const recorded: Recorded = {
    name,
    attributes: { ...attributes },
    parentId: parent?.spanId ?? null,
    traceId: parent?.traceId ?? count.toString(16).padStart(32, "a"),
    id,
    isEnded: false,
  };
  spans.push(recorded);
  const span: Partial<Span> = {
    spanContext: (): SpanContext => ({ traceId: recorded.traceId, spanId: id, traceFlags: 1 }),
    setAttributes: (more) => (Object.assign(recorded.attributes, more), span as Span),
    setAttribute: (key, value) => (Object.assign(recorded.attributes, { [key]: value }), span as Span),
    setStatus: ({ code }) => ((recorded.status = code), span as Span),
    end: () => void (recorded.isEnded = true),
  };
  return span as Span;
}

const closing: (() => unknown)[] = [];
let provider: Server;
let baseUrl = "";
const seen: (string | undefined)[] = [];

beforeAll(async () => {
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...args) => storage.run(within, () => work.apply(self as never, args)),
    bind: (_within, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
  trace.setGlobalTracerProvider({
    getTracer: () => ({ startSpan, startActiveSpan: () => undefined as never }) as never,
  });
  propagation.setGlobalPropagator({
    fields: () => ["traceparent"],
    inject(within, carrier, setter) {
      const span = trace.getSpanContext(within);
      if (span !== undefined) setter.set(carrier, "traceparent", `00-${span.traceId}-${span.spanId}-01`);
    },
    extract(within, carrier, getter) {
      const [, traceId, spanId] = String(getter.get(carrier, "traceparent") ?? "").split("-");
      if (traceId === undefined || spanId === undefined) return within;
      return trace.setSpanContext(within, { traceId, spanId, traceFlags: 1, isRemote: true });
    },
  });
  provider = createServer((request, response) => {
    seen.push(request.headers["traceparent"] as string | undefined);
    request.resume();
    const chunk = (delta: object, rest: object = {}) =>
      `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, ...rest }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ role: "assistant", content: "said" }) + chunk({}, { finish_reason: "stop" }));
    response.end(
      `data: ${JSON.stringify({ id: "1", choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } })}\n\ndata: [DONE]\n\n`,
    );
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  context.disable();
  trace.disable();
  propagation.disable();
  provider.close();
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  spans.length = 0;
  seen.length = 0;
});

test("a turn and its request are spans, the provider gets the request's traceparent, and /metrics counts both", async () => {
  const { clock } = systemPlatform();
  const catalogue = buildCatalogue(
    { addresses: { openai: baseUrl }, keys: { openai: "sk-test" } },
    { fetch, clock, sleep: async () => {} },
  );
  const server = await startTestServer({ welcome: false, catalogue });
  closing.push(() => server.close());
  const client = connectTestClient(server, { name: "Ada" });
  closing.push(() => client.close());
  const model = catalogue.list().find(({ id }) => catalogue.find(id)?.api === "openai-chat")?.id ?? "";
  const { rootId } = accept(await client.call("conversation.create", { title: "Talk", model }));
  accept(await client.call("message.send", { rootId, parentNodeId: null, text: "a secret word" }));
  await expect
    .poll(() => spans.filter(({ isEnded }) => isEnded).map(({ name }) => name))
    .toEqual(["invoke_agent heddle", `chat ${model}`]);
  const [turn, request] = spans;
  expect(turn?.attributes).toMatchObject({ "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": rootId });
  expect(request).toMatchObject({ parentId: turn?.id, traceId: turn?.traceId });
  expect(request?.attributes).toMatchObject({ "gen_ai.provider.name": "openai", "gen_ai.usage.input_tokens": 7 });
  expect(JSON.stringify(spans)).not.toContain("secret word");
  expect(seen.every((each) => each?.includes(turn?.traceId ?? "-") === true)).toBe(true);
  const read = (token: string) => fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect((await read("wrong")).status).toBe(401);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
  const text = await (await read(server.token)).text();
  expect(text).toContain('heddle_turns_total{outcome="ok"} 1');
  expect(text).toContain(`heddle_model_request_seconds_count{model="${model}",outcome="ok"} 1`);
  expect(text).toContain(`heddle_model_tokens_total{model="${model}",type="input"} 7`);
  expect(text).toContain("process_resident_memory_bytes");
});

test("a call of an outside agent is a span below its program's, and marked where it fails", async () => {
  const server = await startTestServer({ welcome: false });
  closing.push(() => server.close());
  const agent = await connectAgent(server);
  closing.push(() => agent.close());
  spans.length = 0;
  const { message, headers } = statelessCall("canvas_check_out", { canvas_id: "doc_nobody" });
  const traceparent = `00-${"b".repeat(32)}-${"c".repeat(16)}-01`;
  const { params } = message as { params: { _meta: object } };
  const traced = { ...message, params: { ...params, _meta: { ...params._meta, traceparent } } };
  await (await post(server, traced, headers)).text();
  expect(spans).toMatchObject([
    { name: "execute_tool canvas_check_out", parentId: "c".repeat(16), traceId: "b".repeat(32), isEnded: true },
  ]);
  expect(spans[0]?.attributes["error.type"]).toBe("CANVAS_UNAVAILABLE");
  expect(spans[0]?.status).toBe(SpanStatusCode.ERROR);
});
