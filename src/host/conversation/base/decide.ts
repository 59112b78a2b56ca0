import type { Actor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { RunRecord } from "../../../core/port/store.ts";
import { boundaryEvents, type TurnEvent } from "../../../core/turn/event/event.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { TurnStep } from "../../../core/turn/step/step.ts";
import type { transition } from "../../../core/turn/transition.ts";
import { contextOf } from "./run-context.ts";
import type { RunSnapshot } from "./run-snapshot.ts";
import { held, steersOf } from "./waiting-list.ts";

/** The turn machine. */
export type Machine = typeof transition;

/** An event as it was sent. */
export interface SentEvent {
  readonly event: TurnEvent;
  /** The sender of the event, who is the author of a person's message. */
  readonly sender: Actor;
  /** How a turn that begins with the event asks the model. */
  readonly settings: TurnSettings;
  /** The message for which a person interrupts the turn: it goes first, and the others wait on. */
  readonly interruption?: WaitingMessage;
}

/** An event that the machine accepted, with its step. */
export interface DecidedEvent extends SentEvent {
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

/**
 * An accepted event. If it makes the run idle, the first waiting message is the next event of the same transaction.
 */
export interface DecidedTurn {
  readonly type: "applied";
  readonly first: DecidedEvent;
  readonly queued: DecidedEvent | null;
  /** The messages that the transaction adds to the branch, and those that wait after it. */
  readonly taken: readonly WaitingMessage[];
  readonly waiting: readonly WaitingMessage[];
}

/** Decides what an event does to a run. Pure. Calls the machine once per event: this event, and a waiting message. */
export function decide(
  machine: Machine,
  { record, waiting }: Pick<RunSnapshot, "record" | "waiting">,
  sent: SentEvent,
): Decision {
  const brought = withSteers(sent, waiting);
  const verdict = machine(record.state, brought.event, contextOf(record));
  if (verdict.type !== "applied") return verdict;
  const first = decided(record.state, verdict, brought);
  const taken = waiting.filter(({ id }) => isTaken(verdict, id));
  const left = leftAfter(first, waiting);
  const next = verdict.state.type === "idle" ? left.find(({ state }) => state === "waiting") : undefined;
  if (next === undefined) return { type: "applied", first, queued: null, taken, waiting: left };
  const { id, message, actor: sender, settings = {} } = next;
  const following = { event: { type: "message-sent", message, waiting: id }, sender, settings } as const;
  const answer = machine(verdict.state, following.event, contextOf(record));
  const step = must(answer.type === "applied" ? answer : null, "an idle run accepts a message");
  return {
    type: "applied",
    first,
    queued: decided(verdict.state, step, following),
    taken: [...taken, next],
    waiting: left.filter((each) => each !== next),
  };
}

/** Returns the settings of the turn that begins, or null if none begins. */
export function settingsOf({ first, queued }: DecidedTurn): TurnSettings | null {
  if (queued !== null) return queued.settings;
  return first.begins ? first.settings : null;
}

/** Adds the messages that wait to steer the turn to an event at which the run may go on. */
function withSteers(sent: SentEvent, waiting: readonly WaitingMessage[]): SentEvent {
  const steers = boundaryEvents.has(sent.event.type) ? steersOf(waiting) : [];
  return steers.length === 0 ? sent : { ...sent, event: { ...sent.event, steers } as TurnEvent };
}

function isTaken({ saved }: TurnStep, id: WaitingMessage["id"]): boolean {
  return saved.some((effect) => effect.type === "save-message" && effect.waiting === id);
}

/** Returns the messages that wait after an event. After a stop or an error none is sent by itself. */
function leftAfter({ event, interruption, step }: DecidedEvent, waiting: readonly WaitingMessage[]) {
  const { state } = step;
  const left = waiting.filter(({ id }) => id !== interruption?.id && !isTaken(step, id));
  if (interruption !== undefined) left.unshift(interruption);
  const stops = event.type === "turn-cancelled" && interruption === undefined;
  return stops || (isSettled(state) && state.type !== "idle") ? held(left) : left;
}

function decided(before: RunRecord["state"], step: TurnStep, sent: SentEvent): DecidedEvent {
  return {
    ...sent,
    step,
    begins: isSettled(before) && !isSettled(step.state),
    ends: !isSettled(before) && isSettled(step.state),
  };
}
