import { expect, test } from "vitest";
import type { RootId } from "../../../src/core/base/ids.ts";
import type { ConversationActivity } from "../../../src/core/forest/list.ts";
import { activitiesOf, noticesOf } from "./notices.ts";

type State = ConversationActivity | "idle";
const entry = (state: State) => ({
  id: "root" as RootId,
  title: "Ode",
  ...(state === "idle" ? {} : { activity: state }),
});

const waits = "An agent waits for your decision or your answer.";
const failed = "The turn failed. Open the conversation to see why.";
const finished = "The agent has finished.";

test.each<[State, State, string | null]>([
  ["idle", "idle", null],
  ["idle", "running", null],
  ["idle", "waits", waits],
  ["idle", "failed", failed],
  ["running", "idle", finished],
  ["running", "running", null],
  ["running", "waits", waits],
  ["running", "failed", failed],
  ["waits", "idle", finished],
  ["waits", "running", null],
  ["waits", "waits", null],
  ["waits", "failed", failed],
  ["failed", "idle", null],
  ["failed", "running", null],
  ["failed", "waits", waits],
  ["failed", "failed", null],
])("17.18 from %s to %s a person is told %s", (before, after, words) => {
  const notices = noticesOf(activitiesOf([entry(before)]), [entry(after)]);
  expect(notices).toEqual(words === null ? [] : [{ rootId: "root", title: "Ode", words }]);
});

test("17.18 a conversation that has just come into the list tells nothing", () => {
  expect(noticesOf(new Map(), [entry("waits")])).toEqual([]);
});
