import { expect, test } from "vitest";
import { createSearcher } from "../../adapters/search/worker-searcher.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { allFeatures } from "../../core/tool/registry.ts";
import { WordIndex } from "../document/word-index.ts";
import { openWorld } from "../document/world.test-support.ts";
import { soleFolder } from "../files/sole-folder.test-support.ts";
import { TestAgent } from "./agent.test-support.ts";
import { createHeddleTools, type HeddleToolsOptions } from "./heddle-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";

test("each call of a turn is undone by itself, also where the provider gives all the same id", async () => {
  const world = await openWorld();
  const ports = { searcher: createSearcher(world.clock), words: new WordIndex(world), folders: soleFolder(null, null) };
  const agent = new TestAgent({ ...world, tools: new ToolRegistry([createHeddleTools({ ...world, ...ports })]) }, null);
  const { block_id: id = null } = await agent.must("block_create", { kind: "file", role: "assistant", content: "" });
  agent.callId = "call_0";
  for (const text of ["a", "b", "c"]) await agent.must("block_append", { block_id: id, text });
  const changes = await world.store.changes({ blockId: id as BlockId, afterVersion: 1 });
  const units = changes.map(({ body }) => (body.type === "text" ? body.unit.id : ""));
  expect(new Set(units).size).toBe(3);
  expect(units[0]).toBe(`${agent.turnId}/call_0`);
});

test("a canvas tool says why it cannot run where documents are in git only, and is no tool where canvas tools are off", async () => {
  const world = await openWorld();
  const ports = { searcher: createSearcher(world.clock), words: new WordIndex(world), folders: soleFolder(null, null) };
  const codeWith = (options: HeddleToolsOptions): Promise<string> => {
    const tools = new ToolRegistry([createHeddleTools({ ...world, ...ports }, options)]);
    return new TestAgent({ ...world, tools }, null).code("canvas_check_out", {});
  };
  expect(await codeWith({ gitOnly: true })).toBe("CANVAS_UNAVAILABLE");
  expect(await codeWith({ features: { ...allFeatures, canvas: false } })).toBe("UNKNOWN_TOOL");
});
