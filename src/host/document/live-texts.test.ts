import { expect, test } from "vitest";
import { accept } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, insertion, model, openWorld, person } from "./world.test-support.ts";

test("what a person wrote at the end of a reply is theirs, and not what the model said", async () => {
  const world = await openWorld();
  const { editor, live } = world.hub;
  const { id } = await createBlock(world, { text: "" });
  const [bot, ada] = [await authorOf(world, model("run")), await authorOf(world, person("ada"))];
  accept(await editor.append(bot, id, "Warp.\n"));
  accept(await editor.edit(ada, id, { changes: [insertion(6, "Weft.\n")] }));
  accept(await editor.append(bot, id, "Shuttle.\n"));
  expect(accept(await live.seal(bot, id))).toMatchObject({
    text: "Warp.\nWeft.\nShuttle.\n",
    edit: { original: "Warp.\nShuttle.\n", editors: [{ name: "ada" }] },
  });
});
