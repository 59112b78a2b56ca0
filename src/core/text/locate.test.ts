import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { assert } from "../base/assert.ts";
import { createDocument, decodeDocument, openDocument } from "./document.ts";
import { trustedLimits } from "./trusted-limits.ts";
import type { OpSpan, ReplicaId, TextDocument, TextRange } from "./types.ts";

const ann = 1 as ReplicaId;
const bob = 2 as ReplicaId;

/** The same by looking at every unit of the text. */
function slowly(document: TextDocument, spans: readonly OpSpan[]): TextRange | null {
  const places: number[] = [];
  for (const { from, to, id } of document.blame(0, document.length)) {
    for (let at = from; at < to; at += 1) {
      const seq = id.seq + at - from;
      const isNamed = spans.some(
        (span) => span.replica === id.replica && span.seq <= seq && seq < span.seq + span.length,
      );
      if (isNamed) places.push(at);
    }
  }
  const [first] = places;
  return first === undefined ? null : { from: first, to: (places.at(-1) ?? first) + 1 };
}

const step = fc.record({
  type: fc.constantFrom("type", "type", "type", "undo", "exchange", "compact", "reopen"),
  replica: fc.constantFrom(ann, bob),
  at: fc.nat(1_000),
  removed: fc.nat(6),
  insert: fc.constantFrom("", "a", "bc", "wörter ", "the brown fox\n"),
});

test("K-10 locate finds the same range as a look at every unit, after merges, undo, compaction and reopening", () => {
  const property = fc.property(
    fc.array(step, { minLength: 4, maxLength: 40 }),
    fc.array(
      fc.record({ replica: fc.constantFrom(ann, bob), seq: fc.nat(60), length: fc.integer({ min: 1, max: 30 }) }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    (steps, spans) => {
      const texts = new Map<ReplicaId, TextDocument>([
        [ann, createDocument()],
        [bob, createDocument()],
      ]);
      const of = (replica: ReplicaId): TextDocument => {
        const found = texts.get(replica);
        assert(found !== undefined, "both replicas have a text");
        return found;
      };
      const undoable: OpSpan[] = [];
      for (const { type, replica, at, removed, insert } of steps) {
        const document = of(replica);
        if (type === "type") {
          const from = at % (document.length + 1);
          const to = Math.min(document.length, from + removed);
          const edit = document.edit(replica, [{ from, to, insert }]);
          if (edit.ok) undoable.push(...edit.value.spans);
        } else if (type === "undo") {
          const span = undoable[at % Math.max(1, undoable.length)];
          if (span !== undefined) document.cancel(replica, [span]);
        } else if (type === "exchange") {
          of(bob).merge(of(ann).updateSince(of(bob).version()), trustedLimits);
          of(ann).merge(of(bob).updateSince(of(ann).version()), trustedLimits);
        } else if (type === "compact") document.compact([document.version()], []);
        else {
          const again = decodeDocument(document.encode(), trustedLimits);
          if (again.ok) texts.set(replica, again.value);
        }
        expect(of(replica).locate([spans, []])).toEqual([slowly(of(replica), spans), null]);
      }
    },
  );
  fc.assert(property, { numRuns: scaled(150) });
});

test("locate of no places reads no history: whoever opens a document without comments does not wait for it", () => {
  const written = createDocument();
  for (const letter of "warp and weft") written.edit(ann, [{ from: 0, to: 0, insert: letter }]);
  const opened = openDocument(written.encode(), trustedLimits, (bytes) => new TextDecoder().decode(bytes));
  assert(opened.ok, "the document opens");
  const document = opened.value;
  const unread = document.encode();
  expect([document.locate([]), document.encode()]).toEqual([[], unread]);
  expect(document.encode()).toBe(unread);
  expect(document.locate([[{ replica: ann, seq: 0, length: 1 }]])).toEqual([{ from: 12, to: 13 }]);
  expect(document.encode()).not.toBe(unread);
});
