import { describe, expect, test } from "vitest";
import type { DocumentId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { authorOf, openWorld, person, type World } from "../world.test-support.ts";

async function listed(world: World): Promise<readonly string[]> {
  return (await world.hub.reader.list(null)).map(
    ({ id, version, metadata }) => `${id} ${version} ${JSON.stringify(metadata["name"])}`,
  );
}

/** Returns what a newly started hub reads from the same store. */
async function inStore(world: World): Promise<readonly string[]> {
  return listed(await openWorld(world.store, world.clock));
}

describe("the file directory", () => {
  test("the file list matches the store after every kind of change", async () => {
    const world = await openWorld();
    const author = await authorOf(world, person("maker"));
    const file = async (name: string, after?: string) =>
      accept(
        await world.hub.editor.create(author, {
          documentId: `doc-${name}` as DocumentId,
          parentId: null,
          role: "user",
          kind: "file",
          status: "done",
          text: "",
          metadata: { name, ...(after === undefined ? {} : { after }) },
        }),
      );
    const first = await file("a");
    expect(await listed(world)).toEqual(await inStore(world));
    const second = await file("b");
    await file("c", first.id);
    expect(await listed(world)).toEqual(await inStore(world));
    accept(await world.hub.editor.edit(author, second.id, { changes: [{ from: 0, to: 0, insert: "x" }] }));
    accept(await world.hub.editor.update(author, first.id, { metadata: { name: "A" } }));
    expect(await listed(world)).toEqual(await inStore(world));
    accept(await world.hub.deletion.delete(author, second.id));
    expect(await listed(world)).toEqual(await inStore(world));
    accept(await world.hub.editor.append(author, first.id, "y"));
    await world.hub.flush();
    const list = await listed(world);
    expect(list.map((each) => each.at(-2))).toEqual(["A", "c"]);
    expect(list).toEqual(await inStore(world));
  });
});
