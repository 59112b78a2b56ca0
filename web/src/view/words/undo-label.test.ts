import { expect, test } from "vitest";
import type { TurnId } from "../../../../src/core/base/ids.ts";
import { momentLabel, nextTurnUndo, turnUndoHint } from "./undo-label.ts";

const turn = (id: string, undone: boolean) => ({ turnId: id as TurnId, actorName: "scribe", at: 0, undone });

test("nextTurnUndo undoes the newest turn that is not undone", () => {
  expect(nextTurnUndo([turn("t3", true), turn("t2", false), turn("t1", false)])).toMatchObject({
    type: "undo",
    turnId: "t2",
  });
});

test("nextTurnUndo redoes the newest turn when all are undone", () => {
  expect(nextTurnUndo([turn("t2", true), turn("t1", true)])).toMatchObject({ type: "redo", turnId: "t2" });
  expect(nextTurnUndo([])).toEqual({ type: "none" });
});

test("the undo hint names the agent and says that the reader's own edits stay", () => {
  expect(turnUndoHint(nextTurnUndo([turn("t1", false)]))).toBe(
    "Shows what scribe did in its last turn, to undo it. Your own edits and the suggestions that you kept stay.",
  );
});

test("momentLabel describes a time by its distance from now", () => {
  const now = new Date(2026, 10, 20, 15, 4).getTime();
  expect(momentLabel(new Date(2026, 10, 20, 9, 5).getTime(), now, "en-GB")).toBe("09:05");
  expect(momentLabel(new Date(2026, 10, 19, 23, 5).getTime(), now, "en-GB")).toBe("yesterday 23:05");
  expect(momentLabel(new Date(2026, 10, 2, 9, 5).getTime(), now, "en-GB")).toContain("2 Nov");
});
