import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { refusal, type Refusal } from "../../../src/core/base/errors.ts";
import { CanvasNotes } from "./canvas-notes.tsx";

function shown(refused: Refusal | null, reads: string | null = null): string {
  const nothing = (): void => {};
  const lease = { epoch: 0, held: null };
  return renderToStaticMarkup(
    createElement(CanvasNotes, {
      lease,
      policy: "live",
      reads,
      blocked: 0,
      onTake: nothing,
      refused,
      onDismiss: nothing,
    }),
  );
}

test("canvas notes show text that a refusal removed, with a way to restore it", () => {
  const html = shown(refusal("BLOCK_NOT_FOUND", { lostText: "All that I wrote." }));
  expect(html).toContain("removed from the text");
  expect(html).toContain(">All that I wrote.<");
  expect(html).toContain("Copy what you typed");
});

test("canvas notes say that edits waiting for the disk are kept", () => {
  const html = shown(refusal("STORE_FULL"));
  expect(html).toContain("are kept on this page and sent again");
  expect(html).not.toContain("removed from the text");
  expect(html).not.toContain("Copy what you typed");
});

test("canvas notes say from the start what somebody can do who cannot edit", () => {
  expect(shown(null, "You can read and comment.")).toContain("You can read and comment.");
  expect(shown(null)).not.toContain("You can");
});
