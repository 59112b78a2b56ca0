import { expect, test } from "vitest";
import type { BlockId, RootId } from "../../../src/core/base/ids.ts";
import { type EntryStep, entryStep, type PageEntry, readEntry, type TopEntry } from "./page-entry.ts";

const shown: TopEntry = {
  isFirst: false,
  rootId: "a" as RootId,
  canvasId: "plan" as BlockId,
  dialog: "none",
  front: null,
};
const settings: TopEntry = { ...shown, dialog: "settings" };
const notes: TopEntry = { ...shown, canvasId: "notes" as BlockId };

test.each<[string, TopEntry | null, PageEntry, EntryStep]>([
  ["what the page shows first is its first entry", null, shown, "replace"],
  ["nothing new is no entry", shown, { ...shown }, "none"],
  ["another document", shown, notes, "push"],
  ["another conversation", shown, { ...shown, rootId: "b" as RootId }, "push"],
  ["no document any more", shown, { ...shown, canvasId: null }, "push"],
  ["another pane of a narrow page", { ...shown, front: "forest" }, { ...shown, front: "canvas" }, "push"],
  ["a dialog", shown, settings, "push"],
  ["a dialog that is closed", settings, shown, "back"],
  ["a dialog that is closed, where Back would leave the page", { ...settings, isFirst: true }, shown, "replace"],
  ["what is opened from a dialog takes its place", { ...shown, dialog: "palette" }, notes, "replace"],
  ["a dialog from a dialog", { ...shown, dialog: "palette" }, settings, "replace"],
])("%s", (_what, top, now, step) => {
  expect(entryStep(top, now)).toBe(step);
});

test("an entry is read as it was made, and anything else is none", () => {
  for (const entry of [shown, settings, { ...notes, rootId: null, front: "canvas" as const }])
    expect(readEntry(JSON.parse(JSON.stringify(entry)))).toEqual(entry);
  for (const other of [null, undefined, 1, {}, { ...shown, rootId: 1 }, { ...shown, dialog: "unknown" }])
    expect(readEntry(other)).toBeUndefined();
});
