import { describe, expect, test } from "vitest";
import type { PersonActor } from "../../../core/base/actor.ts";
import { refusal } from "../../../core/base/errors.ts";
import type { ActorId } from "../../../core/base/ids.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import {
  initialState,
  received,
  transition,
  type ConnectionEffect,
  type ConnectionState,
  type ConnectionStep,
  type Hello,
  type Introduced,
  type LifecycleEvent,
  type Message,
} from "./connection-state.ts";
import { serverLimits } from "../http/server-limits.ts";

const actor: PersonActor = { type: "person", id: "ada" as ActorId, name: "Ada" };
const guest: Introduced = { clientId: "page", actor, replica: 7 as ReplicaId, send: () => {} };
const hello: Hello = { type: "hello", protocol: 1, schemaHash: "h", token: "t", clientId: "page" };
const ping: Message = { type: "ping" };
const shutDown = refusal("SHUTTING_DOWN");
const unreadable = refusal("FRAME_MALFORMED");

const states = {
  "awaiting the hello": initialState,
  welcoming: { type: "welcoming", early: [ping] },
  "welcoming with a full buffer": {
    type: "welcoming",
    early: Array.from({ length: serverLimits.messagesBurst }, () => ping),
  },
  open: { type: "open", guest, malformed: 0 },
  "open before the last malformed frame": { type: "open", guest, malformed: serverLimits.malformedFramesMax - 1 },
  closing: { type: "closing" },
  closed: { type: "closed" },
} as const satisfies Record<string, ConnectionState>;

const events = {
  "an accepted hello": { type: "hello-received", hello, refusal: null },
  "a refused hello": { type: "hello-received", hello, refusal: refusal("PROTOCOL_MISMATCH") },
  "no hello in time": { type: "hello-overdue" },
  "a frame that cannot be read": { type: "frame-refused", refusal: unreadable },
  "the agent": { type: "agent-found", guest },
  "no agent": { type: "agent-lookup-failed", refusal: refusal("STORE_FAILED") },
  "a termination": { type: "termination-requested", refusal: shutDown },
  "a drop": { type: "drop-requested" },
  "a close that takes too long": { type: "close-overdue" },
  "the socket's end": { type: "socket-closed" },
} as const satisfies Record<string, LifecycleEvent>;

const nothing = "unchanged";
/** The connection ends with a message that names the code, and leaves its rooms as this guest. */
const terminated = (code: string, closeCode: number, who: "guest" | "nobody"): string =>
  `closing: stop-timer, send-last-word ${code}, release ${who}, close-socket ${closeCode}`;
const dropped = (who: "guest" | "nobody"): string => `closed: stop-timer, drop-socket, release ${who}`;
const ended = (who: "guest" | "nobody"): string => `closed: stop-timer, release ${who}`;

const table: Record<keyof typeof states, Record<"a message" | keyof typeof events, string>> = {
  "awaiting the hello": {
    "a message": terminated("UNAUTHENTICATED", 4401, "nobody"),
    "an accepted hello": "welcoming 0: find-agent",
    "a refused hello": terminated("PROTOCOL_MISMATCH", 4409, "nobody"),
    "no hello in time": terminated("UNAUTHENTICATED", 4401, "nobody"),
    "a frame that cannot be read": terminated("FRAME_MALFORMED", 1007, "nobody"),
    "the agent": nothing,
    "no agent": nothing,
    "a termination": terminated("SHUTTING_DOWN", 1012, "nobody"),
    "a drop": dropped("nobody"),
    "a close that takes too long": nothing,
    "the socket's end": ended("nobody"),
  },
  welcoming: {
    "a message": "welcoming 2: ",
    "an accepted hello": terminated("FRAME_MALFORMED", 1007, "nobody"),
    "a refused hello": terminated("FRAME_MALFORMED", 1007, "nobody"),
    "no hello in time": terminated("UNAUTHENTICATED", 4401, "nobody"),
    "a frame that cannot be read": terminated("FRAME_MALFORMED", 1007, "nobody"),
    "the agent": "open 0: stop-timer, welcome, take-early 1",
    "no agent": terminated("STORE_FAILED", 1013, "nobody"),
    "a termination": terminated("SHUTTING_DOWN", 1012, "nobody"),
    "a drop": dropped("nobody"),
    "a close that takes too long": nothing,
    "the socket's end": ended("nobody"),
  },
  "welcoming with a full buffer": {
    "a message": terminated("UNAUTHENTICATED", 4401, "nobody"),
    "an accepted hello": terminated("FRAME_MALFORMED", 1007, "nobody"),
    "a refused hello": terminated("FRAME_MALFORMED", 1007, "nobody"),
    "no hello in time": terminated("UNAUTHENTICATED", 4401, "nobody"),
    "a frame that cannot be read": terminated("FRAME_MALFORMED", 1007, "nobody"),
    "the agent": `open 0: stop-timer, welcome, take-early ${serverLimits.messagesBurst}`,
    "no agent": terminated("STORE_FAILED", 1013, "nobody"),
    "a termination": terminated("SHUTTING_DOWN", 1012, "nobody"),
    "a drop": dropped("nobody"),
    "a close that takes too long": nothing,
    "the socket's end": ended("nobody"),
  },
  open: {
    "a message": "the same state: carry-out",
    "an accepted hello": "open 1: refuse-frame FRAME_MALFORMED",
    "a refused hello": "open 1: refuse-frame FRAME_MALFORMED",
    "no hello in time": nothing,
    "a frame that cannot be read": "open 1: refuse-frame FRAME_MALFORMED",
    "the agent": nothing,
    "no agent": nothing,
    "a termination": terminated("SHUTTING_DOWN", 1012, "guest"),
    "a drop": dropped("guest"),
    "a close that takes too long": nothing,
    "the socket's end": ended("guest"),
  },
  "open before the last malformed frame": {
    "a message": "the same state: carry-out",
    "an accepted hello": terminated("FRAME_MALFORMED", 1007, "guest"),
    "a refused hello": terminated("FRAME_MALFORMED", 1007, "guest"),
    "no hello in time": nothing,
    "a frame that cannot be read": terminated("FRAME_MALFORMED", 1007, "guest"),
    "the agent": nothing,
    "no agent": nothing,
    "a termination": terminated("SHUTTING_DOWN", 1012, "guest"),
    "a drop": dropped("guest"),
    "a close that takes too long": nothing,
    "the socket's end": ended("guest"),
  },
  closing: {
    "a message": nothing,
    "an accepted hello": nothing,
    "a refused hello": nothing,
    "no hello in time": nothing,
    "a frame that cannot be read": nothing,
    "the agent": nothing,
    "no agent": nothing,
    "a termination": nothing,
    "a drop": "closed: stop-timer, drop-socket",
    "a close that takes too long": "the same state: drop-socket",
    "the socket's end": "closed: stop-timer",
  },
  closed: {
    "a message": nothing,
    "an accepted hello": nothing,
    "a refused hello": nothing,
    "no hello in time": nothing,
    "a frame that cannot be read": nothing,
    "the agent": nothing,
    "no agent": nothing,
    "a termination": nothing,
    "a drop": "the same state: drop-socket",
    "a close that takes too long": nothing,
    "the socket's end": nothing,
  },
};

function shownState(state: ConnectionState | null): string {
  if (state === null) return "the same state";
  if (state.type === "welcoming") return `welcoming ${state.early.length}`;
  return state.type === "open" ? `open ${state.malformed}` : state.type;
}

function shownEffect(effect: ConnectionEffect): string {
  if ("refusal" in effect) return `${effect.type} ${effect.refusal.code}`;
  if (effect.type === "release") return `release ${effect.guest === null ? "nobody" : "guest"}`;
  if (effect.type === "close-socket") return `close-socket ${effect.code}`;
  return effect.type === "take-early" ? `take-early ${effect.messages.length}` : effect.type;
}

function shownStep({ state, effects }: ConnectionStep): string {
  if (state === null && effects.length === 0) return nothing;
  return `${shownState(state)}: ${effects.map(shownEffect).join(", ")}`;
}

describe.each(Object.entries(states))("a connection that is %s", (name, state) => {
  const row = table[name as keyof typeof states];

  test("after a message", () => {
    expect(shownStep(received(state, ping))).toBe(row["a message"]);
  });

  test.each(Object.entries(events))("after %s", (happened, event) => {
    expect(shownStep(transition(state, event))).toBe(row[happened as keyof typeof events]);
  });
});

test("a message of an open connection allocates nothing: its step is one shared object", () => {
  expect(received(states.open, ping)).toBe(received({ ...states.open }, { type: "ping" }));
});
