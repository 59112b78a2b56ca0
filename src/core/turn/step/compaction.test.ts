import { describe, expect, test } from "vitest";
import { noUsage } from "../../message/usage.ts";
import type { Compaction, TurnState } from "../state/state.ts";
import {
  auth,
  compacting,
  events,
  helper,
  messagesOf,
  progress,
  states,
  taken,
  verdictLine,
} from "../turn.test-support.ts";

/** A request for a summary, with another compaction. */
function requesting(change: Partial<Compaction> = {}): Extract<TurnState, { type: "requesting" }> {
  const { compaction } = compacting;
  if (compaction === undefined) throw new Error("a compaction");
  return { ...states.requesting, progress: { ...compacting, compaction: { ...compaction, ...change } } };
}

const failed = { ...events["response-failed"], failure: auth } as const;
const overflow = { tokens: 9_000, window: 8_000 };

describe("14.21 a compaction before a request", () => {
  test("asks for the summary instead, and for the request once its node is saved", () => {
    const { state } = taken(states.awaiting, events["compaction-due"]);
    expect(state).toMatchObject({
      type: "requesting",
      progress: { asking: "compaction", compaction: { next: "reply" } },
    });
    const done = taken(state, events["compaction-finished"]);
    expect(done.state).toEqual({ type: "awaiting", progress: { rounds: 0, asking: "reply" } });
    expect(done.saved.map(({ type }) => type)).toEqual(["save-compaction"]);
    expect(done.performed).toEqual([{ type: "prepare-request" }]);
  });

  test.each<readonly [string, Partial<Compaction>, string]>([
    ["whose request fits lets the turn go on", {}, "awaiting: notify, then prepare-request"],
    ["that nothing waits for leaves the run idle", { next: null }, "idle: notify, then release-leases"],
    ["before a first request that does not fit ends the turn", { overflow }, "error: notify, then release-leases"],
    [
      "in the midst of a turn that does not fit summarises the branch",
      { overflow, midTurn: true },
      "awaiting: notify, save-message, then prepare-request",
    ],
  ])("K-65 that fails %s", (_name, change, expected) => {
    expect(verdictLine(requesting(change), failed)).toBe(expected);
  });

  test("K-65 that fails counts, over turns, until one succeeds or a person asks", () => {
    const once = taken(requesting(), failed).state;
    expect(once).toMatchObject({ progress: { failedCompactions: 1, skipsCompaction: true } });
    const asked = taken(once, events["request-prepared"]).state;
    const idle = taken(asked, events["response-finished"]).state;
    expect(idle).toEqual({ type: "idle", failedCompactions: 1 });
    expect(taken(idle, events["message-sent"]).state).toMatchObject({ progress: { failedCompactions: 1 } });
    expect(JSON.stringify(taken(idle, events["compaction-requested"]).state)).not.toContain("failedCompactions");
  });

  test("K-65 a sub-agent whose request does not fit then ends as one whose context is full", () => {
    expect(verdictLine(requesting({ overflow }), failed, helper)).toBe("failed: notify, then release-leases");
  });

  test("K-66 that is stopped keeps nothing of the summary, and counts what it cost", () => {
    const stopping = taken(requesting(), events["turn-cancelled"]).state;
    expect(stopping.type).toBe("cancelling");
    const late = taken(stopping, events["compaction-finished"]);
    expect([late.state, messagesOf(late.saved), late.saved.map(({ type }) => type)]).toEqual([
      { type: "idle" },
      [],
      ["count-usage"],
    ]);
  });

  test("K-67 of a reply without words is asked for once more, then it has failed", () => {
    const wordless = { type: "compaction-discarded", attempt: 1, reason: "no-words", usage: noUsage } as const;
    const again = taken(requesting(), wordless).state;
    expect(again).toMatchObject({ type: "requesting", progress: { compaction: { inWords: true } } });
    expect(verdictLine(again, wordless)).toBe("awaiting: count-usage, notify, then prepare-request");
  });

  test("a retry of it saves nothing beside the branch", () => {
    const partial = { role: "assistant", content: [{ type: "text", text: "Half" }] } as const;
    const step = taken(requesting(), { ...events["response-failed"], partial });
    expect(messagesOf(step.saved)).toEqual([]);
    expect(step.state).toMatchObject({ type: "requesting", attempt: 2, progress: { asking: "compaction" } });
  });
});

describe("14.21 a person who asks for a compaction", () => {
  test("while a turn works has it before the next request, with their words", () => {
    const noted = taken(states["running-tools"], events["compaction-requested"]).state;
    expect(noted).toMatchObject({ type: "running-tools", progress: { wish: { focus: "names" } } });
    const due = taken(
      { type: "awaiting", progress: { ...progress, wish: { focus: "names" } } },
      events["compaction-due"],
    );
    expect(due.state).toMatchObject({ progress: { compaction: { focus: "names", next: "reply" } } });
    expect(JSON.stringify(due.state)).not.toContain("wish");
  });

  test("while the last reply streams has it when the turn is over", () => {
    const noted = taken(states.requesting, events["compaction-requested"]).state;
    const ended = taken(noted, events["response-finished"]);
    expect(ended.state).toMatchObject({
      type: "awaiting",
      progress: { asking: "compaction", compaction: { next: null } },
    });
    expect(ended.performed.map(({ type }) => type).toSorted()).toEqual(["prepare-request", "release-leases"]);
  });

  test("twice with the same words changes nothing", () => {
    const noted = taken(states.requesting, events["compaction-requested"]).state;
    expect(verdictLine(noted, events["compaction-requested"])).toBe("absorbed");
  });

  test("and stops the turn drops the wish", () => {
    const noted = taken(states.awaiting, events["compaction-requested"]).state;
    expect(taken(noted, events["turn-cancelled"]).state).toEqual({ type: "idle" });
  });
});

describe("14.21 a request that the model refuses as too long", () => {
  const tooLong = {
    ...events["response-failed"],
    failure: { class: "context-length", message: "prompt is too long", retryable: false },
    compacts: true,
  } as const;
  const due = { ...events["compaction-due"], overflow } as const;

  test("is made again once after a compaction", () => {
    const refused = taken(states.requesting, tooLong);
    expect([refused.state, refused.performed]).toMatchObject([
      { type: "awaiting", progress: { refused: { class: "context-length", message: "prompt is too long" } } },
      [{ type: "prepare-request" }],
    ]);
    const done = taken(taken(refused.state, due).state, events["compaction-finished"]);
    expect(done.state).toEqual({ type: "awaiting", progress: { rounds: 0, asking: "reply", madeRoom: true } });
    const again = taken(done.state, events["request-prepared"]).state;
    expect(taken(again, tooLong).state).toMatchObject({
      type: "error",
      detail: "context-length",
      message: "prompt is too long",
    });
    // After a reply, a later request of the turn has its own compaction.
    expect(JSON.stringify(taken(again, events["response-finished"]).state)).not.toContain("madeRoom");
  });

  test.each(["reply", "last-words", "submission"] as const)("makes room for the %s of a turn", (asking) => {
    const state = { ...states.requesting, progress: { ...progress, asking } };
    expect(taken(state, tooLong).state).toMatchObject({ type: "awaiting", progress: { asking } });
  });

  test("ends the turn with the model's words where no compaction makes room", () => {
    const { compacts: _compacts, ...withoutCompaction } = tooLong;
    expect(taken(states.requesting, withoutCompaction).state).toMatchObject({ message: "prompt is too long" });
    const asked = taken(taken(states.requesting, tooLong).state, due).state;
    expect(taken(asked, failed).state).toMatchObject({
      type: "error",
      detail: "context-length",
      message: "prompt is too long",
      failedCompactions: 1,
    });
  });

  test("in the midst of a turn summarises the branch where its compaction fails", () => {
    const asked = taken(taken(states.requesting, tooLong).state, { ...due, midTurn: true }).state;
    expect(verdictLine(asked, failed)).toBe("awaiting: notify, save-message, then prepare-request");
  });
});

test("S-31 a full window ends nothing where a compaction makes room, and its calls run", () => {
  const full = { ...events["response-finished"].facts, contextUsed: 0.95, compacts: true } as const;
  const reply = {
    role: "assistant",
    content: [{ type: "tool-use", id: "c" as never, name: "look", parameters: {} }],
  } as const;
  const { state } = taken(states.requesting, { ...events["response-finished"], message: reply, facts: full });
  expect(state.type).toBe("running-tools");
  const idle = taken(states.requesting, { ...events["response-finished"], facts: full });
  expect([idle.state, idle.saved.map(({ type }) => type)]).toEqual([{ type: "idle" }, ["save-message"]]);
});
