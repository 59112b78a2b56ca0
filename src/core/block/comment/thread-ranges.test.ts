import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { createDocument, decodeDocument } from "../../text/document.ts";
import { trustedLimits } from "../../text/trusted-limits.ts";
import type { OpSpan, ReplicaId, TextChange, TextDocument } from "../../text/types.ts";
import { accept } from "../../base/result.test-support.ts";
import type { ActorId, BlockId, ThreadId } from "../../base/ids.ts";
import { anchorRange, placeThreads } from "./range-anchor.ts";
import { ThreadRanges } from "./thread-ranges.ts";
import type { Thread } from "./thread.ts";

const ann = 1 as ReplicaId;
const bob = 2 as ReplicaId;
const words = "The quick brown fox jumps over the lazy dog.\nA second line says nothing new.\n";

function threadOn(document: TextDocument, from: number, to: number, name = "1"): Thread {
  return {
    id: `c${name}` as ThreadId,
    blockId: "doc/1/1" as BlockId,
    version: 1,
    state: "open",
    anchor: anchorRange(document, { from, to }),
    comments: [{ seq: 1, actor: { type: "person", id: "ann" as ActorId, name: "Ann" }, text: "?", at: 1 }],
    events: [],
    createdAt: 1,
  };
}

/** A text with threads that follow what is done to it. */
class Page {
  document = createDocument();
  ranges: ThreadRanges;
  units = 0;

  constructor(text = words) {
    accept(this.document.edit(ann, [{ from: 0, to: 0, insert: text }]));
    this.ranges = new ThreadRanges(this.document, []);
  }

  comment(from: number, to: number, name = "1"): void {
    this.ranges.put(threadOn(this.document, from, to, name));
  }

  change(changes: readonly TextChange[], unitId = `u${(this.units += 1)}`): readonly OpSpan[] {
    const before = this.document.text();
    const edit = accept(this.document.edit(ann, changes));
    this.ranges.changed({ delta: edit.delta, unitId, cancels: false, textBefore: () => before });
    this.ranges.take();
    return edit.spans;
  }

  undo(spans: readonly OpSpan[]): readonly OpSpan[] {
    const edit = accept(this.document.cancel(ann, spans));
    this.ranges.changed({ delta: edit.delta, unitId: "undo", cancels: true, textBefore: () => "" });
    return edit.spans;
  }

  merge(other: TextDocument): void {
    const before = this.document.text();
    const merged = accept(this.document.merge(other.updateSince(this.document.version()), trustedLimits));
    this.ranges.changed({
      delta: merged.delta,
      unitId: `m${(this.units += 1)}`,
      cancels: false,
      textBefore: () => before,
    });
  }

  /** What a thread says now, as everybody who opens the document finds it. */
  shown(index = 0): string {
    const place = placeThreads(this.document, this.ranges.threads)[index] ?? null;
    if (place === null) return "document";
    if (place.type !== "range")
      return `${place.type} at ${place.at}${place.type === "point" && place.rewritten ? " rewritten" : ""}`;
    return `${this.document.slice(place.from, place.to)}${place.rewritten ? " (rewritten)" : ""}`;
  }

  at(phrase: string): number {
    return this.document.text().indexOf(phrase);
  }
}

function commented(phrase: string): Page {
  const page = new Page();
  page.comment(page.at(phrase), page.at(phrase) + phrase.length);
  return page;
}

const insert = (from: number, text: string): TextChange[] => [{ from, to: from, insert: text }];

test("K-01 a range moves, stays as it is when somebody types at its edges, and grows from within", () => {
  const page = commented("brown fox");
  page.change(insert(0, "> "));
  expect(page.shown()).toBe("brown fox");
  page.change(insert(page.at("brown"), "very "));
  page.change(insert(page.at("fox") + 3, "es"));
  expect(page.shown()).toBe("brown fox");
  page.change(insert(page.at(" fox"), "ish red"));
  expect(page.shown()).toBe("brownish red fox");
});

test("K-02 a range whose text is deleted is an orphan, and is back in its place with the undo", () => {
  const page = commented("brown fox");
  const from = page.at("brown");
  const deleted = page.change([{ from, to: from + 9, insert: "" }]);
  expect(page.shown()).toBe(`orphan at ${from}`);
  expect(page.ranges.threads[0]?.anchor?.quote.text).toBe("brown fox");
  const undone = page.undo(deleted);
  expect(page.shown()).toBe("brown fox");
  page.undo(undone);
  expect(page.shown()).toBe(`orphan at ${from}`);
});

test("K-03 what is typed over a range becomes the range, also what the same unit types on", () => {
  const page = commented("fox");
  const from = page.at("fox");
  const first = page.change([{ from, to: from + 3, insert: "c" }], "typing");
  const rest = page.change(insert(from + 1, "at"), "typing");
  page.change(insert(from + 3, "fish"), "another unit");
  expect(page.shown()).toBe("cat (rewritten)");
  page.undo([...first, ...rest]);
  expect(page.shown()).toBe("fox");
});

test("K-04 of a paragraph one replaced word changes nothing, and a new paragraph takes its place", () => {
  const page = commented("The quick brown fox jumps over the lazy dog.");
  page.change([{ from: 4, to: 9, insert: "slow" }]);
  expect(page.shown()).toBe("The slow brown fox jumps over the lazy dog.");
  page.change([{ from: 0, to: page.at("\n"), insert: "Foxes jump." }]);
  expect(page.shown()).toBe("Foxes jump. (rewritten)");
});

test("K-05 a change that replaces half of a range leaves both halves in it", () => {
  const page = commented("quick brown");
  const from = page.at("brown");
  const spans = page.change([{ from, to: from + 9, insert: "red vixen" }]);
  expect(page.shown()).toBe("quick red vixen");
  page.undo(spans);
  expect(page.shown()).toBe("quick brown");
});

test("K-07 K-09 a range follows its words when one change moves them, if they are there once", () => {
  const moved = commented("A second line says nothing new.");
  const line = "A second line says nothing new.\n";
  moved.change([
    { from: 0, to: 0, insert: line },
    { from: moved.at("A second"), to: moved.document.length, insert: "" },
  ]);
  expect(moved.shown()).toBe(line.trim());
  expect(moved.ranges.rangeOf("c1" as ThreadId)).toEqual({ from: 0, to: line.length - 1 });
  const twice = commented("A second line says nothing new.");
  twice.change([
    { from: 0, to: 0, insert: line + line },
    { from: twice.at("A second"), to: twice.document.length, insert: "" },
  ]);
  expect(twice.shown()).toMatch(/^orphan/);
  const copied = commented("A second line says nothing new.");
  copied.change(insert(0, line));
  expect(copied.ranges.rangeOf("c1" as ThreadId)?.from).toBe(copied.document.text().lastIndexOf("A second"));
});

test("K-12 a document rewritten in one change leaves a point, and its undo the old range; pairs stay whole", () => {
  const page = commented("brown fox");
  const spans = page.change([{ from: 0, to: page.document.length, insert: "Something else. ".repeat(40) }]);
  expect(page.shown()).toBe("point at 0 rewritten");
  page.undo(spans);
  expect(page.shown()).toBe("brown fox");
  const faces = new Page("a😀b");
  faces.comment(1, 3);
  expect(faces.shown()).toBe("😀");
  faces.change([{ from: 1, to: 3, insert: "😃" }]);
  expect(faces.shown()).toBe("😃 (rewritten)");
});

const step = fc.record({
  type: fc.constantFrom("type", "type", "type", "other", "undo", "compact", "reopen", "comment"),
  at: fc.nat(1_000),
  removed: fc.nat(12),
  insert: fc.constantFrom("", "a", "bc", "wörter 😀 ", "the brown fox jumps over\n"),
});

test("K-10 the ranges that are carried along are those that anyone finds who opens the document", () => {
  const property = fc.property(fc.array(step, { minLength: 3, maxLength: 30 }), (steps) => {
    const page = new Page();
    page.comment(4, 15, "1");
    page.comment(10, 60, "2");
    let other = accept(decodeDocument(page.document.encode(), trustedLimits));
    const undoable: OpSpan[][] = [];
    for (const { type, at, removed, insert: text } of steps) {
      const { document } = page;
      const from = whole(document.text(), at % (document.length + 1));
      const to = whole(document.text(), Math.min(document.length, from + removed));
      if (type === "type") undoable.push([...page.change([{ from, to, insert: text }], `u${at % 3}`)]);
      else if (type === "comment") page.comment(from, to, `${at % 5}`);
      else if (type === "other") {
        const start = whole(other.text(), at % (other.length + 1));
        accept(
          other.edit(bob, [
            { from: start, to: whole(other.text(), Math.min(other.length, start + removed)), insert: text },
          ]),
        );
        page.merge(other);
        accept(other.merge(document.updateSince(other.version()), trustedLimits));
      } else if (type === "undo") {
        const spans = undoable.splice(at % Math.max(1, undoable.length), 1)[0];
        if (spans !== undefined) page.undo(spans);
      } else if (type === "compact") {
        document.compact([document.version()], undoable.flat());
        other = accept(decodeDocument(document.encode(), trustedLimits));
      } else {
        page.document = accept(decodeDocument(document.encode(), trustedLimits));
        page.ranges = new ThreadRanges(page.document, page.ranges.threads);
      }
      page.ranges.take();
      const { threads } = page.ranges;
      const found = placeThreads(page.document, threads).map((place) =>
        place === null || place.type === "orphan" ? null : place.type === "point" ? place.at : [place.from, place.to],
      );
      const carried = threads.map(({ id }) => {
        const range = page.ranges.rangeOf(id);
        return range === null ? null : range.from === range.to ? range.from : [range.from, range.to];
      });
      expect(carried).toEqual(found);
    }
  });
  fc.assert(property, { numRuns: scaled(200) });
});

/** An offset that is not inside a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) && at > 0 ? at - 1 : at;
}
