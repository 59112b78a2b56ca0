import { expect, test } from "vitest";
import type { ConversationActivity } from "../../core/forest/list.ts";
import { pushDue, type PushKind } from "./push-due.ts";

type State = ConversationActivity | "idle" | "unknown";
type After = Exclude<State, "unknown">;

// A missing cell does not compile.
const due: Readonly<Record<State, Readonly<Record<After, PushKind | null>>>> = {
  unknown: { idle: null, running: null, waits: null, failed: null },
  idle: { idle: null, running: null, waits: "waits", failed: "failed" },
  running: { idle: "finished", running: null, waits: "waits", failed: "failed" },
  waits: { idle: "finished", running: null, waits: null, failed: "failed" },
  failed: { idle: null, running: null, waits: "waits", failed: null },
};

const activityOf = (name: After): ConversationActivity | null => (name === "idle" ? null : name);

test.each(
  Object.entries(due).flatMap(([before, row]) =>
    Object.entries(row).map(([after, kind]) => [before as State, after as After, kind] as const),
  ),
)("17.18 from %s to %s a push says %s", (before, after, kind) => {
  expect(pushDue(before === "unknown" ? undefined : activityOf(before), activityOf(after))).toBe(kind);
});
