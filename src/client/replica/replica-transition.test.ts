import { describe, expect, test } from "vitest";
import { events, shownEffect, shownState, states } from "./replica-state.test-support.ts";
import type { ReplicaEvent, ReplicaState } from "./replica-state.ts";
import { transition } from "./replica-transition.ts";

type Column = keyof typeof events;

/** What every event does in a state that takes none. */
const nothing: Record<Column, string> = {
  "connected again": "ignored",
  "connected as another replica": "ignored",
  "connected to a restarted server": "ignored",
  disconnected: "ignored",
  edited: "ignored",
  "undo requested": "ignored",
  "undo answered": "ignored",
  "copy damaged": "ignored",
  "copy received": "ignored",
  "copy adopted": "ignored",
  "next change": "ignored",
  "next change, of a pending push": "ignored",
  "next change, of the header": "ignored",
  "next change, the deletion": "ignored",
  "next change, the restoration": "ignored",
  "old change": "ignored",
  "change after a gap": "ignored",
  "change unreadable": "ignored",
  "change merged": "ignored",
  "merge refused": "ignored",
  "push confirmed": "ignored",
  "push refused": "ignored",
  "push refused for now": "ignored",
  "push refused as a gap": "ignored",
  "push retry due": "ignored",
  "watch refused": "ignored",
  "watch refused for now": "ignored",
  "watch retry due": "ignored",
  closed: "ignored",
};

/** The next state and the effects, by state and event; `same` when only the effects matter. */
const table: Record<keyof typeof states, Record<Column, string>> = {
  connecting: {
    ...nothing,
    "connected again": "opening as 7; watch 0",
    "connected as another replica": "opening as 8; watch 0",
    "connected to a restarted server": "opening as 7; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "throws",
    "undo requested": "connecting undoing",
    closed: "closed; dispose",
  },
  opening: {
    ...nothing,
    "connected again": "same; watch 0",
    "connected as another replica": "opening as 8; watch 0",
    "connected to a restarted server": "same; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "throws",
    "undo requested": "opening as 7 undoing",
    "copy damaged": "opening as 7 damaged 1; watch 0",
    "copy received": "same; reset-retry watch; clear-report any; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight]; push push-1; notify resync; send-selection",
    "watch refused": "gone as 7; report BLOCK_NOT_FOUND",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  "opening, two copies damaged": {
    ...nothing,
    "connected again": "same; watch 0",
    "connected as another replica": "opening as 8 damaged 2; watch 0",
    "connected to a restarted server": "same; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "throws",
    "undo requested": "opening as 7 damaged 2 undoing",
    "copy damaged": "opening as 7 damaged 3; report INTERNAL; schedule-retry watch",
    "copy received": "same; reset-retry watch; clear-report any; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight]; push push-1; notify resync; send-selection",
    "watch refused": "gone as 7; report BLOCK_NOT_FOUND",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  "following, nothing pending": {
    ...nothing,
    "connected again": "same; watch 3; send-selection",
    "connected as another replica": "resyncing 3 as 7 then 8; watch 0",
    "connected to a restarted server": "resyncing 3 as 7; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "following 3 as 7 [push-3 in-flight]; encode push-3; push push-3; notify local",
    "undo requested": "following 3 as 7 undoing",
    "copy damaged": "resyncing 3 as 7 damaged 1; watch 0",
    "copy received": "same; reset-retry watch; clear-report any; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight]; push push-1; notify resync; send-selection",
    "next change": "same; merge",
    "next change, of a pending push": "same; merge",
    "next change, of the header": "following 4 as 7; apply-header",
    "next change, the deletion": "following 4 as 7; apply-header; report IN_TRASH",
    "next change, the restoration": "following 4 as 7; apply-header; reset-retry push; clear-report any",
    "change after a gap": "resyncing 3 as 7; watch 0",
    "change unreadable": "resyncing 3 as 7; watch 0",
    "change merged": "following 4 as 7; apply-header; notify remote",
    "merge refused": "resyncing 3 as 7; watch 0",
    "watch refused": "gone as 7; report BLOCK_NOT_FOUND",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  "following, one in flight and one open": {
    ...nothing,
    "connected again":
      "following 3 as 7 [push-1 in-flight, push-2 in-flight]; watch 3; encode push-2; push push-1; push push-2; send-selection",
    "connected as another replica": "resyncing 3 as 7 then 8 [push-1 in-flight, push-2 open]; watch 0",
    "connected to a restarted server": "resyncing 3 as 7 [push-1 in-flight, push-2 open]; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "same; notify local",
    "undo requested": "following 3 as 7 [push-1 in-flight, push-2 in-flight] undoing; encode push-2; push push-2",
    "copy damaged": "resyncing 3 as 7 damaged 1 [push-1 in-flight, push-2 open]; watch 0",
    "copy received":
      "following 3 as 7 [push-1 in-flight, push-2 ready]; reset-retry watch; clear-report any; encode push-2; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight]; push push-1; notify resync; send-selection",
    "next change": "following 3 as 7 [push-1 in-flight, push-2 ready]; encode push-2; merge",
    "next change, of a pending push":
      "following 4 as 7 [push-2 in-flight]; reset-retry push; clear-report waiting-push; apply-header; encode push-2; push push-2",
    "next change, of the header": "following 4 as 7 [push-1 in-flight, push-2 open]; apply-header",
    "next change, the deletion": "following 4 as 7 [push-1 in-flight, push-2 open]; apply-header; report IN_TRASH",
    "next change, the restoration":
      "following 4 as 7 [push-1 in-flight, push-2 in-flight]; apply-header; reset-retry push; clear-report any; encode push-2; push push-1; push push-2",
    "change after a gap": "resyncing 3 as 7 [push-1 in-flight, push-2 open]; watch 0",
    "change unreadable": "resyncing 3 as 7 [push-1 in-flight, push-2 open]; watch 0",
    "change merged": "following 4 as 7 [push-1 in-flight, push-2 open]; apply-header; notify remote",
    "merge refused": "resyncing 3 as 7 [push-1 in-flight, push-2 open]; watch 0",
    "push confirmed":
      "following 3 as 7 [push-2 in-flight] confirmed push-1; reset-retry push; clear-report waiting-push; encode push-2; push push-2",
    "push refused": "resyncing 3 as 7; report CANVAS_LEASED lost <push-1><push-2>; watch 0",
    "push refused for now": "same; report STORE_FULL; schedule-retry push",
    "push refused as a gap": "resyncing 3 as 7 [push-1 in-flight, push-2 open]; watch 0",
    "push retry due": "following 3 as 7 [push-1 in-flight, push-2 in-flight]; encode push-2; push push-1; push push-2",
    "watch refused": "gone as 7; report BLOCK_NOT_FOUND lost <push-1><push-2>",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  "following, one confirmed": {
    ...nothing,
    "connected again": "same; watch 3; send-selection",
    "connected as another replica": "resyncing 3 as 7 then 8 confirmed push-1; watch 0",
    "connected to a restarted server": "resyncing 3 as 7 confirmed push-1; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "following 3 as 7 [push-3 in-flight] confirmed push-1; encode push-3; push push-3; notify local",
    "undo requested": "following 3 as 7 confirmed push-1 undoing",
    "copy damaged": "resyncing 3 as 7 damaged 1 confirmed push-1; watch 0",
    "copy received": "same; reset-retry watch; clear-report any; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight]; push push-1; notify resync; send-selection",
    "next change": "same; merge",
    "next change, of a pending push": "following 4 as 7; apply-header",
    "next change, of the header": "following 4 as 7 confirmed push-1; apply-header",
    "next change, the deletion": "following 4 as 7 confirmed push-1; apply-header; report IN_TRASH",
    "next change, the restoration":
      "following 4 as 7 confirmed push-1; apply-header; reset-retry push; clear-report any",
    "change after a gap": "resyncing 3 as 7 confirmed push-1; watch 0",
    "change unreadable": "resyncing 3 as 7 confirmed push-1; watch 0",
    "change merged": "following 4 as 7 confirmed push-1; apply-header; notify remote",
    "merge refused": "resyncing 3 as 7 confirmed push-1; watch 0",
    "watch refused": "gone as 7; report BLOCK_NOT_FOUND",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  "following, undoing": {
    ...nothing,
    "connected again": "same; watch 3; push push-1; send-selection",
    "connected as another replica": "resyncing 3 as 7 then 8 [push-1 in-flight, push-2 open] undoing; watch 0",
    "connected to a restarted server": "resyncing 3 as 7 [push-1 in-flight, push-2 open] undoing; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "same; notify local",
    "undo requested": "throws",
    "undo answered": "following 3 as 7 [push-1 in-flight, push-2 open] undone",
    "copy damaged": "resyncing 3 as 7 damaged 1 [push-1 in-flight, push-2 open] undoing; watch 0",
    "copy received":
      "following 3 as 7 [push-1 in-flight, push-2 ready] undoing; reset-retry watch; clear-report any; encode push-2; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight] undoing; push push-1; notify resync; send-selection",
    "next change": "following 3 as 7 [push-1 in-flight, push-2 ready] undoing; encode push-2; merge",
    "next change, of a pending push":
      "following 4 as 7 [push-2 open] undoing; reset-retry push; clear-report waiting-push; apply-header",
    "next change, of the header": "following 4 as 7 [push-1 in-flight, push-2 open] undoing; apply-header",
    "next change, the deletion":
      "following 4 as 7 [push-1 in-flight, push-2 open] undoing; apply-header; report IN_TRASH",
    "next change, the restoration":
      "following 4 as 7 [push-1 in-flight, push-2 open] undoing; apply-header; reset-retry push; clear-report any; push push-1",
    "change after a gap": "resyncing 3 as 7 [push-1 in-flight, push-2 open] undoing; watch 0",
    "change unreadable": "resyncing 3 as 7 [push-1 in-flight, push-2 open] undoing; watch 0",
    "change merged": "following 4 as 7 [push-1 in-flight, push-2 open] undoing; apply-header; notify remote",
    "merge refused": "resyncing 3 as 7 [push-1 in-flight, push-2 open] undoing; watch 0",
    "push confirmed":
      "following 3 as 7 [push-2 open] confirmed push-1 undoing; reset-retry push; clear-report waiting-push",
    "push refused": "resyncing 3 as 7 undoing; report CANVAS_LEASED lost <push-1><push-2>; watch 0",
    "push refused for now": "same; report STORE_FULL; schedule-retry push",
    "push refused as a gap": "resyncing 3 as 7 [push-1 in-flight, push-2 open] undoing; watch 0",
    "push retry due": "same; push push-1",
    "watch refused": "gone as 7 undoing; report BLOCK_NOT_FOUND lost <push-1><push-2>",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  resyncing: {
    ...nothing,
    "connected again": "same; watch 0",
    "connected as another replica": "resyncing 3 as 7 then 8 [push-1 in-flight, push-2 open]; watch 0",
    "connected to a restarted server": "same; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "same; notify local",
    "undo requested": "resyncing 3 as 7 [push-1 in-flight, push-2 ready] undoing; encode push-2",
    "copy damaged": "resyncing 3 as 7 damaged 1 [push-1 in-flight, push-2 open]; watch 0",
    "copy received":
      "resyncing 3 as 7 [push-1 in-flight, push-2 ready]; reset-retry watch; clear-report any; encode push-2; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight]; push push-1; notify resync; send-selection",
    "push confirmed": "resyncing 3 as 7 [push-2 open]; reset-retry push; clear-report waiting-push",
    "push refused": "resyncing 3 as 7; report CANVAS_LEASED lost <push-1><push-2>; watch 0",
    "push refused for now": "same; report STORE_FULL; schedule-retry push",
    "push refused as a gap": "same; watch 0",
    "watch refused": "gone as 7; report BLOCK_NOT_FOUND lost <push-1><push-2>",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  gone: {
    ...nothing,
    "connected again": "same; watch 0",
    "connected as another replica": "gone as 7 then 8; watch 0",
    "connected to a restarted server": "same; watch 0",
    disconnected: "same; cancel-retries; clear-presence",
    edited: "same; notify local; report BLOCK_NOT_FOUND lost x",
    "undo requested": "gone as 7 undoing",
    "copy damaged": "same; report INTERNAL; schedule-retry watch",
    "copy received": "same; reset-retry watch; clear-report any; adopt-copy 7 7",
    "copy adopted": "following 9 as 7 [push-1 in-flight]; push push-1; notify resync; send-selection",
    "watch refused": "same; report BLOCK_NOT_FOUND",
    "watch refused for now": "same; report STORE_FAILED; schedule-retry watch",
    "watch retry due": "same; watch 0",
    closed: "closed; dispose",
  },
  closed: {
    ...nothing,
    edited: "throws",
  },
};

function shown(state: ReplicaState, event: ReplicaEvent): string {
  const next = transition(state, event);
  const reached = shownState(next.state);
  if (reached === shownState(state) && next.effects.length === 0) return "ignored";
  return [reached === shownState(state) ? "same" : reached, ...next.effects.map(shownEffect)].join("; ");
}

describe.each(Object.keys(states) as (keyof typeof states)[])("a replica that is %s", (state) => {
  const rows = (Object.keys(events) as Column[]).map((column) => [column, table[state][column]] as const);
  test.each(rows)("%s → %s", (column, expected) => {
    const act = (): string => shown(states[state], events[column]);
    if (expected === "throws") expect(act).toThrow(/first copy|one undo at a time/);
    else expect(act()).toBe(expected);
  });
});
