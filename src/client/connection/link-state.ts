import { unreachable } from "../../core/base/assert.ts";
import { refusal, type ErrorCode, type Refusal } from "../../core/base/errors.ts";
import { offlineAfterAttempts, reconnectDelayMs } from "./backoff.ts";
import type { ConnectionState } from "../base/types.ts";

/** The last failures in a row: how many, and when the next try is or was due (UTC milliseconds). */
interface Failures {
  readonly attempt: number;
  readonly retryAt: number;
}

/** Where a connection is: one socket after another until it is refused or closed. */
export type LinkState =
  /** A socket was opened and the server has not welcomed this page on it. `failures` is null on the first try. */
  | { readonly type: "opening"; readonly wasLive: boolean; readonly failures: Failures | null }
  /** `asked`: nothing was received for a while, and a ping awaits its answer. */
  | { readonly type: "live"; readonly since: number; readonly reconnected: boolean; readonly asked: boolean }
  /** There is no socket until the next try. */
  | { readonly type: "waiting"; readonly wasLive: boolean; readonly failures: Failures }
  | { readonly type: "refused"; readonly refusal: Refusal }
  | { readonly type: "closed" };

/** What happens to a connection. What comes of a socket that was dropped is none of these. */
export type LinkEvent =
  | { readonly type: "socket-opened" }
  | { readonly type: "frame-received" }
  /** The frame may have carried a change: going on would leave a silent gap. */
  | { readonly type: "frame-unreadable" }
  | { readonly type: "welcomed"; readonly at: number }
  /** The socket closed, or the server ended the connection for `reason`. `random`, from 0 up to 1, spreads the retries. */
  | { readonly type: "lost"; readonly reason: Refusal | null; readonly at: number; readonly random: number }
  /** Nothing was received for as long as the last `await-frame` said. */
  | { readonly type: "silence-elapsed"; readonly at: number; readonly random: number }
  | { readonly type: "retry-due" }
  /** A person asked, or the machine came online. */
  | { readonly type: "reconnect-requested" }
  | { readonly type: "closed" };

/** What is to be done, in order. */
export type LinkEffect =
  /** Takes the place of any socket before. */
  | { readonly type: "open-socket" }
  | { readonly type: "drop-socket" }
  | { readonly type: "send-hello" | "send-ping" }
  /** Ends in `silence-elapsed`, unless a frame comes before. */
  | { readonly type: "await-frame"; readonly delayMs: number }
  /** Ends in `retry-due`. */
  | { readonly type: "schedule-retry"; readonly delayMs: number }
  /** Another page uses this client id, a duplicate of this tab: from now on this page is somebody else. */
  | { readonly type: "change-client-id" };

/** What one event leads to. */
export interface LinkStep {
  readonly state: LinkState;
  readonly effects: readonly LinkEffect[];
}

/** Silence after which a ping is sent, and after which the socket counts as lost. */
const askAfterMs = 15_000;
const lostAfterMs = 10_000;

/** Refusals that another try would not change. */
export const finalCodes: readonly ErrorCode[] = ["UNAUTHENTICATED", "FORBIDDEN", "FOREIGN_ORIGIN", "PROTOCOL_MISMATCH"];

type StateOf<Type extends LinkState["type"]> = Extract<LinkState, { readonly type: Type }>;
type EventOf<Type extends LinkEvent["type"]> = Extract<LinkEvent, { readonly type: Type }>;

/** What each event does in one state. A row with a cell left out does not compile. */
type Row<State extends LinkState["type"]> = {
  readonly [Event in LinkEvent["type"]]: (state: StateOf<State>, event: EventOf<Event>) => LinkStep;
};

/** The first step of a connection: its first socket. */
export const firstStep: LinkStep = openSocket({ wasLive: false, failures: null });

/** Decides what one event does to a connection. Pure and total. */
export function transition(state: LinkState, event: LinkEvent): LinkStep {
  return cell(state.type, event.type)(state, event);
}

function cell<State extends LinkState["type"], Event extends LinkEvent["type"]>(
  state: State,
  event: Event,
): (state: StateOf<State>, event: EventOf<Event>) => LinkStep {
  const row: Row<State> = table[state];
  return row[event];
}

/** The event comes too late or changes nothing. */
const ignored = (state: LinkState): LinkStep => step(state);
const close = (): LinkStep => step({ type: "closed" }, { type: "drop-socket" });
const mismatch = (): LinkStep => refuse(refusal("PROTOCOL_MISMATCH"));

const opening: Row<"opening"> = {
  "socket-opened": (state) => step(state, { type: "send-hello" }),
  "frame-received": (state) => step(state, { type: "await-frame", delayMs: askAfterMs }),
  "frame-unreadable": mismatch,
  welcomed: ({ wasLive }, { at }) => step({ type: "live", since: at, reconnected: wasLive, asked: false }),
  lost: ({ wasLive, failures }, event) => lose(event, wasLive, failures),
  "silence-elapsed": ({ wasLive, failures }, event) => lose({ ...event, reason: null }, wasLive, failures),
  "retry-due": ignored,
  "reconnect-requested": (state) => {
    // The first try is under way already; one of many may hang on a network that is gone.
    if (state.failures === null) return step(state);
    return followed([{ type: "drop-socket" }], openSocket(state));
  },
  closed: close,
};

const live: Row<"live"> = {
  "socket-opened": ignored,
  "frame-received": (state) =>
    step(state.asked ? { ...state, asked: false } : state, { type: "await-frame", delayMs: askAfterMs }),
  "frame-unreadable": mismatch,
  welcomed: ignored,
  lost: (_state, event) => lose(event, true, null),
  "silence-elapsed": (state, event) => {
    if (state.asked) return lose({ ...event, reason: null }, true, null);
    return step({ ...state, asked: true }, { type: "send-ping" }, { type: "await-frame", delayMs: lostAfterMs });
  },
  "retry-due": ignored,
  "reconnect-requested": ignored,
  closed: close,
};

/** What a connection without a socket does with what comes from one. */
const noSocket = {
  "socket-opened": ignored,
  "frame-received": ignored,
  "frame-unreadable": ignored,
  welcomed: ignored,
  lost: ignored,
  "silence-elapsed": ignored,
} as const;

const waiting: Row<"waiting"> = {
  ...noSocket,
  "retry-due": openSocket,
  "reconnect-requested": openSocket,
  closed: close,
};

/** Nothing but a person's act, such as a reload of the page, changes a refusal. */
const refused: Row<"refused"> = {
  ...noSocket,
  "retry-due": ignored,
  "reconnect-requested": ignored,
  closed: close,
};

const closed: Row<"closed"> = {
  ...noSocket,
  "retry-due": ignored,
  "reconnect-requested": ignored,
  closed: ignored,
};

const table: { readonly [State in LinkState["type"]]: Row<State> } = {
  opening,
  live,
  waiting,
  refused,
  closed,
};

/** A connection as views see it; null once it is closed, when nothing changes any more. */
export function shownConnection(state: LinkState, unsent: () => number): ConnectionState | null {
  switch (state.type) {
    case "opening":
      return state.failures === null ? { type: "connecting" } : retrying(state.failures, unsent());
    case "live":
      return { type: "live", since: state.since, reconnected: state.reconnected };
    case "waiting":
      return retrying(state.failures, unsent());
    case "refused":
      return { type: "refused", refusal: state.refusal };
    case "closed":
      return null;
    default:
      return unreachable(state);
  }
}

function retrying({ attempt, retryAt }: Failures, unsent: number): ConnectionState {
  return { type: attempt >= offlineAfterAttempts ? "offline" : "reconnecting", attempt, retryAt, unsent };
}

function step(state: LinkState, ...effects: readonly LinkEffect[]): LinkStep {
  return { state, effects };
}

function followed(before: readonly LinkEffect[], { state, effects }: LinkStep): LinkStep {
  return { state, effects: [...before, ...effects] };
}

function openSocket({ wasLive, failures }: Pick<StateOf<"opening">, "wasLive" | "failures">): LinkStep {
  return step(
    { type: "opening", wasLive, failures },
    { type: "open-socket" },
    { type: "await-frame", delayMs: askAfterMs },
  );
}

function lose(
  { reason, at, random }: Omit<EventOf<"lost">, "type">,
  wasLive: boolean,
  failures: Failures | null,
): LinkStep {
  if (reason !== null && finalCodes.includes(reason.code)) return refuse(reason);
  const attempt = (failures?.attempt ?? 0) + 1;
  const delayMs = reconnectDelayMs(attempt, random);
  const changes: readonly LinkEffect[] = reason?.code === "CONFLICT" ? [{ type: "change-client-id" }] : [];
  return step(
    { type: "waiting", wasLive, failures: { attempt, retryAt: at + delayMs } },
    ...changes,
    { type: "drop-socket" },
    { type: "schedule-retry", delayMs },
  );
}

function refuse(reason: Refusal): LinkStep {
  return step({ type: "refused", refusal: reason }, { type: "drop-socket" });
}
