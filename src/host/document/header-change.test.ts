import { expect, test } from "vitest";
import type { RunId } from "../../core/base/ids.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, openWorld, person } from "./world.test-support.ts";

test("while an agent holds a canvas, a person changes of its header what is not the text that the agent holds", async () => {
  const world = await openWorld();
  const { id } = await createBlock(world, { kind: "file", policy: "lease", text: "warp" });
  const ada = await authorOf(world, person("ada"));
  const lease = { canvasId: id, runId: "run" as RunId, holderName: "scribe", revisionId: "1-00000000" };
  accept(await world.leases.acquire(lease));
  const update = (title: string, options = {}) => world.hub.editor.update(ada, id, { metadata: { title } }, options);
  expect(codeOf(await update("Looms"))).toBe("CANVAS_LEASED");
  expect(codeOf(await update("Looms", { ignoresLease: true }))).toBe("ok");
});
