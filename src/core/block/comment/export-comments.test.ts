import { expect, test } from "vitest";
import type { ActorId, BlockId, ThreadId } from "../../base/ids.ts";
import { hash8 } from "../../base/hash.ts";
import { withFootnotes as written } from "./export-comments.ts";
import type { RangePlacement } from "./range-anchor.ts";
import type { Thread } from "./thread.ts";

const at = Date.UTC(2026, 10, 22);
const ann = { type: "person", id: "ann" as ActorId, name: "Ann" } as const;

function placed(id: string, place: RangePlacement | null, change: Partial<Thread> = {}) {
  const quote = { text: "the fox", length: 7, before: "", after: "" };
  const thread: Thread = {
    id: id as ThreadId,
    blockId: "doc/1/1" as BlockId,
    version: 1,
    state: "open",
    anchor: place === null ? null : { own: [], seam: { before: null, after: null }, quote },
    comments: [{ seq: 1, actor: ann, text: "Which\none?", at }],
    events: [],
    createdAt: at,
    ...change,
  };
  return { thread, place };
}

const withFootnotes = (text: string, threads: Parameters<typeof written>[1]): string =>
  written(text, threads, (time) => new Date(time).toISOString().slice(0, 10));

/** The text without its footnotes. */
const bare = (text: string): string => text.replace(/\n*\[\^c[^\]]*\]: [^]*$/, "").replaceAll(/\[\^c[^\]]*\]/g, "");

test("K-22 a thread is a footnote behind its range, with its replies, state and length", () => {
  const text = "Here is the fox[^1].\n\n[^1]: Mine.\n";
  const replies = [{ seq: 2, actor: { ...ann, name: "Bo" }, text: "That.", at }] as const;
  const one = placed("c1", { type: "range", from: 8, to: 15, rewritten: false });
  const thread: Thread = { ...one.thread, comments: [...one.thread.comments, ...replies] };
  const exported = withFootnotes(text, [{ ...one, thread }]);
  expect(exported).toBe(`Here is the fox[^c1][^1].

[^1]: Mine.

[^c1]: Ann, 2026-11-22, open, on "the fox": Which
    one?

    Bo, 2026-11-22: That.

    <!-- heddle:thread {"id":"c1","length":7,"words":"${hash8("the fox")}","gap":1} -->
`);
  expect(bare(exported)).toBe(text.trimEnd());
});

test("K-22 a range that ends in code has its mark behind the fence, and threads at one place keep their order", () => {
  const text = "```js\nthe fox\n```\nEnd";
  const inCode = placed("c1", { type: "range", from: 6, to: 13, rewritten: false });
  const gone = placed("c2", { type: "orphan", at: 18 }, { state: "resolved" });
  const whole = placed("c3", null);
  const exported = withFootnotes(text, [inCode, gone, whole]);
  expect(exported.startsWith("```js\nthe fox\n```\n[^c1][^c2]End[^c3]\n\n[^c1]: ")).toBe(true);
  const inLastLine = placed("c4", { type: "range", from: 6, to: 13, rewritten: false });
  expect(withFootnotes("```js\nthe fox\n```", [inLastLine]).startsWith("```js\nthe fox\n```\n[^c4]\n\n[^c4]: ")).toBe(
    true,
  );
  expect(exported).toContain('[^c2]: Ann, 2026-11-22, resolved, on deleted text, on "the fox"');
  expect(exported).toContain("[^c3]: Ann, 2026-11-22, open, on the document");
});

test("a document without comments is exported as it is", () => {
  expect(withFootnotes("# Plan\n", [])).toBe("# Plan\n");
});
