import { expect, test } from "vitest";
import { mediaPlaceholder } from "./media.ts";
import type { FileBlock, ImageBlock } from "./types.ts";

test.each([
  [
    { type: "file", name: "plan.pdf", mediaType: "application/pdf" },
    '[file "plan.pdf" (application/pdf) is not available]',
  ],
  [{ type: "file", mediaType: "application/pdf" }, "[file (application/pdf) is not available]"],
  [{ type: "image", mediaType: "image/png" }, "[image (image/png) is not available]"],
])("a model reads in place of %j what is missing", (block, text) => {
  expect(mediaPlaceholder(block as FileBlock | ImageBlock)).toEqual({ type: "text", text });
});
