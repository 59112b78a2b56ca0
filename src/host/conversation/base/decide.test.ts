import { expect, test } from "vitest";
import type { Actor } from "../../../core/base/actor.ts";
import type { RunRecord } from "../../../core/port/store.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import { transition } from "../../../core/turn/transition.ts";
import { answer, events, states, user } from "../../../core/turn/turn.test-support.ts";
import { waiting } from "../../../testing/store/records.ts";
import { systemActor } from "./actors.ts";
import { decide, settingsOf, type Decision } from "./decide.ts";

const ada: Actor = { type: "person", id: "ada" as Actor["id"], name: "Ada" };

/** Returns the decision on an event and the number of calls of the machine. */
function decided(
  state: RunRecord["state"],
  event: TurnEvent,
  waiting: readonly WaitingMessage[] = [],
): readonly [Decision, number] {
  let asked = 0;
  const decision = decide(
    (...given) => {
      asked += 1;
      return transition(...given);
    },
    { record: { state, subAgent: null } as RunRecord, waiting },
    { event, sender: systemActor, settings: { maxTokens: 7 } },
  );
  return [decision, asked];
}

test("decide calls the machine once for an accepted event and reports whether a turn begins or ends", () => {
  const [begins, asked] = decided(states.idle, events["message-sent"]);
  expect([begins, asked]).toMatchObject([{ type: "applied", first: { begins: true, ends: false }, queued: null }, 1]);
  const [ends] = decided(states.requesting, events["response-finished"]);
  expect(ends).toMatchObject({ type: "applied", first: { begins: false, ends: true }, queued: null });
  expect(begins.type === "applied" && settingsOf(begins)).toEqual({ maxTokens: 7 });
  expect(ends.type === "applied" && settingsOf(ends)).toBeNull();
});

test("decide calls the machine once for an absorbed or refused event and keeps what waits", () => {
  const queued = [waiting("1", { message: user, actor: ada })];
  expect(decided(states.idle, events["retry-due"], queued)).toEqual([{ type: "absorbed" }, 1]);
  expect(decided(states.requesting, events["message-sent"], queued)).toMatchObject([
    { type: "refused", refusal: { code: "AGENT_BUSY" } },
    1,
  ]);
});

test("decide takes the first waiting message as the next event of a run that becomes idle, with its own sender and settings", () => {
  const first = waiting("1", { deliver: "queue", message: user, actor: ada, settings: { completions: 2 } });
  const second = waiting("2", { deliver: "queue" });
  const queued = [waiting("0", { state: "held" }), first, second];
  const [decision, asked] = decided(states.requesting, { ...events["response-finished"], message: answer }, queued);
  expect([decision, asked]).toMatchObject([
    {
      type: "applied",
      first: { ends: true, sender: systemActor },
      queued: { event: { type: "message-sent", message: user, waiting: first.id }, sender: ada, begins: true },
      taken: [first],
      waiting: [queued[0], second],
    },
    2,
  ]);
  expect(decision.type === "applied" && settingsOf(decision)).toEqual({ completions: 2 });
});

test("decide holds what waits when the run fails", () => {
  const failure = { class: "auth", message: "No.", retryable: false } as const;
  const [decision, asked] = decided(states.awaiting, { type: "request-refused", failure }, [
    waiting("1"),
    waiting("2", { state: "held" }),
  ]);
  expect([decision, asked]).toMatchObject([
    {
      first: { step: { state: { type: "error" } } },
      queued: null,
      taken: [],
      waiting: [waiting("1", { state: "held", version: 2 }), waiting("2", { state: "held" })],
    },
    1,
  ]);
});

test("decide gives a boundary the messages that steer, and takes those that the turn saved", () => {
  const steer = waiting("1", { deliver: "steer", message: user, actor: ada });
  const queued = waiting("2", { deliver: "queue" });
  const held = waiting("3", { deliver: "steer", state: "held" });
  const finished = { ...events["response-finished"], message: answer };
  const [decision] = decided(states.requesting, finished, [steer, queued, held]);
  const { event } = applied(decision).first;
  expect("steers" in event ? event.steers : null).toEqual([{ id: steer.id, message: user }]);
  expect(applied(decision)).toMatchObject({ taken: [steer], waiting: [queued, held], queued: null });
  const [alone] = decided(states.requesting, finished, [held]);
  expect(applied(alone)).toMatchObject({ first: { event: finished }, taken: [], waiting: [held] });
  expect("steers" in applied(alone).first.event).toBe(false);
});

test("decide holds what waits after a stop; after an interruption its message goes first, and the others wait on", () => {
  const others = [waiting("1"), waiting("2", { state: "held" })];
  const cancel = { ...events["turn-cancelled"], reason: "stopped" } as const;
  const [stopped] = decided(states.requesting, cancel, others);
  expect(applied(stopped).waiting).toEqual([waiting("1", { state: "held", version: 2 }), others[1]]);
  const interruption = waiting("3", { actor: ada });
  const interrupted = decide(
    transition,
    { record: { state: states.requesting, subAgent: null } as RunRecord, waiting: [...others, interruption] },
    { event: cancel, sender: ada, settings: {}, interruption },
  );
  expect(applied(interrupted)).toMatchObject({ queued: null, waiting: [interruption, ...others] });
});

function applied(decision: Decision): Extract<Decision, { readonly type: "applied" }> {
  if (decision.type !== "applied") throw new Error(decision.type);
  return decision;
}
