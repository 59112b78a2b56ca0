import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { ByteWriter, crc32 } from "./bytes.ts";
import { createDocument } from "./document.ts";
import { cancellation, deletion, insertion, type OpKind } from "./history.ts";
import type { ReplicaId, TextDocument, TextLimits, TextRefusal } from "./types.ts";
import { decodeUpdate, encodeTyped, encodeUpdate, type WireRun } from "./update-codec.ts";

const limits: TextLimits = { updateBytesMax: 1e6, operationsMax: 1e4, textUnitsMax: 1e5 };
const ann = 1 as ReplicaId;
const bob = 2 as ReplicaId;

const first: WireRun = {
  replica: ann,
  seq: 0,
  kind: insertion,
  pos: 0,
  length: 5,
  back: false,
  text: "a😀語\n",
  ref: undefined,
  parents: [],
  paired: false,
};

/** A document and three updates based on it: insertions, deletions and a cancellation, with surrogates. */
function sample(): { readonly base: Uint8Array; readonly updates: readonly Uint8Array[] } {
  const document = createDocument();
  document.edit(ann, [{ from: 0, to: 0, insert: "one 😀 two\nthree" }]);
  const base = document.updateSince([]);
  const version = document.version();
  const updates = [
    document.edit(bob, [
      { from: 3, to: 7, insert: "語" },
      { from: 10, to: 10, insert: "😀" },
    ]),
    document.edit(ann, [{ from: 0, to: 3, insert: "1" }], version),
    document.cancel(bob, [{ replica: bob, seq: 0, length: 4 }]),
  ].map((edit) => (edit.ok ? edit.value.update : new Uint8Array()));
  return { base, updates };
}

function replicaOf(base: Uint8Array): TextDocument {
  const document = createDocument();
  expect(document.merge(base, limits).ok).toBe(true);
  return document;
}

/** Returns the refusal's code, after checking that the document has not changed. */
function refusal(document: TextDocument, update: Uint8Array, under = limits): TextRefusal["code"] | "ok" {
  const before = document.encode();
  const merged = document.merge(update, under);
  if (merged.ok) return "ok";
  expect(document.encode()).toEqual(before);
  return merged.error.code;
}

/** Returns the update with a correct checksum. */
function resealed(update: Uint8Array): Uint8Array {
  const sum = crc32(update, 0, update.length - 4);
  return update.map((byte, at) => (at < update.length - 4 ? byte : (sum >>> ((at - update.length + 4) * 8)) & 255));
}

/** Frames a body written by hand. */
function record(write: (writer: ByteWriter) => void): Uint8Array {
  const body = new ByteWriter();
  write(body);
  const writer = new ByteWriter();
  writer.byte(0xd1);
  writer.varint(body.length);
  for (const byte of body.written()) writer.byte(byte);
  writer.sum(crc32(writer.written(), 0, writer.length));
  return writer.written().slice();
}

describe("an update", () => {
  const id = fc.record({ replica: fc.constantFrom(ann, bob), seq: fc.nat(2 ** 20) });
  const run = fc
    .record({
      replica: fc.constantFrom(ann, bob),
      seq: fc.nat(2 ** 20),
      kind: fc.constantFrom<OpKind>(0, 1, 2, 3),
      pos: fc.nat(2 ** 20),
      length: fc.integer({ min: 1, max: 300 }),
      text: fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }),
      ref: id,
      parents: fc.option(fc.array(id, { maxLength: 3 }), { nil: undefined }),
      back: fc.boolean(),
    })
    .map(({ text, ref, back, kind, length, ...rest }): WireRun => {
      if (kind === insertion)
        return { ...rest, kind, length: text.length, text, ref: undefined, back: false, paired: false };
      const backward = back && kind === deletion && rest.pos + 1 >= length;
      const referred = kind >= cancellation ? ref : undefined;
      const pos = kind >= cancellation ? 0 : rest.pos;
      return { ...rest, pos, kind, length, text: undefined, ref: referred, back: backward, paired: false };
    });

  test("decodes to what was encoded", () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
        const sent = [first, ...runs];
        expect(decodeUpdate(encodeUpdate(sent), limits)).toEqual({ ok: true, value: sent });
      }),
    );
  });

  test("of a keystroke has the same bytes on the fast path", () => {
    const typed = fc.record({
      replica: fc.oneof(fc.constantFrom(ann, bob), fc.integer({ min: 1, max: 2 ** 31 - 1 }) as fc.Arbitrary<ReplicaId>),
      seq: fc.integer({ min: 1, max: 2 ** 20 }),
      pos: fc.nat(2 ** 20),
      removed: fc.nat(300),
      insert: fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ minLength: 60, maxLength: 400 })),
    });
    fc.assert(
      fc.property(typed, ({ replica, seq, pos, removed, insert }) => {
        const del: WireRun = { ...first, replica, seq, pos, kind: deletion, length: removed, text: undefined };
        const ins: WireRun = { ...del, seq: seq + removed, kind: insertion, length: insert.length, text: insert };
        const parents = [{ replica, seq: seq - 1 }];
        const [head, ...rest] = [del, ins].filter((run) => run.length > 0);
        if (head === undefined) return;
        const general = encodeUpdate([{ ...head, parents }, ...rest.map((run) => ({ ...run, parents: undefined }))]);
        expect(encodeTyped(replica, seq, { from: pos, to: pos + removed, insert })).toEqual(general);
      }),
    );
  });

  test("of one letter beyond ASCII has the same bytes on the fast path", () => {
    const run: WireRun = { ...first, seq: 5, pos: 2, length: 1, text: "é", parents: [{ replica: ann, seq: 4 }] };
    expect(encodeTyped(ann, 5, { from: 2, to: 2, insert: "é" })).toEqual(encodeUpdate([run]));
  });

  test.each<[what: string, runs: readonly WireRun[], error: TextRefusal]>([
    [
      "a run begins inside a pair",
      [
        { ...first, length: 1, text: "\ud83d" },
        { ...first, seq: 1, pos: 1, length: 1, text: "\ude00", parents: undefined },
      ],
      { code: "TEXT_MALFORMED", at: 1 },
    ],
    [
      "a first unit builds on its replica's unit before it",
      [{ ...first, parents: [{ replica: ann, seq: -1 }] }],
      { code: "UPDATE_CORRUPT", reason: "nothing comes before a replica's first unit" },
    ],
  ])("in which %s is refused", (_what, runs, error) => {
    expect(decodeUpdate(encodeUpdate(runs), limits)).toEqual({ ok: false, error });
  });

  test("that inserts behind the text's end is refused", () => {
    const update = encodeUpdate([{ ...first, replica: bob, pos: 2 }]);
    expect(createDocument().merge(update, limits)).toEqual({
      ok: false,
      error: { code: "UPDATE_OUT_OF_RANGE", requested: 2, max: 0 },
    });
  });

  test("31 cut short anywhere is refused and changes nothing", () => {
    const { base, updates } = sample();
    const document = replicaOf(base);
    for (const update of updates) {
      for (let length = 0; length < update.length; length += 1) {
        expect(refusal(document, update.slice(0, length))).toBe("UPDATE_CORRUPT");
      }
      expect(refusal(document, Uint8Array.of(...update, 0))).toBe("UPDATE_CORRUPT");
      expect(refusal(document, update)).toBe("ok");
    }
  });

  test("32 with any one byte changed is refused and changes nothing", () => {
    const { base, updates } = sample();
    const document = replicaOf(base);
    for (const update of updates) {
      for (let at = 0; at < update.length; at += 1) {
        for (let change = 1; change < 256; change += 1) {
          const broken = update.map((byte, index) => (index === at ? byte ^ change : byte));
          expect(document.merge(broken, limits).ok).toBe(false);
        }
      }
      expect(refusal(document, update)).toBe("ok");
    }
  });

  test("with arbitrary content under a valid checksum is refused without changes, or applies as an edit", () => {
    const { base, updates } = sample();
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.nat(),
        fc.nat(255),
        (pick, at, change, at2, change2) => {
          const document = replicaOf(base);
          for (const update of updates.slice(0, pick)) document.merge(update, limits);
          const update = updates[pick] ?? base;
          const places = [at, at2].map((place) => place % (update.length - 4));
          const lie = update.map(
            (byte, index) => byte ^ (index === places[0] ? change : index === places[1] ? change2 : 0),
          );
          const code = refusal(document, resealed(lie));
          expect(document.text().isWellFormed()).toBe(true);
          if (code !== "ok") {
            expect(refusal(document, update)).toBe("ok");
            return;
          }
          const replica = createDocument();
          expect(replica.merge(document.updateSince([]), { ...limits, textUnitsMax: 1e9 }).ok).toBe(true);
          expect(replica.text()).toBe(document.text());
        },
      ),
      { numRuns: scaled(1500) },
    );
  });
});

describe("limits", () => {
  const update = encodeUpdate([first]);

  test.each<[string, Partial<TextLimits>, TextRefusal]>([
    ["bytes", { updateBytesMax: 10 }, { code: "UPDATE_TOO_LARGE", actual: update.length, max: 10 }],
    ["operations", { operationsMax: 0 }, { code: "UPDATE_TOO_LARGE", actual: 1, max: 0 }],
    ["text", { textUnitsMax: 4 }, { code: "UPDATE_TOO_LARGE", actual: 5, max: 4 }],
    ["replica", { replica: bob }, { code: "UPDATE_FOREIGN_REPLICA", expected: bob, actual: ann }],
  ])("22 an update beyond its %s is refused", (_name, change, error) => {
    expect(createDocument().merge(update, { ...limits, ...change })).toEqual({ ok: false, error });
  });

  test("30 a text does not grow beyond its limit through many small updates", () => {
    const document = createDocument();
    document.merge(update, limits);
    const more = encodeUpdate([{ ...first, seq: 5, parents: [{ replica: ann, seq: 4 }] }]);
    expect(document.merge(more, { ...limits, textUnitsMax: 9 })).toEqual({
      ok: false,
      error: { code: "UPDATE_TOO_LARGE", actual: 10, max: 9 },
    });
    expect(document.length).toBe(5);
    expect(document.merge(more, { ...limits, textUnitsMax: 10 }).ok).toBe(true);
    expect(document.length).toBe(10);
  });
});

describe("a hostile update", () => {
  const huge = 2 ** 30 - 1;

  test.each<[string, (writer: ByteWriter) => void, TextRefusal["code"]]>([
    [
      "27 a deletion of a billion units",
      (writer) => {
        for (const number of [1, ann, 1]) writer.varint(number);
        writer.text("");
        writer.byte(1 | (2 << 3) | 32);
        for (const number of [0, 0, 0, huge, 0]) writer.varint(number);
      },
      "UPDATE_OUT_OF_RANGE",
    ],
    [
      "27 a cancellation of a billion units",
      (writer) => {
        for (const number of [1, ann, 1]) writer.varint(number);
        writer.text("");
        writer.byte(2 | (2 << 3) | 32);
        for (const number of [0, 0, 0, huge, 0, 0]) writer.varint(number);
      },
      "UPDATE_GAP",
    ],
    [
      "27 a billion units of text that it does not contain",
      (writer) => {
        for (const number of [1, ann, 1]) writer.varint(number);
        writer.text("x");
        writer.byte(0 | (2 << 3) | 32);
        for (const number of [0, 0, 0, huge, 0]) writer.varint(number);
      },
      "UPDATE_CORRUPT",
    ],
    [
      "28 a seq beyond the limit",
      (writer) => {
        for (const number of [1, ann, 1]) writer.varint(number);
        writer.text("x");
        writer.byte(0 | (2 << 3) | 32 | 64);
        for (const number of [0, 2 ** 40, 0, 0]) writer.varint(number);
      },
      "UPDATE_CORRUPT",
    ],
    [
      "28 units whose last seq is beyond the limit",
      (writer) => {
        for (const number of [1, ann, 1]) writer.varint(number);
        writer.text("xyz");
        writer.byte(0 | (2 << 3) | 32);
        for (const number of [0, 2 ** 30 - 2, 3, 0, 0]) writer.varint(number);
      },
      "UPDATE_CORRUPT",
    ],
    [
      "a run of no units",
      (writer) => {
        for (const number of [1, ann, 1]) writer.varint(number);
        writer.text("");
        writer.byte(0 | (2 << 3) | 32);
        for (const number of [0, 0, 0, 0, 0]) writer.varint(number);
      },
      "UPDATE_CORRUPT",
    ],
    ["29 a billion replicas", (writer) => writer.varint(huge), "UPDATE_CORRUPT"],
    [
      "27 more runs than bytes",
      (writer) => {
        for (const number of [1, ann, 9_999]) writer.varint(number);
        writer.text("");
      },
      "UPDATE_CORRUPT",
    ],
    [
      "more parents than bytes",
      (writer) => {
        for (const number of [1, ann, 1]) writer.varint(number);
        writer.text("x");
        writer.byte(0 | (2 << 3) | 32 | 64);
        for (const number of [0, 0, huge, 0, 0]) writer.varint(number);
      },
      "UPDATE_CORRUPT",
    ],
  ])("with %s is refused within 50 ms", (_name, write, code) => {
    const update = record(write);
    expect(update.length).toBeLessThan(40);
    const begun = performance.now();
    expect(refusal(createDocument(), update)).toBe(code);
    expect(performance.now() - begun).toBeLessThan(50);
  });

  test.each<[string, (index: number, base: TextDocument) => Partial<WireRun>]>([
    ["thousands of concurrent insertions at one place", () => ({ pos: 0, parents: [] })],
    [
      "a jump between two long branches for every letter",
      (index, base) => ({ pos: 0, parents: [{ replica: index % 2 === 0 ? ann : bob, seq: base.nextSeq(ann) - 1 }] }),
    ],
  ])("of %s is refused in time", (_name, run) => {
    const document = createDocument();
    const other = createDocument();
    for (let at = 0; at < 2000; at += 1) {
      document.edit(ann, [{ from: at % 7 === 0 ? 0 : at, to: at % 7 === 0 ? 0 : at, insert: "a" }]);
      other.edit(bob, [{ from: at % 5 === 0 ? 0 : at, to: at % 5 === 0 ? 0 : at, insert: "b" }]);
    }
    expect(document.merge(other.updateSince([]), limits).ok).toBe(true);
    const eve = 3 as ReplicaId;
    const runs = Array.from({ length: 9000 }, (_, seq) => ({
      ...first,
      replica: eve,
      seq,
      length: 1,
      text: "x",
      ...run(seq, document),
    }));
    const update = encodeUpdate(runs);
    const begun = performance.now();
    expect(refusal(document, update, { ...limits, replica: eve })).toBe("UPDATE_TOO_LARGE");
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  test("that searches a long history of two writers again for every letter is refused in time", () => {
    const document = createDocument();
    const other = createDocument();
    for (let at = 0; at < 1000; at += 1) {
      const edits = [
        document.edit(ann, [{ from: 0, to: 0, insert: "a" }]),
        other.edit(bob, [{ from: 0, to: 0, insert: "b" }]),
      ];
      for (const edit of edits) {
        const update = edit.ok ? edit.value.update : new Uint8Array();
        expect(document.merge(update, limits).ok && other.merge(update, limits).ok).toBe(true);
      }
    }
    const eve = 3 as ReplicaId;
    const parents = [{ replica: ann, seq: 3 }, ...document.version()];
    const runs = Array.from({ length: 9000 }, (_, seq) => ({
      ...first,
      replica: eve,
      seq,
      length: 1,
      text: "x",
      parents,
    }));
    const begun = performance.now();
    expect(refusal(document, encodeUpdate(runs), { ...limits, replica: eve })).toBe("UPDATE_TOO_LARGE");
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  test("26 three thousand updates with a causal gap cost almost nothing", () => {
    const document = createDocument();
    document.edit(ann, [{ from: 0, to: 0, insert: "text" }]);
    const begun = performance.now();
    for (let seq = 1; seq <= 3000; seq += 1) {
      const gap = encodeUpdate([{ ...first, replica: bob, seq, parents: [{ replica: bob, seq: seq - 1 }] }]);
      expect(document.merge(gap, limits).ok).toBe(false);
    }
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(document.version()).toEqual([{ replica: ann, seq: 3 }]);
  });

  test("that cancels a unit that is not a known deletion is refused", () => {
    const document = createDocument();
    document.edit(ann, [{ from: 0, to: 0, insert: "text" }]);
    document.edit(ann, [{ from: 0, to: 2, insert: "" }]);
    const cancel: WireRun = {
      ...first,
      replica: bob,
      kind: cancellation,
      length: 2,
      text: undefined,
      ref: { replica: ann, seq: 2 },
    };
    const head = document.version();
    expect(refusal(document, encodeUpdate([{ ...cancel, parents: head }]))).toBe("UPDATE_CORRUPT");
    const early = { ...cancel, ref: { replica: ann, seq: 4 }, parents: [{ replica: ann, seq: 3 }] };
    expect(refusal(document, encodeUpdate([early]))).toBe("UPDATE_CORRUPT");
    expect(refusal(document, encodeUpdate([{ ...early, parents: head }]))).toBe("ok");
    expect(document.text()).toBe("text");
  });

  test("that would split a surrogate pair is refused, by position, by parents and by cancelling half a deletion", () => {
    const document = createDocument();
    document.edit(ann, [{ from: 0, to: 0, insert: "a😀b" }]);
    document.edit(ann, [{ from: 1, to: 3, insert: "" }]);
    const insert: WireRun = { ...first, replica: bob, length: 1, text: "x" };
    const pair = [{ replica: ann, seq: 3 }];
    expect(refusal(document, encodeUpdate([{ ...insert, pos: 2, parents: pair }]))).toBe("TEXT_MALFORMED");
    expect(refusal(document, encodeUpdate([{ ...insert, pos: 1, parents: [{ replica: ann, seq: 1 }] }]))).toBe(
      "UPDATE_CORRUPT",
    );
    expect(refusal(document, encodeUpdate([{ ...insert, pos: 1, parents: [{ replica: ann, seq: 4 }] }]))).toBe(
      "UPDATE_CORRUPT",
    );
    const half: WireRun = {
      ...insert,
      kind: cancellation,
      text: undefined,
      ref: { replica: ann, seq: 4 },
      parents: document.version(),
    };
    expect(refusal(document, encodeUpdate([half]))).toBe("TEXT_MALFORMED");
    expect(refusal(document, encodeUpdate([{ ...half, length: 2 }]))).toBe("ok");
    expect(document.text()).toBe("a😀b");
  });
});
