import { afterEach, expect, test } from "vitest";
import type { ReadCommand } from "../../core/protocol/read-command.ts";
import { createDispatch } from "../command/dispatch.ts";
import { accepted, ada, Studio } from "./canvas.test-support.ts";

let studio: Studio;
afterEach(() => studio.close());

async function perform(command: ReadCommand): Promise<unknown> {
  const { replica } = await studio.author(ada);
  const caller = { actor: ada, clientId: "page", replica };
  return accepted(await createDispatch(studio.workspace)({ caller, ...command }));
}

test("setDefaultPolicy applies to new canvases, also after a restart; existing canvases keep their policy", async () => {
  studio = await Studio.open("one\n");
  const ask: ReadCommand = { name: "canvas.default-policy", params: {} };
  const policyOf = async (title: string): Promise<string | undefined> => {
    const { workspace } = studio;
    const id = accepted(await workspace.createCanvas(await studio.author(ada), { title }));
    return (await workspace.store.block(id))?.policy;
  };
  expect(await perform(ask)).toEqual({ policy: "live" });
  expect(await policyOf("First")).toBe("live");
  await perform({ name: "canvas.set-default-policy", params: { policy: "suggest" } });
  expect(await policyOf("Second")).toBe("suggest");
  await studio.crash();
  expect(await perform(ask)).toEqual({ policy: "suggest" });
  expect(await policyOf("Third")).toBe("suggest");
  const blocks = await studio.workspace.hub.reader.list(null);
  expect(blocks.find(({ metadata }) => metadata["title"] === "First")?.policy).toBe("live");
});
