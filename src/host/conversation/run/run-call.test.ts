import { beforeEach, describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import { StoreAwayError } from "../../../adapters/storage/shared/store-error.ts";
import { Activities } from "../base/activities.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { CallRunner } from "./run-call.ts";

const facts = {
  definitionHash: "hash",
  idempotent: false,
  access: "read",
  reach: { outward: false, private: false, untrusted: false },
};

let clock: SimulatedClock;
let activities: Activities;
/** What the runner reports, in order. */
let reported: (TurnEvent | string)[];
let logged: string[];
/** What the tools, the store and the sub-agents do; a test replaces what it is about. */
let tool: {
  facts: (name: string) => object | null;
  ready?: () => Promise<void>;
  run: (call: object, context: { progress: (text: string) => void }) => Promise<object>;
  intents: boolean[];
  plan?: () => Promise<object>;
  /** Whether the person lost the right to have the turn go on. */
  rightsEnded?: boolean;
};

beforeEach(() => {
  clock = simulatedClock();
  activities = new Activities();
  [reported, logged] = [[], []];
  tool = { facts: () => facts, run: async () => ({ ok: true, content: { found: 1 } }), intents: [] };
});

function runner(): CallRunner {
  const log = (what: string): void => void logged.push(what);
  const blocks = {
    open: async () => "live",
    append: (_id: string, text: string) => void reported.push(`shows ${text}`),
  };
  const ports = {
    tools: {
      facts: (name: string) => tool.facts(name),
      run: (call: object, context: never) => tool.run(call, context),
      ...(tool.ready === undefined ? {} : { ready: tool.ready }),
    },
    models: { list: () => [], find: () => undefined },
    store: { root: async () => null, path: async () => [] },
    platform: { clock, logger: { error: log, warn: log } },
    blobs: {},
    blocks,
    ...(tool.rightsEnded === undefined ? {} : { rights: { hasEnded: async () => tool.rightsEnded } }),
    ...(tool.plan === undefined ? {} : { subAgents: { plan: tool.plan } }),
  };
  const reports = {
    event: (_activity: unknown, event: TurnEvent) => void reported.push(event),
    block: (_activity: unknown, id: string) => void reported.push(`block ${id}`),
    intent: async () => tool.intents.shift() ?? true,
    again: (_activity: unknown, job: () => unknown) => void job(),
  };
  const hold = { begin: () => ({ sign: () => void logged.push("sign"), end: () => void logged.push("end") }) };
  const approvalRules = { rules: async () => [] };
  const observed = { tool: (_call: unknown, _known: boolean, run: () => unknown) => run() };
  const parts = { approvalRules, reports, hold, activities, observed };
  return new CallRunner(ports as unknown as ConversationPorts, parts as never);
}

interface Called {
  readonly name?: string;
  readonly parameters?: object;
  readonly root?: object;
  readonly subAgent?: object | null;
}
async function call({ name = "look", parameters = {}, root = {}, subAgent = null }: Called = {}): Promise<void> {
  const context = {
    run: { id: "run", headNodeId: null, subAgent, turnId: "turn" },
    root: { id: "root", approvals: "none", canvasId: null, cwd: "/", ...root },
    turn: { turnId: "turn", runId: "run", model: "a/b" },
  };
  await runner().run(context as unknown as EffectContext, {
    call: { id: "call", name, parameters } as never,
    approved: null,
    effectId: "effect",
  });
  await new Promise((resolve) => setImmediate(resolve));
}
/** The outcome of the only call: its code, or what the tool answered. */
function outcome(): string {
  const event = reported.find((each) => typeof each !== "string" && each.type === "tool-finished");
  if (event === undefined || typeof event === "string" || event.type !== "tool-finished") return "none";
  const [block] = event.result.content;
  return `${event.result.outcome} ${block.type === "text" ? block.text : block.type}`;
}

test("a call runs once its intent is stored, and its result is shown and reported", async () => {
  await call();
  expect(outcome()).toBe('ok {"found":1}');
  expect(reported.slice(0, 2)).toEqual(["block live", 'shows {"found":1}']);
  expect(logged).toEqual(["sign", "end"]);
});

test("what a tool says while it works is shown, is a sign of life, and ends with its activity", async () => {
  tool.run = async (_call, { progress }) => {
    await Promise.resolve();
    progress("half");
    activities.dropAll();
    progress("late");
    return { ok: true, content: "all" };
  };
  await call();
  expect(reported.filter((each) => typeof each === "string")).toEqual(["block live", "shows half"]);
  expect(logged).toEqual(["sign", "sign", "end"]);
});

describe("a call that is not run", () => {
  test("is of a tool that is switched off", async () => {
    await call({ root: { replies: { toolsOff: ["look"] } } });
    expect(outcome()).toMatch(/^error .*UNKNOWN_TOOL.*switched off/);
  });

  test("comes after the rights ended for which the turn works: it is cancelled", async () => {
    tool.rightsEnded = true;
    await call();
    expect(reported).toEqual([{ type: "turn-cancelled", reason: "rights-ended" }]);
  });

  test("is of no tool: no person is asked, and the model hears of it", async () => {
    tool.facts = () => null;
    tool.run = async () => ({ ok: false, code: "UNKNOWN_TOOL", content: "There is no tool look." });
    await call({ root: { approvals: "all" } });
    expect([outcome(), logged]).toEqual([expect.stringContaining("There is no tool look."), ["sign", "end"]]);
  });

  test("waits for the approval of a person", async () => {
    await call({ root: { approvals: "all" } });
    expect(reported).toMatchObject([{ type: "approval-needed", request: { callId: "call", reason: "tier" } }]);
  });

  test("became another since it was judged", async () => {
    const hashes = ["one", "two"];
    tool.facts = () => ({ ...facts, definitionHash: hashes.shift() });
    await call();
    expect(outcome()).toMatch(/^error .*has just changed/);
  });

  test("could not be judged", async () => {
    tool.facts = () => {
      throw new Error("No facts.");
    };
    await call();
    expect([outcome().includes("No facts."), logged]).toEqual([true, ["call-not-judged"]]);
  });

  test("was dropped while its intent was stored", async () => {
    tool.facts = () => {
      queueMicrotask(() => activities.dropAll());
      return facts;
    };
    await call();
    expect(reported).toEqual([]);
  });
});

describe("a call that cannot run yet", () => {
  test("is tried again until its intent is stored", async () => {
    tool.intents = [false, false];
    await call();
    expect(reported).toEqual([]);
    await clock.advance(60_000);
    await clock.advance(60_000);
    expect(outcome()).toBe('ok {"found":1}');
  });

  test("is tried again when the store is back", async () => {
    let isAway = true;
    tool.facts = () => {
      if (isAway) throw new StoreAwayError("away");
      return facts;
    };
    await call();
    isAway = false;
    expect(reported).toEqual([]);
    await clock.advance(60_000);
    expect(outcome()).toBe('ok {"found":1}');
  });

  test("is not tried again after a cancel", async () => {
    tool.intents = [false];
    await call();
    activities.dropAll();
    await clock.advance(60_000);
    expect(reported).toEqual([]);
  });

  test("waits for the server that has its tool, and no longer where the tool is known", async () => {
    let asked = 0;
    let isReady = false;
    tool.ready = async () => {
      asked += 1;
      isReady = true;
    };
    tool.facts = () => (isReady ? facts : null);
    await call();
    expect([asked, outcome()]).toEqual([1, 'ok {"found":1}']);
    await call();
    expect(asked).toBe(1);
  });
});

test("a tool that throws is an error for the model, and the run goes on", async () => {
  tool.run = async () => Promise.reject(new Error("Broke."));
  await call();
  expect([outcome().startsWith("error"), outcome().includes("Broke."), logged.includes("tool-broke")]).toEqual([
    true,
    true,
    true,
  ]);
});

describe("a call that the turn itself answers", () => {
  test("asks a person, or is refused with what is wrong about the questions", async () => {
    const options = [{ label: "Yes", description: "Do it." }, { label: "No" }];
    await call({ name: "ask_user", parameters: { questions: [{ question: "Now?", options, multiple: false }] } });
    expect(reported).toEqual([
      { type: "question-asked", callId: "call", questions: [{ question: "Now?", options, multiple: false }] },
    ]);
    reported = [];
    await call({ name: "ask_user", parameters: { questions: 5 } });
    expect(outcome()).toMatch(/^error .*INVALID_PARAMS/);
  });
});
