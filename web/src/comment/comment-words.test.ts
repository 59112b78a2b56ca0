import { expect, test } from "vitest";
import type { ThreadId } from "../../../src/core/base/ids.ts";
import type { RangePlacement } from "../../../src/core/block/comment/range-anchor.ts";
import type { Thread } from "../../../src/core/block/comment/thread.ts";
import { aboutWords, inTextOrder, placeNote, sentWords, type ShownThread } from "./comment-words.ts";

function shown(id: string, place: RangePlacement | null, createdAt = 1): ShownThread {
  const quote = { text: "the\nfox", length: 7, before: "", after: "" };
  const anchor = { own: [], seam: { before: null, after: null }, quote };
  return { thread: { id: id as ThreadId, anchor, createdAt } as unknown as Thread, place };
}

test("threads are in the order of the text, those on deleted text last", () => {
  const threads = [
    shown("gone", { type: "orphan", at: 1 }),
    shown("late", { type: "range", from: 9, to: 12, rewritten: false }),
    shown("all", null),
    shown("point", { type: "point", at: 4, rewritten: false }),
  ];
  expect(inTextOrder(threads).map(({ thread }) => thread.id)).toEqual(["all", "point", "late", "gone"]);
});

test("a thread says its words on one line, and what happened to them", () => {
  expect(aboutWords(shown("a", { type: "range", from: 0, to: 7, rewritten: true }))).toBe("the fox");
  expect(placeNote(shown("a", { type: "range", from: 0, to: 7, rewritten: true }))).toBe("Rewritten since");
  expect(placeNote(shown("a", { type: "range", from: 0, to: 7, rewritten: false }))).toBeNull();
  expect(placeNote(shown("a", { type: "orphan", at: 3 }))).toBe("On deleted text");
});

test("what is asked of an agent mentions it once, and a comment is sent as written", () => {
  expect(sentWords("ask", " why? ")).toBe("@agent why?");
  expect(sentWords("ask", "@scribe why?")).toBe("@scribe why?");
  expect(sentWords("edit", "shorter")).toBe("@agent Change these words in the document: shorter");
  expect(sentWords("comment", "why?")).toBe("why?");
});
