import { afterEach, beforeEach, expect, test, vi, type MockInstance } from "vitest";
import { seededRandom } from "../../../test/providers/seeded-random.ts";
import { scaled } from "../../../test/scale.ts";
import { accept } from "../base/result.test-support.ts";
import { createDocument } from "./document.ts";
import { Rope } from "./rope.ts";
import type { OpSpan, ReplicaId, TextDocument, TextLimits } from "./types.ts";
import { decodeUpdate, encodeUpdate } from "./update-codec.ts";

const limits: TextLimits = { updateBytesMax: 1e7, operationsMax: 1e6, textUnitsMax: 1e6 };

interface Manner {
  readonly letters: readonly string[];
  /** How often of ten a writer hears of the others before an edit. */
  readonly hears: number;
  readonly undoes: boolean;
}

const manners: readonly (readonly [name: string, Manner])[] = [
  ["who hear of each other often", { letters: ["a", "b", "cd", "\n"], hears: 6, undoes: false }],
  ["who hardly hear of each other", { letters: ["a", "b", "cd", "\n"], hears: 1, undoes: false }],
  ["who undo deletions", { letters: ["a", "bc"], hears: 3, undoes: true }],
  ["who write pairs of units", { letters: ["a", "🙂", "é🙃b"], hears: 3, undoes: true }],
];

/** Three people write at once; returns every update in an order in which each follows what it builds on. */
function written(below: (limit: number) => number, { letters, hears, undoes }: Manner) {
  const writers = [1, 2, 3].map((replica) => ({ replica: replica as ReplicaId, document: createDocument(), heard: 0 }));
  const updates: { readonly by: ReplicaId; readonly bytes: Uint8Array }[] = [];
  const deleted: OpSpan[] = [];
  for (let edits = 0; edits < 900; edits += 1) {
    const writer = writers[below(writers.length)];
    if (writer === undefined) throw new Error("there are three");
    const { replica, document } = writer;
    if (below(10) < hears) {
      for (const { by, bytes } of updates.slice(writer.heard))
        if (by !== replica) accept(document.merge(bytes, limits));
      writer.heard = updates.length;
    }
    const characters = [...document.text()];
    const at = below(characters.length + 1);
    const removed = below(3) === 0 ? Math.min(characters.length - at, 1 + below(4)) : 0;
    const from = characters.slice(0, at).join("").length;
    const to = from + characters.slice(at, at + removed).join("").length;
    const undone = undoes && below(8) === 0 ? deleted[below(deleted.length)] : undefined;
    const knows = undone !== undefined && undone.seq + undone.length <= document.nextSeq(undone.replica);
    const edit = knows
      ? accept(document.cancel(replica, [undone]))
      : accept(
          document.edit(replica, [{ from, to, insert: removed > 0 ? "" : (letters[below(letters.length)] ?? "") }]),
        );
    if (!knows && removed > 0) deleted.push(...edit.spans);
    if (edit.update.length > 0) updates.push({ by: replica, bytes: edit.update });
  }
  return updates.map(({ bytes }) => bytes);
}

function oneByOne(updates: readonly Uint8Array[]): TextDocument {
  const document = createDocument();
  for (const update of updates) accept(document.merge(update, limits));
  return document;
}

let changes: MockInstance<Rope["change"]>;
beforeEach(() => {
  changes = vi.spyOn(Rope.prototype, "change");
});
afterEach(() => {
  vi.restoreAllMocks();
});

test.each(manners)("16.7 a document made of one update is the one made of its edits, of people %s", (_name, manner) => {
  for (let seed = 1; seed <= scaled(8, 100); seed += 1) {
    const below = seededRandom(seed);
    const updates = written(below, manner);
    const single = oneByOne(updates);
    const whole = createDocument();
    changes.mockClear();
    const { delta, spans } = accept(whole.merge(single.updateSince([]), limits));
    expect(changes).toHaveBeenCalledTimes(1);
    expect(whole.text()).toBe(single.text());
    expect(delta).toEqual(whole.length === 0 ? [] : [{ from: 0, to: 0, insert: whole.text() }]);
    expect(whole.version()).toEqual(single.version());
    expect(whole.encode()).toEqual(single.encode());
    expect(whole.blame(0, whole.length)).toEqual(single.blame(0, single.length));
    for (const replica of [1, 2, 3] as ReplicaId[]) {
      const units = spans.filter((span) => span.replica === replica).reduce((sum, { length }) => sum + length, 0);
      expect(units).toBe(single.nextSeq(replica));
    }
    // It goes on like any other.
    const [first] = whole.version();
    const typed = [{ from: 0, to: 0, insert: "x" }];
    const at = first === undefined ? [] : [first];
    const more = accept(oneByOne(updates).edit(4 as ReplicaId, typed, at)).update;
    for (const document of [whole, single]) accept(document.merge(more, limits));
    expect(whole.text()).toBe(single.text());
  }
});

test("16.7 an update that is too large, or is spoiled, is refused with the reason, and leaves nothing", () => {
  const updates = written(seededRandom(1), { letters: ["ab"], hears: 3, undoes: false });
  const single = oneByOne(updates);
  const all = single.updateSince([]);
  const document = createDocument();
  const small = { ...limits, textUnitsMax: 40 };
  expect(document.merge(all, small)).toMatchObject({ ok: false, error: { code: "UPDATE_TOO_LARGE" } });
  const runs = accept(decodeUpdate(all, limits));
  for (const spoil of [
    (run: (typeof runs)[number], index: number) => (index === 300 ? { ...run, pos: 1e5 } : run),
    (run: (typeof runs)[number], index: number) => (index === 300 ? { ...run, seq: run.seq + 1 } : run),
  ]) {
    expect(document.merge(encodeUpdate(runs.map(spoil)), limits).ok).toBe(false);
    expect([document.text(), document.version(), document.encode()]).toEqual(["", [], createDocument().encode()]);
  }
  accept(document.merge(all, limits));
  expect(document.text()).toBe(single.text());
});

test("16.7 what one replica sends goes the way that counts its work", () => {
  const updates = written(seededRandom(2), { letters: ["ab"], hears: 1, undoes: false });
  const document = createDocument();
  document.merge(oneByOne(updates).updateSince([]), { ...limits, replica: 1 as ReplicaId });
  expect(changes).not.toHaveBeenCalled();
});
