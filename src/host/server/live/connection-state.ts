import { errorTable, refusal, type Refusal } from "../../../core/base/errors.ts";
import type { UpMessage } from "../../../core/protocol/base/messages.ts";
import type { Caller } from "../../command/base/call.ts";
import type { Guest } from "./rooms.ts";
import { serverLimits } from "../http/server-limits.ts";

export type Hello = Extract<UpMessage, { readonly type: "hello" }>;
/** Every message after the hello. */
export type Message = Exclude<UpMessage, Hello>;

/** A client that has said hello, with the replica its page edits as. */
export interface Introduced extends Guest, Caller {}

/** The state of one WebSocket between its first frame and its end. */
export type ConnectionState =
  | { readonly type: "awaiting-hello" }
  /** The hello is accepted, its replica is being looked up. `early`: messages received meanwhile. */
  | { readonly type: "welcoming"; readonly early: readonly Message[] }
  /** `malformed`: the number of unreadable frames. */
  | { readonly type: "open"; readonly guest: Introduced; readonly malformed: number }
  /** The last message is sent; the other side has a moment to read it. */
  | { readonly type: "closing" }
  | { readonly type: "closed" };

/** The state in which every connection begins. */
export const initialState: ConnectionState = { type: "awaiting-hello" };

/** What happens to a connection besides its messages. */
export type LifecycleEvent =
  /** `refusal`: why the hello is not accepted; null if it is. */
  | { readonly type: "hello-received"; readonly hello: Hello; readonly refusal: Refusal | null }
  | { readonly type: "hello-overdue" }
  | { readonly type: "frame-refused"; readonly refusal: Refusal }
  | { readonly type: "agent-found"; readonly guest: Introduced }
  | { readonly type: "agent-lookup-failed"; readonly refusal: Refusal }
  /** The server ends the connection with a reason. */
  | { readonly type: "termination-requested"; readonly refusal: Refusal }
  /** The server ends the connection without a message. */
  | { readonly type: "drop-requested" }
  | { readonly type: "close-overdue" }
  | { readonly type: "socket-closed" };

/** The effects of a step, in order. */
export type ConnectionEffect =
  | { readonly type: "find-agent"; readonly hello: Hello }
  | { readonly type: "welcome"; readonly guest: Introduced }
  /** Handles the message. */
  | { readonly type: "carry-out" }
  /** Handles the messages received before the welcome, each as an event. */
  | { readonly type: "take-early"; readonly messages: readonly Message[] }
  | { readonly type: "refuse-frame"; readonly refusal: Refusal }
  /** Flushes the queue, then sends the reason, immediately. */
  | { readonly type: "send-last-word"; readonly refusal: Refusal }
  /** Ends every watch and leaves the rooms. */
  | { readonly type: "release"; readonly guest: Introduced | null }
  /** Closes the socket; `close-overdue` follows if that takes too long. */
  | { readonly type: "close-socket"; readonly code: number }
  | { readonly type: "drop-socket" }
  /** Stops the current timer: for the hello, or for the close. */
  | { readonly type: "stop-timer" };

/** The result of an event: the next state (null: unchanged) and the effects. */
export interface ConnectionStep {
  readonly state: ConnectionState | null;
  readonly effects: readonly ConnectionEffect[];
}

/** Decides what an event does to a connection. Pure. */
export function transition(state: ConnectionState, event: LifecycleEvent): ConnectionStep {
  switch (state.type) {
    case "awaiting-hello":
      return awaitingHello(event);
    case "welcoming":
      return welcoming(state, event);
    case "open":
      return open(state, event);
    case "closing":
      return closing(event);
    case "closed":
      // After a broken frame the socket itself may still be open.
      return event.type === "drop-requested" ? dropSocket : nothing;
  }
}

/** Decides what happens to a message. Pure; allocates nothing for a message of an open connection. */
export function received(state: ConnectionState, message: Message): ConnectionStep {
  switch (state.type) {
    case "awaiting-hello":
      return terminated(null, helloFirst());
    case "welcoming":
      return state.early.length < serverLimits.messagesBurst
        ? { state: { type: "welcoming", early: [...state.early, message] }, effects: [] }
        : terminated(null, helloFirst());
    case "open":
      return carryOut;
    case "closing":
    case "closed":
      return nothing;
  }
}

function awaitingHello(event: LifecycleEvent): ConnectionStep {
  switch (event.type) {
    case "hello-received":
      return event.refusal === null
        ? { state: { type: "welcoming", early: [] }, effects: [{ type: "find-agent", hello: event.hello }] }
        : terminated(null, event.refusal);
    case "hello-overdue":
      return terminated(null, refusal("UNAUTHENTICATED", { reason: "no hello" }));
    case "frame-refused":
      return terminated(null, event.refusal, malformedCode);
    case "termination-requested":
      return terminated(null, event.refusal);
    case "drop-requested":
      return dropped(null);
    case "socket-closed":
      return ended(null);
    case "agent-found":
    case "agent-lookup-failed":
    case "close-overdue":
      return nothing;
  }
}

function welcoming({ early }: StateOf<"welcoming">, event: LifecycleEvent): ConnectionStep {
  switch (event.type) {
    case "agent-found": {
      const { guest } = event;
      const effects: ConnectionEffect[] = [{ type: "stop-timer" }, { type: "welcome", guest }];
      if (early.length > 0) effects.push({ type: "take-early", messages: early });
      return { state: { type: "open", guest, malformed: 0 }, effects };
    }
    case "agent-lookup-failed":
      return terminated(null, event.refusal, 1013);
    case "hello-received":
      return terminated(null, secondHello(), malformedCode);
    case "hello-overdue":
      return terminated(null, refusal("UNAUTHENTICATED", { reason: "no hello" }));
    case "frame-refused":
      return terminated(null, event.refusal, malformedCode);
    case "termination-requested":
      return terminated(null, event.refusal);
    case "drop-requested":
      return dropped(null);
    case "socket-closed":
      return ended(null);
    case "close-overdue":
      return nothing;
  }
}

function open(state: StateOf<"open">, event: LifecycleEvent): ConnectionStep {
  switch (event.type) {
    case "hello-received":
      return malformed(state, secondHello());
    case "frame-refused":
      return malformed(state, event.refusal);
    case "termination-requested":
      return terminated(state.guest, event.refusal);
    case "drop-requested":
      return dropped(state.guest);
    case "socket-closed":
      return ended(state.guest);
    case "hello-overdue":
    case "agent-found":
    case "agent-lookup-failed":
    case "close-overdue":
      return nothing;
  }
}

function closing(event: LifecycleEvent): ConnectionStep {
  switch (event.type) {
    case "close-overdue":
      return dropSocket;
    case "drop-requested":
      return { state: { type: "closed" }, effects: [{ type: "stop-timer" }, { type: "drop-socket" }] };
    case "socket-closed":
      return { state: { type: "closed" }, effects: [{ type: "stop-timer" }] };
    case "hello-received":
    case "hello-overdue":
    case "frame-refused":
    case "agent-found":
    case "agent-lookup-failed":
    case "termination-requested":
      return nothing;
  }
}

type StateOf<Type extends ConnectionState["type"]> = Extract<ConnectionState, { readonly type: Type }>;

const nothing: ConnectionStep = { state: null, effects: [] };
const carryOut: ConnectionStep = { state: null, effects: [{ type: "carry-out" }] };
const dropSocket: ConnectionStep = { state: null, effects: [{ type: "drop-socket" }] };
const malformedCode = errorTable.FRAME_MALFORMED.wsClose ?? 1007;

function helloFirst(): Refusal {
  return refusal("UNAUTHENTICATED", { reason: "the first message is a hello" });
}

function secondHello(): Refusal {
  return refusal("FRAME_MALFORMED", { reason: "a second hello" });
}

function malformed(state: StateOf<"open">, reason: Refusal): ConnectionStep {
  const count = state.malformed + 1;
  if (count >= serverLimits.malformedFramesMax) return terminated(state.guest, reason, malformedCode);
  return { state: { ...state, malformed: count }, effects: [{ type: "refuse-frame", refusal: reason }] };
}

function terminated(
  guest: Introduced | null,
  reason: Refusal,
  code: number = errorTable[reason.code].wsClose ?? 1008,
): ConnectionStep {
  return {
    state: { type: "closing" },
    effects: [
      { type: "stop-timer" },
      { type: "send-last-word", refusal: reason },
      { type: "release", guest },
      { type: "close-socket", code },
    ],
  };
}

function dropped(guest: Introduced | null): ConnectionStep {
  return {
    state: { type: "closed" },
    effects: [{ type: "stop-timer" }, { type: "drop-socket" }, { type: "release", guest }],
  };
}

function ended(guest: Introduced | null): ConnectionStep {
  return { state: { type: "closed" }, effects: [{ type: "stop-timer" }, { type: "release", guest }] };
}
