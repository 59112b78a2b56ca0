import { expect, test } from "vitest";
import { createBlock } from "../document/world.test-support.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { openToolWorld, TestAgent } from "./agent.test-support.ts";

const png = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1,
]);

test("17.6 a model that reads a canvas is shown the pictures of the lines that it reads, each once", async () => {
  const world = await openToolWorld();
  const picture = accept(await world.blobs.put(png)).id;
  const script = accept(await world.blobs.put(new TextEncoder().encode("<svg onload='alert(1)'></svg>"))).id;
  const text = [
    "# Plan",
    `![The house|300](blob:${picture})`,
    `![](blob:${picture})`,
    `![no picture](blob:${script})`,
    `![missing](blob:${"0".repeat(64)})`,
    "The end.",
  ].join("\n");
  const { id } = await createBlock(world, { kind: "file", status: "done", text, policy: "live", document: "canvas" });
  const agent = new TestAgent(world, id);
  const leaseId = await agent.checkOut();
  const all = await agent.call("canvas_read_all", { lease_id: leaseId });
  expect(all.blocks?.map(({ type }) => type)).toEqual(["text", "image"]);
  expect(all.blocks?.[1]).toMatchObject({ mediaType: "image/png" });
  const end = await agent.call("canvas_read_lines", { lease_id: leaseId, start_line: 6, end_line: 6 });
  expect(end.blocks).toBeUndefined();
});
