import { expect, test } from "vitest";
import type { BlockId } from "../../../core/base/ids.ts";
import type { Message } from "../../../core/message/types.ts";
import { modelCanvas, withoutSwitchedOff } from "./model-canvas.ts";

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
