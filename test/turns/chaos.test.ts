import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../src/adapters/providers/scripted.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { checkTranscript } from "../../src/core/message/transcript.ts";
import type { ErrorKind } from "../../src/core/model/failure.ts";
import { attemptsMax } from "../../src/core/turn/step/retry.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import { World } from "../../src/host/conversation/queue/conversation.test-support.ts";
import type { Fault, RefusalStatus } from "../../src/testing/mock-provider/faults.ts";
import { startMockProvider } from "../../src/testing/mock-provider/server.ts";
import type { WireName } from "../../src/testing/mock-provider/wires.ts";
import { modelOver } from "../providers/model-over.ts";
import { noSleep } from "../providers/test-deps.ts";

/** The faults of a provider in the requests of one turn, in order, and the final state of the run. */
interface Scenario {
  readonly name: string;
  readonly faults: readonly Fault[];
  /** The kind of the error in which the turn ends; null: it ends with its answer. */
  readonly ends: ErrorKind | null;
  /** The number of requests of the turn, including the one with its tool's answer; null if formats differ. */
  readonly requests: number | null;
}

const kindOf: Readonly<Record<RefusalStatus, readonly [kind: ErrorKind, retried: boolean]>> = {
  400: ["invalid-request", false],
  401: ["auth", false],
  403: ["auth", false],
  404: ["invalid-request", false],
  408: ["network", true],
  413: ["invalid-request", false],
  429: ["rate-limit", true],
  500: ["network", true],
  502: ["network", true],
  503: ["network", true],
  504: ["network", true],
  529: ["network", true],
};

const refusals = Object.entries(kindOf).flatMap(([code, [kind, retried]]): readonly Scenario[] => {
  const fault: Fault = { type: "refusal", status: Number(code) as RefusalStatus };
  const always = Array.from({ length: attemptsMax }, () => fault);
  return retried
    ? [
        { name: `${code} once`, faults: [fault], ends: null, requests: 3 },
        { name: `${code} always`, faults: always, ends: kind, requests: attemptsMax },
      ]
    : [{ name: code, faults: [fault], ends: kind, requests: 1 }];
});

const waits = ["0", "7", "3600", "-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"].map((retryAfter): Scenario => {
  const fault: Fault = { type: "refusal", status: 429, retryAfter };
  return { name: `429 with retry-after ${retryAfter}`, faults: [fault], ends: null, requests: 3 };
});

const cut: readonly Fault[] = [
  { type: "half-stream", events: 1 },
  { type: "half-stream", events: 2 },
  { type: "reset", events: 0 },
  { type: "reset", events: 2 },
  { type: "stall", events: 2 },
  { type: "silence" },
  { type: "empty" },
  { type: "overloaded-event", events: 2 },
  { type: "web-page", status: 502 },
];
const cuts = cut.flatMap((fault): readonly Scenario[] => {
  const name = `${fault.type}${"events" in fault ? ` after ${fault.events}` : ""}`;
  const always = Array.from({ length: attemptsMax }, () => fault);
  return [
    { name: `${name}, once`, faults: [fault], ends: null, requests: 3 },
    { name: `${name}, always`, faults: always, ends: "network", requests: attemptsMax },
  ];
});

const oddities: readonly Scenario[] = [
  ...(
    [
      { type: "split", bytes: 1 },
      { type: "split", bytes: 1, crlf: true },
      { type: "split", bytes: 7 },
      { type: "drip", bytes: 5, everyMs: 1 },
      { type: "crlf" },
      { type: "content-type", value: "text/plain" },
      { type: "content-type", value: "application/octet-stream" },
      { type: "big-delta", characters: 100_000 },
    ] satisfies readonly Fault[]
  ).map((fault) => ({ name: JSON.stringify(fault), faults: [fault], ends: null, requests: 2 })),
  { name: "a web page under 200", faults: [{ type: "web-page" }], ends: "invalid-request", requests: 1 },
  { name: "nothing said", faults: [{ type: "empty-content" }], ends: null, requests: 1 },
  { name: "arguments that are no JSON", faults: [{ type: "broken-arguments" }], ends: null, requests: null },
  { name: "two calls under one id", faults: [{ type: "same-ids" }], ends: null, requests: 2 },
  { name: "64 MB in a few kilobytes", faults: [{ type: "gzip-bomb", bytes: 1 << 26 }], ends: "unknown", requests: 1 },
  // Some formats have sent everything before their last event.
  { name: "half an event at the end", faults: [{ type: "half-event" }], ends: null, requests: null },
  { name: "a reply without its end", faults: [{ type: "no-end" }], ends: null, requests: null },
  { name: "an event that comes twice", faults: [{ type: "duplicate", at: 1 }], ends: null, requests: null },
  { name: "an event that comes late", faults: [{ type: "reorder", at: 1 }], ends: null, requests: null },
  {
    name: "a stall, then 503, then an answer",
    faults: [
      { type: "stall", events: 1 },
      { type: "refusal", status: 503 },
    ],
    ends: null,
    requests: 4,
  },
  {
    name: "a reset, then a key that is refused",
    faults: [
      { type: "reset", events: 1 },
      { type: "refusal", status: 401 },
    ],
    ends: "auth",
    requests: 2,
  },
];

const scenarios = [...refusals, ...waits, ...cuts, ...oddities];
const apis = ["anthropic", "chat", "responses", "gemini", "interactions"] as const satisfies readonly WireName[];

test("there are sixty scenarios", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

describe.each(apis)("a turn over %s", (api) => {
  test.for(scenarios)("S-15 S-17 S-18 $name", async ({ faults, ends, requests }, { onTestFinished }) => {
    const mock = await startMockProvider({
      api,
      strict: true,
      faults: faults.map((fault) => inPlaceOf(api, fault)),
      sleep: () => Promise.resolve(),
      reply: (request, signal) => {
        const answered = request.messages.some(({ role }) => role === "tool");
        const said = { type: "text", text: answered ? "Well seen, Grüße 😀." : "I look." } as const;
        const look = { type: "tool-call", name: "safe-look", parameters: { where: "here" }, id: "call_1" } as const;
        return scriptedModel([answered ? [said] : [said, look, ...second(faults)]], noSleep).stream(request, signal);
      },
    });
    onTestFinished(() => mock.close());
    // Only a permanently silent provider is waited for in vain; a busy machine may pause for tens of milliseconds.
    const patienceMs = faults.some(({ type }) => type === "stall" || type === "silence") ? 250 : 10_000;
    const model = modelOver(api, mock.url, { connectMs: patienceMs, idleMs: patienceMs });
    const world = await World.start({ model });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "Look around.");
    await rested(world, runId);

    const run = await world.store.run(runId);
    expect(run?.state).toMatchObject(ends === null ? { type: "idle" } : { type: "error", kind: ends });
    if (requests !== null) expect(mock.requests).toHaveLength(requests);
    expect(mock.rejections).toEqual([]);
    const head = run?.headNodeId;
    if (typeof head === "string") {
      const path = (await world.store.path(head)).map(({ message }) => message);
      expect(checkTranscript(path)).toMatchObject({ ok: true });
    }
    await world.conversations.close();
  });
});

/** Two calls whose ids are the fault. */
function second(
  faults: readonly Fault[],
): readonly { type: "tool-call"; name: string; parameters: JsonObject; id: string }[] {
  return faults.some(({ type }) => type === "same-ids")
    ? [{ type: "tool-call", name: "safe-look", parameters: { where: "there" }, id: "call_2" }]
    : [];
}

/** The same fault for a format that needs two events where others need five. */
function inPlaceOf(api: WireName, fault: Fault): Fault {
  return api === "gemini" && "events" in fault ? { ...fault, events: Math.min(fault.events, 2) } : fault;
}

/** Advances the clock whenever the run waits for it; the network takes its own time. */
async function rested(world: World, runId: Awaited<ReturnType<World["send"]>>["runId"]): Promise<void> {
  const until = performance.now() + 20_000;
  for (;;) {
    const run = await world.store.run(runId);
    if (run !== null && isSettled(run.state)) return;
    if (performance.now() > until) throw new Error(`still ${run?.state.type}`);
    const waits = run?.state.type === "requesting" && run.state.retryAt !== null;
    if (waits || run?.state.type === "running-tools") await world.clock.advance(1_000);
    await delay(1);
  }
}
