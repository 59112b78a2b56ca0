import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { textOf } from "../../../core/message/content.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import { waitingMax, waitingUnitsMax, type Steer, type WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { RunSnapshot } from "./run-snapshot.ts";

type Waiting = readonly WaitingMessage[];

/** Returns the messages that the turn takes at its next boundary. */
export function steersOf(waiting: Waiting): readonly Steer[] {
  return waiting.flatMap(({ id, message, deliver, state }) =>
    deliver === "steer" && state === "waiting" ? [{ id, message }] : [],
  );
}

/** Holds every message. */
export function held(waiting: Waiting): Waiting {
  return waiting.map((each) => (each.state === "held" ? each : changed(each, { state: "held" })));
}

/** Changes a message; its version rises. */
export function changed(
  message: WaitingMessage,
  change: Partial<Pick<WaitingMessage, "state" | "deliver" | "message" | "actor" | "place">>,
): WaitingMessage {
  return { ...message, ...change, version: message.version + 1 };
}

/** Returns the place behind all messages, or before them. */
export function placeIn(waiting: Waiting, end: "first" | "last"): number {
  const places = waiting.map(({ place }) => place);
  return end === "last" ? Math.max(0, ...places) + 1 : Math.min(1, ...places) - 1;
}

/** Refuses more messages, or longer ones, than wait for one run. */
export function fits(waiting: Waiting): Result<void, Refusal> {
  const lengths = waiting.map(({ message }) => textOf(message).length);
  const units = lengths.reduce((sum, length) => sum + length, 0);
  if (waiting.length <= waitingMax && units <= waitingUnitsMax) return ok(undefined);
  const words =
    waiting.length > waitingMax
      ? tooManyWords
      : Math.max(...lengths) > waitingUnitsMax
        ? tooLongWords(Math.max(...lengths))
        : tooLongTogetherWords(units);
  const facts = { max: waitingMax, characters_max: waitingUnitsMax, characters: units };
  return err(refusal("QUEUE_FULL", facts, words));
}

const tooManyWords = `${waitingMax} messages wait for the agent already, so this one was not added. Send it once the agent has taken some, or withdraw one.`;

function tooLongWords(units: number): string {
  return `This message has ${units} characters, and one that waits for the agent has at most ${waitingUnitsMax}, so nothing was changed. Shorten it, attach it as a file, or send it when the agent has finished.`;
}

function tooLongTogetherWords(units: number): string {
  return `The waiting messages would have ${units} characters together, of at most ${waitingUnitsMax}, so nothing was changed. Shorten this one, withdraw another, or send it once the agent has taken some.`;
}

/** Returns messages in their order. */
export function inPlace(waiting: Waiting): Waiting {
  return waiting.toSorted((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1));
}

/** Returns the writes that store the messages of the next snapshot; they follow the run's own. */
export function waitingWrites(before: RunSnapshot, next: RunSnapshot): readonly StoreWrite[] {
  const stored = new Set(before.isStored ? before.waiting : []);
  const ids = new Set(next.waiting.map(({ id }) => id));
  return [
    ...before.waiting.flatMap(({ id }): readonly StoreWrite[] => (ids.has(id) ? [] : [{ type: "delete-waiting", id }])),
    ...next.waiting.flatMap((waiting): readonly StoreWrite[] =>
      stored.has(waiting) ? [] : [{ type: "put-waiting", waiting }],
    ),
  ];
}

/** Returns the feed entry that lists the messages of the next snapshot, if they differ. */
export function waitingFeed(before: RunSnapshot, { record, waiting }: RunSnapshot): readonly RunFeedBody[] {
  const known = before.isStored ? before.waiting : [];
  const isSame = known.length === waiting.length && known.every((each, at) => each === waiting[at]);
  return isSame ? [] : [{ type: "waiting-changed", runId: record.id, waiting }];
}
