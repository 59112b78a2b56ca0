import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { accept } from "../base/result.test-support.ts";
import { createDocument, decodeDocument, openDocument } from "./document.ts";
import type { ReplicaId, OpSpan, TextChange, TextDocument, TextLimits, TextVersion } from "./types.ts";

const limits: TextLimits = { updateBytesMax: 1e6, operationsMax: 1e5, textUnitsMax: 1e6 };
const ann = 1 as ReplicaId;
const bob = 2 as ReplicaId;

function write(document: TextDocument, replica: ReplicaId, from: number, to: number, insert: string, at?: TextVersion) {
  return accept(document.edit(replica, [{ from, to, insert }], at));
}

function withText(text: string): TextDocument {
  const document = createDocument();
  write(document, ann, 0, 0, text);
  return document;
}

/** Copies the history to another replica. */
function copyOf(document: TextDocument): TextDocument {
  const copy = createDocument();
  accept(copy.merge(document.updateSince([]), limits));
  return copy;
}

function exchange(a: TextDocument, b: TextDocument): void {
  accept(b.merge(a.updateSince(b.version()), limits));
  accept(a.merge(b.updateSince(a.version()), limits));
}

function apply(text: string, changes: readonly TextChange[]): string {
  return changes
    .toReversed()
    .reduce((result, { from, to, insert }) => result.slice(0, from) + insert + result.slice(to), text);
}

describe("an empty document", () => {
  test("has no text, lines or history", () => {
    const document = createDocument();
    expect(document.text()).toBe("");
    expect(document.version()).toEqual([]);
    expect(document.lineCount()).toBe(0);
    expect(document.lineStart(0)).toBe(0);
    expect(document.nextSeq(ann)).toBe(0);
    expect(document.blame(0, 0)).toEqual([]);
    expect(accept(document.textAt([]))).toBe("");
  });

  test("does not change when an edit changes nothing", () => {
    const document = createDocument();
    expect(accept(document.edit(ann, []))).toEqual({ update: new Uint8Array(), spans: [], delta: [] });
    expect(write(document, ann, 0, 0, "").update).toHaveLength(0);
    expect(document.version()).toEqual([]);
  });

  test("accepts an update without operations", () => {
    const document = createDocument();
    expect(accept(document.merge(createDocument().updateSince([]), limits))).toEqual({ delta: [], spans: [] });
  });
});

describe("apply", () => {
  test("changes the text like edit, and updateSince returns the update", () => {
    const changes = fc.array(fc.record({ at: fc.nat(), removed: fc.nat(3), insert: fc.string({ maxLength: 3 }) }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(changes, (steps) => {
        const [edited, applied, receiver] = [withText("begin"), withText("begin"), withText("begin")];
        const base = applied.version();
        for (const { at, removed, insert } of steps) {
          const from = at % (edited.length + 1);
          const step = [{ from, to: Math.min(edited.length, from + removed), insert }];
          const { spans, delta } = accept(edited.edit(bob, step));
          expect(accept(applied.apply(bob, step))).toMatchObject({ spans, delta });
        }
        accept(receiver.merge(applied.updateSince(base), limits));
        for (const document of [applied, receiver]) {
          expect(document.text()).toBe(edited.text());
          expect(document.version()).toEqual(edited.version());
        }
      }),
    );
  });

  test("refuses a change outside the text", () => {
    const document = withText("short");
    expect(document.apply(bob, [{ from: 3, to: 9, insert: "" }]).ok).toBe(false);
    expect(document.text()).toBe("short");
  });
});

describe("an edit", () => {
  test("returns its delta and its units", () => {
    const document = withText("hello world");
    const edit = accept(
      document.edit(bob, [
        { from: 0, to: 5, insert: "goodbye" },
        { from: 6, to: 6, insert: "cruel " },
        { from: 6, to: 6, insert: "old " },
      ]),
    );
    expect(document.text()).toBe("goodbye cruel old world");
    expect(edit.spans).toEqual([{ replica: bob, seq: 0, length: 5 + 7 + 6 + 4 }]);
    expect(apply("hello world", edit.delta)).toBe("goodbye cruel old world");
    expect(document.version()).toEqual([{ replica: bob, seq: 21 }]);
    expect(JSON.parse(JSON.stringify(document.version()))).toEqual(document.version());
  });

  test("made at a past version merges with later edits", () => {
    const document = withText("one\ntwo\nthree\n");
    const read = document.version();
    write(document, bob, 0, 0, "zero\n");
    write(document, bob, document.length, document.length, "four\n");
    const edit = write(document, ann, 4, 7, "2", read);
    expect(document.text()).toBe("zero\none\n2\nthree\nfour\n");
    expect(apply("zero\none\ntwo\nthree\nfour\n", edit.delta)).toBe(document.text());
    const replica = copyOf(document);
    expect(replica.text()).toBe(document.text());
  });

  test("is refused with the offset and the length when it is outside the text", () => {
    const document = withText("abc");
    const before = document.encode();
    expect(document.edit(bob, [{ from: 1, to: 4, insert: "" }])).toEqual({
      ok: false,
      error: { code: "UPDATE_OUT_OF_RANGE", requested: 4, max: 3 },
    });
    expect(document.edit(bob, [{ from: 1, to: 1, insert: "x" }], [])).toEqual({
      ok: false,
      error: { code: "UPDATE_OUT_OF_RANGE", requested: 1, max: 0 },
    });
    expect(document.encode()).toEqual(before);
  });

  test.each([
    ["inserts inside a pair", { from: 2, to: 2, insert: "x" }, 2],
    ["deletes the first half", { from: 1, to: 2, insert: "" }, 2],
    ["deletes the second half", { from: 2, to: 3, insert: "" }, 2],
    ["inserts half a pair", { from: 1, to: 1, insert: "\ud83d" }, 1],
    ["inserts the other half", { from: 3, to: 3, insert: "\ude00" }, 3],
  ])("that %s is refused, at the head and at a past version", (_what, change, at) => {
    const document = withText("a😀b");
    const read = document.version();
    const error = { code: "TEXT_MALFORMED", at };
    expect(document.edit(bob, [change])).toEqual({ ok: false, error });
    write(document, bob, 1, 3, "");
    expect(document.edit(bob, [change], read)).toEqual({ ok: false, error });
    expect(document.text()).toBe("ab");
  });

  test("at a version that never existed is refused", () => {
    const document = withText("a😀b");
    const never = { replica: bob, seq: 3 };
    expect(document.edit(ann, [], [never])).toEqual({ ok: false, error: { code: "VERSION_UNKNOWN", missing: never } });
    const insidePair = { replica: ann, seq: 1 };
    expect(document.textAt([insidePair])).toEqual({
      ok: false,
      error: { code: "VERSION_UNKNOWN", missing: insidePair },
    });
    write(document, ann, 1, 3, "");
    const halfDeleted = { replica: ann, seq: 4 };
    expect(document.textAt([halfDeleted])).toEqual({
      ok: false,
      error: { code: "VERSION_UNKNOWN", missing: halfDeleted },
    });
  });
});

describe("lines and bytes", () => {
  test("B-01 are counted as in the line model after every edit", () => {
    const document = createDocument();
    const counts = ["", "a", "a\n", "\n", "a\n\n", "a\nb"].map((text) => {
      write(document, ann, 0, document.length, text);
      return document.lineCount();
    });
    expect(counts).toEqual([0, 1, 1, 1, 2, 2]);
  });

  test("B-02 have the right offsets", () => {
    const document = withText("héllo\nwörld\n");
    expect([0, 1, 2].map((line) => document.lineStart(line))).toEqual([0, 6, 12]);
    expect(document.utf8Length).toBe(14);
    expect(document.utf16FromUtf8(7)).toBe(6);
    expect(document.utf16FromUtf8(2)).toBeUndefined();
    // The first letter of two bytes.
    const atEdge = withText("\u0080x");
    expect([1, 2, 3].map((byte) => atEdge.utf16FromUtf8(byte))).toEqual([undefined, 1, 2]);
    const open = withText("a\nb");
    expect([0, 1, 2].map((line) => open.lineStart(line))).toEqual([0, 2, 3]);
  });
});

describe("merging", () => {
  test("B-31 a person's text at the top and a model's at the end appear once, in every replica", () => {
    const server = withText("body\n");
    const browser = copyOf(server);
    write(server, bob, server.length, server.length, "streamed\n");
    write(browser, ann, 0, 0, "typed\n");
    exchange(server, browser);
    expect(server.text()).toBe("typed\nbody\nstreamed\n");
    expect(browser.text()).toBe(server.text());
    expect(browser.version()).toEqual(server.version());
  });

  test("concurrent insertions at one place are ordered by replica, and their runs do not mix", () => {
    const one = withText("[]");
    const two = copyOf(one);
    write(one, bob, 1, 1, "bob");
    for (const [index, letter] of [..."ann"].entries()) write(two, ann, 1 + index, 1 + index, letter);
    exchange(one, two);
    expect(one.text()).toBe("[annbob]");
    expect(two.text()).toBe("[annbob]");
  });

  test("letters typed one after another keep their right neighbour, in whatever order updates arrive", () => {
    const start = withText("LX");
    const at = start.version();
    const writer = copyOf(start);
    const between = write(writer, 5 as ReplicaId, 1, 1, "y", at).update;
    const far = write(copyOf(start), 7 as ReplicaId, 2, 2, "z", at).update;
    const first = write(writer, bob, 1, 1, "a", at);
    expect(writer.text()).toBe("LayX");
    const behind = write(writer, bob, 2, 2, "b").update;
    const other = copyOf(start);
    accept(other.merge(first.update, limits));
    const beside = write(other, 3 as ReplicaId, 2, 2, "c").update;
    const orders = [
      [between, far, first.update, behind, beside],
      [between, first.update, beside, behind, far],
      [first.update, beside, far, between, behind],
    ];
    for (const order of orders) {
      const replica = copyOf(start);
      for (const update of order) accept(replica.merge(update, limits));
      expect(replica.text()).toBe("LacbyXz");
    }
  });

  test("a keystroke that arrives twice is applied once", () => {
    const document = withText("once");
    const replica = copyOf(document);
    for (const letter of "abc") {
      const { update } = write(document, ann, 0, 0, letter);
      accept(replica.merge(update, limits));
      expect(accept(replica.merge(update, limits)).spans).toEqual([]);
    }
    expect(replica.text()).toBe("cbaonce");
  });

  test("an update that is known in whole or in part is harmless", () => {
    const server = withText("ab");
    const first = write(server, bob, 1, 1, "12").update;
    const replica = copyOf(server);
    expect(accept(replica.merge(first, limits))).toEqual({ delta: [], spans: [] });
    write(server, bob, 3, 3, "34");
    const merged = accept(replica.merge(server.updateSince([{ replica: ann, seq: 1 }]), limits));
    expect(merged).toEqual({
      delta: [{ from: 3, to: 3, insert: "34" }],
      spans: [{ replica: bob, seq: 2, length: 2 }],
    });
    expect(replica.text()).toBe("a1234b");
  });

  test("an update that arrives too early is refused with the missing unit", () => {
    const server = createDocument();
    const empty = createDocument();
    write(server, ann, 0, 0, "ab");
    const second = write(server, ann, 2, 2, "c").update;
    const third = write(server, bob, 3, 3, "d").update;
    const before = empty.encode();
    expect(empty.merge(second, limits)).toEqual({
      ok: false,
      error: { code: "UPDATE_GAP", missing: { replica: ann, seq: 0 } },
    });
    expect(empty.merge(third, limits)).toEqual({
      ok: false,
      error: { code: "UPDATE_GAP", missing: { replica: ann, seq: 2 } },
    });
    expect(empty.encode()).toEqual(before);
  });

  test("concurrent units of one replica merge", () => {
    const document = withText("base");
    const read = document.version();
    write(document, bob, 4, 4, " one", read);
    write(document, bob, 4, 4, " two", read);
    expect(document.text()).toBe("base one two");
    expect(copyOf(document).text()).toBe("base one two");
    expect(document.version()).toEqual([
      { replica: bob, seq: 3 },
      { replica: bob, seq: 7 },
    ]);
  });
});

describe("undo", () => {
  test("B-34 removes one replica's units, last first, and keeps the text of others", () => {
    const document = createDocument();
    const undo: (readonly OpSpan[])[] = [];
    undo.push(write(document, ann, 0, 0, "the quick fox").spans);
    write(document, bob, 13, 13, " jumps");
    undo.push(write(document, ann, 4, 9, "slow").spans);
    expect(document.text()).toBe("the slow fox jumps");
    const first = accept(document.cancel(ann, undo[1] ?? []));
    expect(document.text()).toBe("the quick fox jumps");
    const second = accept(document.cancel(ann, undo[0] ?? []));
    expect(document.text()).toBe(" jumps");
    accept(document.cancel(ann, second.spans));
    expect(document.text()).toBe("the quick fox jumps");
    const last = accept(document.cancel(ann, first.spans));
    expect(document.text()).toBe("the slow fox jumps");
    expect(apply("the quick fox jumps", last.delta)).toBe("the slow fox jumps");
  });

  test("B-35 removes what survives of a unit that others have changed", () => {
    const document = withText("list:\n");
    const unit = write(document, ann, 6, 6, "apples and pears\n");
    write(document, bob, 10, 16, "s,");
    const undone = accept(document.cancel(ann, unit.spans));
    expect(document.text()).toBe("list:\ns,");
    accept(document.cancel(ann, undone.spans));
    expect(document.text()).toBe("list:\nappls, pears\n");
  });

  test("restores text that two replicas deleted when both deletions are undone", () => {
    const one = withText("keep this text");
    const two = copyOf(one);
    const mine = write(one, ann, 5, 10, "");
    const theirs = write(two, bob, 5, 14, "");
    exchange(one, two);
    accept(one.cancel(ann, mine.spans));
    expect(one.text()).toBe("keep ");
    accept(two.cancel(bob, theirs.spans));
    expect(two.text()).toBe("keep text");
    exchange(one, two);
    expect(one.text()).toBe("keep this text");
    expect(two.text()).toBe("keep this text");
  });

  test("handles a unit with more pieces than a call accepts arguments", () => {
    const document = withText("a");
    const { spans } = write(document, bob, 1, 1, "bb");
    // A change in as many places produces as many pieces, but slower.
    accept(document.cancel(bob, Array.from({ length: 200_000 }, () => spans).flat()));
    expect(document.text()).toBe("a");
  });

  test("works for a unit made before the document was stored", () => {
    const document = withText("one two three");
    const unit = write(document, bob, 4, 8, "2 ");
    const opened = accept(decodeDocument(document.encode(), limits));
    write(opened, ann, 0, 0, "> ");
    accept(opened.cancel(bob, unit.spans));
    expect(opened.text()).toBe("> one two three");
  });

  test("works for a unit made before the document was stored, around text that others inserted", () => {
    const document = withText("abcdef");
    const read = document.version();
    const unit = write(document, bob, 1, 5, "", read);
    write(document, ann, 2, 2, "1", read);
    write(document, ann, 3, 3, "2", read);
    expect(document.text()).toBe("a12f");
    const opened = accept(decodeDocument(document.encode(), limits));
    accept(opened.cancel(bob, unit.spans));
    expect(opened.text()).toBe("ab1c2def");
  });

  test("can be the parent of an edit, in its middle, after the document was stored", () => {
    const document = withText("abcdef");
    const unit = write(document, bob, 0, 6, "");
    const undone = accept(document.cancel(bob, unit.spans));
    const half = [{ replica: bob, seq: (undone.spans[0]?.seq ?? 0) + 2 }];
    const opened = accept(decodeDocument(document.encode(), limits));
    for (const replica of [document, opened]) {
      expect(accept(replica.textAt(half))).toBe("abc");
      write(replica, ann, 1, 1, "-", half);
      expect(replica.text()).toBe("a-bcdef");
    }
  });

  test("of an unknown unit is refused, and of no units does nothing", () => {
    const document = withText("text");
    const spans = [{ replica: bob, seq: 0, length: 2 }];
    const error = { code: "VERSION_UNKNOWN", missing: { replica: bob, seq: 0 } };
    expect(document.cancel(ann, spans)).toEqual({ ok: false, error });
    expect(accept(document.cancel(ann, [])).spans).toEqual([]);
  });

  const groups = fc.array(
    fc.record({
      bob: fc.boolean(),
      edits: fc.array(
        fc.tuple(
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.nat(5),
          fc.string({ maxLength: 4, unit: fc.constantFrom("a", "b", "\n", "😀") }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 20 },
  );

  /** Applies the groups; returns for each its replica, its units, and the text before. */
  function doGroups(
    document: TextDocument,
    list: readonly { bob: boolean; edits: readonly (readonly [number, number, string])[] }[],
  ) {
    return list.map(({ bob: isBob, edits }) => {
      const replica = isBob ? bob : ann;
      const before = document.text();
      const spans = edits.flatMap(([place, remove, insert]) => {
        const text = document.text();
        const bounds = [0];
        for (const character of text) bounds.push((bounds.at(-1) ?? 0) + character.length);
        const index = Math.floor(place * bounds.length);
        const from = Math.min(bounds[index] ?? text.length, text.length);
        const to = Math.max(from, Math.min(bounds[Math.min(index + remove, bounds.length - 1)] ?? from, text.length));
        return write(document, replica, from, to, insert).spans;
      });
      return { replica, spans, before };
    });
  }

  test("P1 in reverse order restores every earlier text, and P2 redo of everything restores the end", () => {
    fc.assert(
      fc.property(groups, (list) => {
        const document = createDocument();
        const done = doGroups(document, list);
        const texts = [...done.map(({ before }) => before), document.text()];
        const undone = done.toReversed().map(({ replica, spans, before }) => {
          const edit = accept(document.cancel(replica, spans));
          expect(document.text()).toBe(before);
          return { replica, spans: edit.spans };
        });
        for (const [index, { replica, spans }] of undone.toReversed().entries()) {
          accept(document.cancel(replica, spans));
          expect(document.text()).toBe(texts[index + 1]);
        }
        expect(copyOf(document).text()).toBe(document.text());
      }),
      { numRuns: scaled(300) },
    );
  });

  test("P3 a replica that undoes and redoes all of its units leaves the text unchanged", () => {
    fc.assert(
      fc.property(groups, (list) => {
        const document = createDocument();
        const done = doGroups(document, list);
        const end = document.text();
        const undone = done
          .filter(({ replica }) => replica === ann)
          .toReversed()
          .map(({ spans }) => accept(document.cancel(ann, spans)).spans);
        for (const spans of undone.toReversed()) accept(document.cancel(ann, spans));
        expect(document.text()).toBe(end);
      }),
      { numRuns: scaled(300) },
    );
  });
});

describe("the past", () => {
  test("can be read, compared and blamed", () => {
    const document = withText("alpha\n");
    const first = document.version();
    write(document, bob, 6, 6, "beta\n");
    const second = document.version();
    write(document, ann, 0, 5, "ALPHA");
    expect(accept(document.textAt(first))).toBe("alpha\n");
    expect(accept(document.textAt(second))).toBe("alpha\nbeta\n");
    expect(accept(document.diff(first, document.version()))).toEqual([
      { from: 0, to: 5, insert: "ALPHA" },
      { from: 6, to: 6, insert: "beta\n" },
    ]);
    expect(apply("ALPHA\nbeta\n", accept(document.diff(document.version(), first)))).toBe("alpha\n");
    expect(document.blame(3, 8)).toEqual([
      { from: 3, to: 5, id: { replica: ann, seq: 14 } },
      { from: 5, to: 6, id: { replica: ann, seq: 5 } },
      { from: 6, to: 8, id: { replica: bob, seq: 0 } },
    ]);
    const unknown = [{ replica: bob, seq: 99 }];
    expect(document.diff(first, unknown)).toEqual({
      ok: false,
      error: { code: "VERSION_UNKNOWN", missing: unknown[0] },
    });
  });
});

describe("a stored document", () => {
  test("opens with its text, version and next seqs, and can be edited", () => {
    const document = withText("first 😀\n");
    write(document, bob, 0, 0, "> ");
    const opened = accept(decodeDocument(document.encode(), limits));
    expect(opened.text()).toBe(document.text());
    expect(opened.version()).toEqual(document.version());
    expect(opened.nextSeq(bob)).toBe(2);
    const update = write(opened, ann, opened.length, opened.length, "second\n").update;
    accept(document.merge(update, limits));
    expect(document.text()).toBe("> first 😀\nsecond\n");
    expect(opened.encode()).toEqual(document.encode());
  });

  test("has the same bytes with the platform's encoder of long texts", () => {
    const document = withText("😀語".repeat(300));
    write(document, bob, 3, 5, `ä${"b".repeat(400)}`);
    const encoder = new TextEncoder();
    const encoded: string[] = [];
    const encodeText = (text: string): Uint8Array => {
      encoded.push(text);
      return encoder.encode(text);
    };
    expect(document.encode(encodeText)).toEqual(document.encode());
    expect(encoded.length).toBeGreaterThan(1);
    expect(encoded).toContain(document.text());
  });

  test("is refused when any byte is changed or missing", () => {
    const document = withText("text 語");
    write(document, bob, 0, 2, "");
    const stored = document.encode();
    for (let at = 0; at < stored.length; at += 1) {
      for (const change of [1, 0x80, 0xff]) {
        const broken = stored.map((byte, index) => (index === at ? byte ^ change : byte));
        expect(decodeDocument(broken, limits).ok).toBe(false);
      }
      expect(decodeDocument(stored.slice(0, at), limits).ok).toBe(false);
    }
  });
});

describe("two replicas that edit under the same number", () => {
  const both: readonly (readonly [string, TextChange, TextChange])[] = [
    ["different text", { from: 1, to: 1, insert: "mine" }, { from: 1, to: 1, insert: "other" }],
    ["the same text elsewhere", { from: 1, to: 1, insert: "mine" }, { from: 2, to: 2, insert: "mine" }],
    ["an insertion where the other deletes", { from: 1, to: 1, insert: "m" }, { from: 1, to: 2, insert: "" }],
    ["a deletion elsewhere", { from: 0, to: 2, insert: "" }, { from: 1, to: 3, insert: "" }],
  ];
  test.each(both)("are not confused when one has %s", (_what, mine, theirs) => {
    const [here, there] = [withText("text"), withText("text")];
    const updates = [mine, theirs].map((change, index) => {
      const document = index === 0 ? here : there;
      return write(document, bob, change.from, change.to, change.insert).update;
    });
    const [own = new Uint8Array(), others = new Uint8Array()] = updates;
    const [before, beforeThere] = [here.text(), there.text()];
    const mixed = { ok: false, error: { code: "UPDATE_GAP" } };
    expect(here.merge(others, limits)).toMatchObject(mixed);
    expect(there.merge(own, limits)).toMatchObject(mixed);
    expect([here.text(), there.text()]).toEqual([before, beforeThere]);
    // A replica recognises its own update, also after others have edited and in different pieces.
    write(here, ann, 0, 0, "more ");
    expect(accept(here.merge(own, limits))).toEqual({ delta: [], spans: [] });
    expect(accept(here.merge(here.updateSince([]), limits))).toEqual({ delta: [], spans: [] });
    expect(accept(copyOf(here).merge(own, limits)).spans).toEqual([]);
  });
});

describe("encoding in steps", () => {
  /** A document with so many runs that no step has them all. */
  function long(): TextDocument {
    const document = withText("-".repeat(100));
    for (let count = 0; count < 25_000; count += 1) write(document, ann, count % 100, (count % 100) + 1, "é");
    return document;
  }

  test("gives the document as it was at the first step, whatever is written between the steps", () => {
    const document = long();
    const whole = document.encode();
    const steps = document.encodeInSteps((text) => new TextEncoder().encode(text));
    let step = steps.next();
    for (let count = 0; step.done !== true; count += 1) {
      write(document, count % 2 === 0 ? bob : ann, 0, 10, `later ${count}`);
      step = steps.next();
      expect(count).toBeLessThan(10);
    }
    expect(Buffer.compare(step.value ?? new Uint8Array(), whole)).toBe(0);
    expect(document.text()).toContain("later 1");
  });

  test("19.4 gives bytes of its own, also of a history that was not read yet", () => {
    const whole = withText("one").encode();
    const document = accept(openDocument(whole.slice(), limits, (bytes) => new TextDecoder().decode(bytes)));
    const given = document.encodeInSteps().next().value;
    given?.fill(0);
    expect(Buffer.compare(document.encode(), whole)).toBe(0);
  });

  test("gives nothing when history was deleted between the steps", () => {
    const document = long();
    const steps = document.encodeInSteps();
    expect(steps.next().done).toBe(false);
    expect(document.compact([document.version()], [])).toBeGreaterThan(0);
    expect(steps.next()).toEqual({ done: true, value: null });
  });
});
