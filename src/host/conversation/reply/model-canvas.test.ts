import { expect, test } from "vitest";
import type { BlockId } from "../../../core/base/ids.ts";
import type { Message } from "../../../core/message/types.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import { modelCanvas, readableCanvas, withoutSwitchedOff } from "./model-canvas.ts";

const canvasId = "canvas" as BlockId;
const content = [{ type: "text", text: "hi" }] as const;
const update = { role: "user", content, update: { canvasId } } as unknown as Message;
const messages: readonly Message[] = [{ role: "user", content }, update];

test("a model knows of the canvas and its updates unless its canvas tools are switched off", () => {
  for (const replies of [{}, { toolsOff: ["files"] }]) {
    const root = { canvasId, replies };
    expect([modelCanvas(root), withoutSwitchedOff(root, messages)]).toEqual([canvasId, messages]);
  }
  expect(modelCanvas({ canvasId })).toBe(canvasId);
  const off = { canvasId, replies: { toolsOff: ["files", "canvas"] } };
  expect([modelCanvas(off), withoutSwitchedOff(off, messages)]).toEqual([null, messages.slice(0, 1)]);
});

test.each([
  ["one that the turn may read", { id: canvasId }, true, canvasId],
  ["one that it may not read", { id: canvasId }, false, null],
  ["one that is gone", null, true, null],
])("in a team a turn's models know of the canvas: %s", async (_which, header, mayRead, known) => {
  const reach = { document: () => mayRead };
  const canvas = await readableCanvas(
    { canvasId } as ForestRoot,
    {},
    {
      rights: { reach: async () => reach } as unknown as NonNullable<ConversationPorts["rights"]>,
      store: { block: async () => header as BlockHeader | null },
    },
  );
  expect(canvas).toBe(known);
});
