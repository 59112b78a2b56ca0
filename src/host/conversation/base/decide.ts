import type { Actor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { RunRecord } from "../../../core/port/store.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { TurnStep } from "../../../core/turn/step/step.ts";
import type { transition } from "../../../core/turn/transition.ts";
import { contextOf } from "./run-context.ts";

/** The turn machine. */
export type Machine = typeof transition;

/** An event that the machine accepted, with its step. */
export interface DecidedEvent {
  readonly event: TurnEvent;
  /** The sender of the event, who is the author of a person's message. */
  readonly sender: Actor;
  /** How a turn that begins with the event asks the model. */
  readonly settings: TurnSettings;
  readonly step: TurnStep;
  /** Whether the event begins a turn; `ends`: whether it ends one. */
  readonly begins: boolean;
  readonly ends: boolean;
}

/** What one event does to a run. */
export type Decision =
  | { readonly type: "absorbed" }
  | { readonly type: "refused"; readonly refusal: Refusal }
  | DecidedTurn;

/** An accepted event. If it makes the run idle, the queued message is the next event of the same transaction. */
export interface DecidedTurn {
  readonly type: "applied";
  readonly first: DecidedEvent;
  readonly queued: DecidedEvent | null;
}

/** Decides what an event does to a run. Pure. Calls the machine once per event: this event, and a queued message. */
export function decide(
  machine: Machine,
  record: RunRecord,
  sent: Pick<DecidedEvent, "event" | "sender" | "settings">,
): Decision {
  const verdict = machine(record.state, sent.event, contextOf(record));
  if (verdict.type !== "applied") return verdict;
  const first = decided(record.state, verdict, sent);
  const { queued } = record;
  if (verdict.state.type !== "idle" || queued === null) return { type: "applied", first, queued: null };
  const { message, actor: sender, settings = {} } = queued;
  const next = { event: { type: "message-sent", message }, sender, settings } as const;
  const second = machine(verdict.state, next.event, contextOf(record));
  const step = must(second.type === "applied" ? second : null, "an idle run accepts a message");
  return { type: "applied", first, queued: decided(verdict.state, step, next) };
}

/** Returns the settings of the turn that begins, or null if none begins. */
export function settingsOf({ first, queued }: DecidedTurn): TurnSettings | null {
  if (queued !== null) return queued.settings;
  return first.begins ? first.settings : null;
}

function decided(
  before: RunRecord["state"],
  step: TurnStep,
  sent: Pick<DecidedEvent, "event" | "sender" | "settings">,
): DecidedEvent {
  const { event, sender, settings } = sent;
  return {
    event,
    sender,
    settings,
    step,
    begins: isSettled(before) && !isSettled(step.state),
    ends: !isSettled(before) && isSettled(step.state),
  };
}
