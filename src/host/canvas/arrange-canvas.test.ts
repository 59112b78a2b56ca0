import { afterEach, beforeEach, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { Author } from "../document/record/types.ts";
import { arrangeCanvas, type Arrangement, duplicateCanvas, moveDocumentFolder } from "./arrange-canvas.ts";
import { accepted, ada, checkOut, inOrder, patches, Studio } from "./canvas.test-support.ts";

let studio: Studio;
let author: Author;
beforeEach(async () => {
  studio = await Studio.open();
  author = await studio.author(ada);
});
afterEach(() => studio.close());

const nothing = (): readonly [] => [];
const nothingElse = { mayMove: async () => true, eachMoved: nothing, remember: nothing };
const listed = async () =>
  (await studio.workspace.canvases()).map(({ title, folderPath = "", pinned = false, archived = false }) => ({
    title,
    folderPath,
    pinned,
    archived,
  }));
const arrange = (canvasId: BlockId, wish: Arrangement) =>
  arrangeCanvas(studio.workspace, author, canvasId, { ...wish, also: nothing });

test("a canvas is renamed, put into a folder, pinned and archived, each alone", async () => {
  accepted(await arrange(studio.canvasId, { title: "Plan" }));
  accepted(await arrange(studio.canvasId, { folderPath: "Work/2026", pinned: true }));
  accepted(await arrange(studio.canvasId, { archived: true }));
  expect(await listed()).toEqual([{ title: "Plan", folderPath: "Work/2026", pinned: true, archived: true }]);
  accepted(await arrange(studio.canvasId, { folderPath: "", pinned: false, archived: false }));
  expect(await listed()).toEqual([{ title: "Plan", folderPath: "", pinned: false, archived: false }]);
  expect(await studio.text()).toBe("one\ntwo\nthree\n");
});

test("a folder moves with everything in it and not with folders whose names begin alike", async () => {
  const make = async (title: string, folderPath: string) =>
    accepted(await studio.workspace.createCanvas(author, { title, folderPath }));
  await make("in", "Plans");
  await make("below", "Plans/2026");
  await make("other", "Plans2");
  const moved = await moveDocumentFolder(studio.workspace, () => author, { from: "Plans", to: "Work" }, nothingElse);
  expect(accepted(moved)).toEqual({ moved: 2 });
  expect(Object.fromEntries((await listed()).map(({ title, folderPath }) => [title, folderPath]))).toMatchObject({
    in: "Work",
    below: "Work/2026",
    other: "Plans2",
  });
  const inside = await moveDocumentFolder(
    studio.workspace,
    () => author,
    { from: "Work", to: "Work/2026" },
    nothingElse,
  );
  expect(inside.ok ? "moved" : inside.error.code).toBe("INVALID_PARAMS");
});

test("a copy has the text as it is now, beside the canvas, and a name of its own", async () => {
  accepted(await arrange(studio.canvasId, { title: "Plan", folderPath: "Work" }));
  const { canvasId } = accepted(
    await duplicateCanvas(studio.workspace, author, { canvasId: studio.canvasId }, () => []),
  );
  expect(await listed()).toContainEqual({ title: "Plan copy", folderPath: "Work", pinned: false, archived: false });
  expect(accepted(await studio.workspace.hub.reader.read(canvasId)).text).toBe("one\ntwo\nthree\n");
});

test("an agent that works on a canvas goes on while a person moves it", async () => {
  const moving = async () => {
    accepted(await arrange(studio.canvasId, { folderPath: "Work" }));
  };
  studio.mind = inOrder(checkOut, patches(1, "one", "1"));
  const asked = studio.ask("edit");
  await moving();
  await asked;
  expect(await studio.text()).toBe("1\ntwo\nthree\n");
});
