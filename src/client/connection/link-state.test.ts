import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusal } from "../../core/base/errors.ts";
import { firstStep, shownConnection, transition, type LinkEvent, type LinkState } from "./link-state.ts";

const failures = { attempt: 2, retryAt: 900 };

const states = {
  "opening its first socket": { type: "opening", wasLive: false, failures: null },
  "opening another socket": { type: "opening", wasLive: true, failures },
  live: { type: "live", since: 500, reconnected: false, asked: false },
  "live, a ping sent": { type: "live", since: 500, reconnected: false, asked: true },
  waiting: { type: "waiting", wasLive: true, failures },
  refused: { type: "refused", refusal: refusal("UNAUTHENTICATED") },
  closed: { type: "closed" },
} as const satisfies Record<string, LinkState>;

const lost = { type: "lost", reason: null, at: 1000, random: 0.5 } as const;

const events = {
  "socket opened": { type: "socket-opened" },
  "frame received": { type: "frame-received" },
  "frame unreadable": { type: "frame-unreadable" },
  welcomed: { type: "welcomed", at: 1000 },
  lost,
  "lost to a duplicate": { ...lost, reason: refusal("CONFLICT") },
  "lost for good": { ...lost, reason: refusal("FORBIDDEN") },
  "silence elapsed": { type: "silence-elapsed", at: 1000, random: 0.5 },
  "retry due": { type: "retry-due" },
  "reconnect requested": { type: "reconnect-requested" },
  closed: { type: "closed" },
} as const satisfies Record<string, LinkEvent>;

type Column = keyof typeof events;

const nothing: Record<Column, string> = {
  "socket opened": "ignored",
  "frame received": "ignored",
  "frame unreadable": "ignored",
  welcomed: "ignored",
  lost: "ignored",
  "lost to a duplicate": "ignored",
  "lost for good": "ignored",
  "silence elapsed": "ignored",
  "retry due": "ignored",
  "reconnect requested": "ignored",
  closed: "closed; drop-socket",
};

const table: Record<keyof typeof states, Record<Column, string>> = {
  "opening its first socket": {
    ...nothing,
    "socket opened": "same; send-hello",
    "frame received": "same; await-frame 15000",
    "frame unreadable": "refused PROTOCOL_MISMATCH; drop-socket",
    welcomed: "live since 1000",
    lost: "waiting 1 until 1250; drop-socket; schedule-retry 250",
    "lost to a duplicate": "waiting 1 until 1250; change-client-id; drop-socket; schedule-retry 250",
    "lost for good": "refused FORBIDDEN; drop-socket",
    "silence elapsed": "waiting 1 until 1250; drop-socket; schedule-retry 250",
  },
  "opening another socket": {
    ...nothing,
    "socket opened": "same; send-hello",
    "frame received": "same; await-frame 15000",
    "frame unreadable": "refused PROTOCOL_MISMATCH; drop-socket",
    welcomed: "live since 1000 reconnected",
    lost: "waiting 3 until 2000; drop-socket; schedule-retry 1000",
    "lost to a duplicate": "waiting 3 until 2000; change-client-id; drop-socket; schedule-retry 1000",
    "lost for good": "refused FORBIDDEN; drop-socket",
    "silence elapsed": "waiting 3 until 2000; drop-socket; schedule-retry 1000",
    "reconnect requested": "same; drop-socket; open-socket; await-frame 15000",
  },
  live: {
    ...nothing,
    "frame received": "same; await-frame 15000",
    "frame unreadable": "refused PROTOCOL_MISMATCH; drop-socket",
    lost: "waiting 1 until 1250; drop-socket; schedule-retry 250",
    "lost to a duplicate": "waiting 1 until 1250; change-client-id; drop-socket; schedule-retry 250",
    "lost for good": "refused FORBIDDEN; drop-socket",
    "silence elapsed": "live since 500 asked; send-ping; await-frame 10000",
  },
  "live, a ping sent": {
    ...nothing,
    "frame received": "live since 500; await-frame 15000",
    "frame unreadable": "refused PROTOCOL_MISMATCH; drop-socket",
    lost: "waiting 1 until 1250; drop-socket; schedule-retry 250",
    "lost to a duplicate": "waiting 1 until 1250; change-client-id; drop-socket; schedule-retry 250",
    "lost for good": "refused FORBIDDEN; drop-socket",
    "silence elapsed": "waiting 1 until 1250; drop-socket; schedule-retry 250",
  },
  waiting: {
    ...nothing,
    "retry due": "opening 2; open-socket; await-frame 15000",
    "reconnect requested": "opening 2; open-socket; await-frame 15000",
  },
  refused: nothing,
  closed: { ...nothing, closed: "ignored" },
};

function shownState(state: LinkState): string {
  switch (state.type) {
    case "opening":
      return state.failures === null ? "opening" : `opening ${state.failures.attempt}`;
    case "live":
      return `live since ${state.since}${state.reconnected ? " reconnected" : ""}${state.asked ? " asked" : ""}`;
    case "waiting":
      return `waiting ${state.failures.attempt} until ${state.failures.retryAt}`;
    case "refused":
      return `refused ${state.refusal.code}`;
    case "closed":
      return "closed";
  }
}

function shown(state: LinkState, event: LinkEvent): string {
  const next = transition(state, event);
  const reached = shownState(next.state) === shownState(state) ? "same" : shownState(next.state);
  if (reached === "same" && next.effects.length === 0) return "ignored";
  const effects = next.effects.map((effect) =>
    "delayMs" in effect ? `${effect.type} ${effect.delayMs}` : effect.type,
  );
  return [reached, ...effects].join("; ");
}

describe.each(Object.keys(states) as (keyof typeof states)[])("a connection that is %s", (state) => {
  const rows = (Object.keys(events) as Column[]).map((column) => [column, table[state][column]] as const);
  test.each(rows)("%s → %s", (column, expected) => {
    expect(shown(states[state], events[column])).toBe(expected);
  });
});

const anyEvent = fc.constantFrom(...(Object.values(events) as readonly LinkEvent[]));

test("a connection has at most one socket and one timer, and tries again until it is refused or closed", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (happenings) => {
      let { state } = firstStep;
      let sockets = 1;
      let awaits = true;
      for (const event of happenings) {
        const step = transition(state, event);
        for (const { type } of step.effects) {
          if (type === "open-socket") sockets += 1;
          if (type === "drop-socket") {
            sockets = 0;
            awaits = false;
          }
          if (type === "await-frame" || type === "schedule-retry") awaits = true;
          expect(sockets).toBeLessThanOrEqual(1);
        }
        ({ state } = step);
        const isOver = state.type === "refused" || state.type === "closed";
        expect([sockets, awaits]).toEqual([isOver || state.type === "waiting" ? 0 : 1, !isOver]);
      }
      const reasons = happenings.map(({ type }) => type);
      if (state.type === "closed") expect(reasons).toContain("closed");
      expect(shownConnection(state, () => 0) === null).toBe(state.type === "closed");
    }),
  );
});
