import { expect, test } from "vitest";
import type { RootId } from "../../core/base/ids.ts";
import type { TurnState } from "../../core/turn/state/state.ts";
import { Activities } from "./activities.ts";

const id = "root_1" as RootId;
const states = (...types: readonly TurnState["type"][]): readonly TurnState[] =>
  types.map((type) => ({ type }) as TurnState);

test.each([
  [["idle"], null],
  [["idle", "requesting"], "running"],
  [["awaiting-approval", "requesting"], "waits"],
  [["awaiting-answer"], "waits"],
  [["idle", "error"], "failed"],
  [["error", "idle"], null],
] as const)("runs in %j are shown as %s", (types, expected) => {
  const activities = new Activities();
  activities.note(id, null, states(...types));
  expect(activities.of(id).activity).toBe(expected);
});

test("a step of a run that lists do not show changes no list", () => {
  const activities = new Activities();
  expect(activities.note(id, 10, states("requesting"))).toBe(true);
  expect(activities.note(id, null, states("running-tools"))).toBe(false);
  expect(activities.note(id, 12, states("running-tools"))).toBe(true);
  expect(activities.of(id)).toEqual({ at: 12, activity: "running" });
});

test("stored times do not replace newer ones", () => {
  const activities = new Activities();
  activities.note(id, 20, states("requesting"));
  activities.loaded([{ rootId: id, at: 10 }]);
  expect(activities.of(id)).toEqual({ at: 20, activity: "running" });
});
