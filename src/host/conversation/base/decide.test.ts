import { expect, test } from "vitest";
import type { Actor } from "../../../core/base/actor.ts";
import type { RunRecord } from "../../../core/port/store.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import { transition } from "../../../core/turn/transition.ts";
import { answer, events, states, user } from "../../../core/turn/turn.test-support.ts";
import { systemActor } from "./actors.ts";
import { decide, settingsOf, type Decision } from "./decide.ts";

const ada: Actor = { type: "person", id: "ada" as Actor["id"], name: "Ada" };

/** Returns the decision on an event and the number of calls of the machine. */
function decided(
  state: RunRecord["state"],
  event: TurnEvent,
  queued: RunRecord["queued"] = null,
): readonly [Decision, number] {
  let asked = 0;
  const decision = decide(
    (...given) => {
      asked += 1;
      return transition(...given);
    },
    { state, queued, subAgent: null } as RunRecord,
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

test("decide calls the machine once for an absorbed or refused event and keeps the queued message", () => {
  const queued = { message: user, actor: ada };
  expect(decided(states.idle, events["retry-due"], queued)).toEqual([{ type: "absorbed" }, 1]);
  expect(decided(states.requesting, events["message-sent"], queued)).toMatchObject([
    { type: "refused", refusal: { code: "AGENT_BUSY" } },
    1,
  ]);
});

test("decide takes the queued message as the next event of a run that becomes idle, with its own sender and settings", () => {
  const queued = { message: user, actor: ada, settings: { completions: 2 } };
  const [decision, asked] = decided(states.requesting, { ...events["response-finished"], message: answer }, queued);
  expect([decision, asked]).toMatchObject([
    {
      type: "applied",
      first: { ends: true, sender: systemActor },
      queued: { event: { type: "message-sent", message: user }, sender: ada, begins: true },
    },
    2,
  ]);
  expect(decision.type === "applied" && settingsOf(decision)).toEqual({ completions: 2 });
});

test("decide keeps a queued message waiting when the run fails", () => {
  const failure = { class: "auth", message: "No.", retryable: false } as const;
  const [decision, asked] = decided(
    states.awaiting,
    { type: "request-refused", failure },
    { message: user, actor: ada },
  );
  expect([decision, asked]).toMatchObject([{ first: { step: { state: { type: "error" } } }, queued: null }, 1]);
});
