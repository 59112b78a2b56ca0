import { afterEach, beforeEach, expect, test } from "vitest";
import { Studio } from "../../canvas/canvas.test-support.ts";

let studio: Studio;

beforeEach(async () => {
  studio = await Studio.open();
});

afterEach(() => studio.close());

const archived = async () => (await studio.store.root(studio.rootId))?.archived;

test("14.10 a conversation is archived and taken out again, and can be continued meanwhile", async () => {
  const { conversations } = studio.workspace;
  await studio.ask("hello");
  const seen: boolean[] = [];
  conversations.watchSummaries((root) => void seen.push(root.archived));
  expect(await conversations.archive({ rootId: studio.rootId, archived: true })).toMatchObject({ ok: true });
  expect(await archived()).toBe(true);
  await studio.ask("still here?");
  expect(await studio.told()).toContain("assistant: Well.");
  expect(await archived()).toBe(true);
  expect(await conversations.archive({ rootId: studio.rootId, archived: false })).toMatchObject({ ok: true });
  expect(await archived()).toBe(false);
  expect(seen).toContain(true);
  expect(seen.at(-1)).toBe(false);
});

test("14.10 archiving an unknown conversation is refused", async () => {
  const unknown = { rootId: "root_none" as typeof studio.rootId, archived: true };
  expect(await studio.workspace.conversations.archive(unknown)).toMatchObject({ error: { code: "ROOT_NOT_FOUND" } });
});
