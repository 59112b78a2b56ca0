import { describe, expect, test } from "vitest";
import type { HunkId } from "../../base/ids.ts";
import { createDocument } from "../../text/document.ts";
import type { ReplicaId } from "../../text/types.ts";
import { diffChanges } from "../change/diff-changes.ts";
import { mergedWords, viewDraft } from "./draft-view.ts";
import { hunksBetween, replan } from "./suggest-hunks.ts";

const ada = 1 as ReplicaId;

/** A text that changes while a draft lies over it. */
function textOf(first: string) {
  const document = createDocument();
  const become = (text: string): void => {
    document.edit(ada, diffChanges(document.text(), text), document.version());
  };
  become(first);
  const current = () => ({ text: document.text(), blame: document.blame(0, document.length) });
  return { become, current };
}

const name = (number: number): HunkId => `sug.${number}` as HunkId;

describe("a draft over a text that others change", () => {
  test("K-28 other words of one line are merged, the same words are a conflict, and the view is whole", () => {
    const shared = textOf("the red fox runs\nblue\nend\n");
    const hunks = hunksBetween(shared.current(), "the red fox jumps\nblue\nend\n", name);
    shared.become("the old red fox runs\nblue\nend\n");
    expect(viewDraft(hunks, shared.current())).toMatchObject({ text: "the old red fox jumps\nblue\nend\n" });
    expect(viewDraft(hunks, shared.current()).conflicts.size).toBe(0);
    shared.become("the old red fox sleeps\nblue\nend\n");
    const view = viewDraft(hunks, shared.current());
    expect(view.text).toBe("the red fox jumps\nblue\nend\n");
    expect([...view.conflicts]).toEqual(["sug.1"]);
  });

  test("a deleted line and an insertion whose neighbours are gone leave the rest of the view as it is", () => {
    const shared = textOf("a\nb\nc\nd\n");
    const hunks = hunksBetween(shared.current(), "a\nB\nc\nnew\nd\n", name);
    shared.become("a\n");
    expect(viewDraft(hunks, shared.current()).text).toBe("a\nB\nnew\n");
    shared.become("");
    expect(viewDraft(hunks, shared.current()).text).toBe("B\nnew\n");
  });

  test("two hunks whose lines others joined do not replace each other", () => {
    const shared = textOf("a\nb\nc\nd\ne\n");
    const hunks = hunksBetween(shared.current(), "a\nB\nc\nD\ne\n", name);
    shared.become("a\nx\ne\n");
    const { text } = viewDraft(hunks, shared.current());
    expect(text).toContain("B\n");
    expect(text).toContain("D\n");
    expect(text.startsWith("a\n")).toBe(true);
    expect(text.endsWith("e\n")).toBe(true);
  });

  test("a further edit of the draft keeps what lies in conflict for a person to decide", () => {
    const shared = textOf("one\ntwo\nthree\n");
    const hunks = hunksBetween(shared.current(), "one\nTWO\nthree\n", name);
    shared.become("one\nzwei\nthree\n");
    const current = shared.current();
    const proposed = viewDraft(hunks, current).text.replace("three", "THREE");
    const planned = replan(hunks, current, proposed, (number) => `next.${number}` as HunkId, viewDraft);
    expect(planned.replaced).toEqual([]);
    const after = viewDraft([...hunks, ...planned.fresh], current);
    expect(after.text).toBe("one\nTWO\nTHREE\n");
    expect([...after.conflicts]).toEqual(["sug.1"]);
  });
});

test("the words of two edits are merged unless both changed the same", () => {
  expect(mergedWords("a b c\n", "A b c\n", "a b C\n")).toBe("A b C\n");
  expect(mergedWords("a b c\n", "A b c\n", "A b C\n")).toBe("A b C\n");
  expect(mergedWords("a b c\n", "A b c\n", "X b c\n")).toBeNull();
  // Changes that touch are of the same words.
  expect(mergedWords("a. b\n", "A. b\n", "a! b\n")).toBeNull();
  expect(mergedWords("a. b\n", "a! b\n", "A. b\n")).toBeNull();
});
