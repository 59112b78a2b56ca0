import { expect, test } from "vitest";
import type { TurnId } from "../../../core/base/ids.ts";
import { planPatch } from "../../../core/block/patch/apply.ts";
import { applyChanges } from "../../../core/block/change/text-change.ts";
import { accept, codeOf } from "../../../core/base/result.test-support.ts";
import { authorOf, createBlock, insertion, model, openWorld, person, textOf } from "../world.test-support.ts";

const turn = "run-turn" as TurnId;

test("previewTurn shows a turn's changes without the edits of others, and after an undo what redo would restore", async () => {
  const world = await openWorld();
  const { id } = await createBlock(world, { kind: "file", text: "one\ntwo\nthree\n" });
  const replica = model("run");
  const ada = await authorOf(world, person("ada"));
  expect(codeOf(await world.hub.history.previewTurn(id, turn))).toBe("NOTHING_TO_UNDO");

  accept(
    await world.hub.editor.edit(await authorOf(world, replica), id, { changes: [{ from: 4, to: 7, insert: "TWO" }] }),
  );
  accept(await world.hub.editor.edit(ada, id, { changes: [insertion(0, "zero\n")] }));
  accept(await world.hub.editor.edit(await authorOf(world, replica), id, { changes: [insertion(19, "four\n")] }));
  const now = await textOf(world, id);
  expect(now).toBe("zero\none\nTWO\nthree\nfour\n");
  const preview = accept(await world.hub.history.previewTurn(id, turn));
  expect(preview.undone).toBe(false);
  expect(changed(preview.diff)).toEqual(["-two", "+TWO", "+four"]);
  // A preview changes nothing.
  expect(await textOf(world, id)).toBe(now);

  accept(await world.hub.history.undoTurn(ada, turn));
  const without = await textOf(world, id);
  expect(without).toBe("zero\none\ntwo\nthree\n");
  const back = accept(await world.hub.history.previewTurn(id, turn));
  expect(back).toEqual({ diff: preview.diff, undone: true });
  expect(applyChanges(without, accept(planPatch(without, back.diff)).changes)).toBe(now);
});

function changed(diff: string): readonly string[] {
  return diff.split("\n").filter((line) => /^[-+]/u.test(line));
}
