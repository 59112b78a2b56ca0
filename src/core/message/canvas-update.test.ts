import { expect, test } from "vitest";
import type { BlockId } from "../base/ids.ts";
import { canvasUpdateMessage } from "./canvas-update.ts";
import { textOf } from "./content.ts";

test.each([79, 80, 81])(
  "canvasUpdateMessage cuts names and titles between characters when they have %i letters and an emoji",
  (letters) => {
    const long = `${"a".repeat(letters)}😀`;
    const message = canvasUpdateMessage({
      canvasId: "canvas" as BlockId,
      title: long,
      from: { revisionId: "1-a", text: "old\n" },
      to: { revisionId: "2-b", text: "new\n" },
      changedBy: [long],
      own: null,
      switched: true,
    });
    const sent = message === null ? "" : textOf(message);
    expect(sent).toContain(`Changed by ${"a".repeat(Math.min(letters, 80))}.`);
    expect(sent).toContain(`now "${"a".repeat(Math.min(letters, 80))}" (`);
    expect(sent.isWellFormed()).toBe(true);
  },
);
