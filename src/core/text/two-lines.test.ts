import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import { seededRandom } from "../../../test/providers/seeded-random.ts";
import { scaled } from "../../../test/scale.ts";
import { must } from "../base/assert.ts";
import { accept } from "../base/result.test-support.ts";
import { createDocument, openDocument } from "./document.ts";
import { insertion } from "./history.ts";
import { Rope } from "./rope.ts";
import type { ReplicaId, TextChange, TextDocument, TextLimits } from "./types.ts";
import { decodeUpdate, encodeUpdate } from "./update-codec.ts";

const limits: TextLimits = { updateBytesMax: 1e7, operationsMax: 1e6, textUnitsMax: 1e6 };
/** Enough runs for an update to be merged as a line. */
const many = 1_400;

/** How a writer writes: the letters, which may be pairs of units, and how often of ten a deletion. */
interface Manner {
  readonly letters: readonly string[];
  readonly deletions: number;
  readonly replicas: readonly number[];
}

/** Makes random edits, most of them at random places, and returns the update of each. */
function written(document: TextDocument, below: (limit: number) => number, count: number, manner: Manner) {
  const { letters, deletions, replicas } = manner;
  const updates: Uint8Array[] = [];
  let last = 0;
  for (let index = 0; index < count; index += 1) {
    const characters = [...document.text()];
    const at = below(4) === 0 ? Math.min(last, characters.length) : below(characters.length + 1);
    const removed = below(10) < deletions ? Math.min(characters.length - at, 1 + below(3)) : 0;
    const insert = removed > 0 ? "" : (letters[below(letters.length)] ?? "");
    const from = characters.slice(0, at).join("").length;
    const to = from + characters.slice(at, at + removed).join("").length;
    const replica = replicas[below(replicas.length)] as ReplicaId;
    updates.push(accept(document.edit(replica, [{ from, to, insert }])).update);
    last = at + 1;
  }
  return updates;
}

function copyOf(document: TextDocument): TextDocument {
  const copy = createDocument();
  accept(copy.merge(document.updateSince([]), limits));
  return copy;
}

/** The document as the store returns it: without the text that it deleted. */
function reopened(document: TextDocument): TextDocument {
  return accept(openDocument(document.encode(), limits, (bytes) => new TextDecoder().decode(bytes)));
}

function patched(text: string, changes: readonly TextChange[]): string {
  let result = "";
  let at = 0;
  for (const { from, to, insert } of changes) {
    expect(from).toBeGreaterThan(at - (at === 0 ? 1 : 0));
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

const plain: Manner = { letters: ["a", "b", "cd", "\n"], deletions: 4, replicas: [2] };
const paired: Manner = { letters: ["a", "🙂", "é🙃b"], deletions: 4, replicas: [2] };

const cases: readonly {
  readonly name: string;
  readonly first: string;
  readonly ours: number;
  readonly manner: Manner;
  readonly stored?: boolean;
  readonly compacted?: boolean;
  readonly walked?: boolean;
}[] = [
  { name: "on a text of a line", first: "a line of the text, which two people have", ours: 300, manner: plain },
  { name: "on three letters", first: "abc", ours: 900, manner: plain },
  { name: "on one letter", first: "a", ours: 300, manner: plain },
  { name: "on nothing", first: "", ours: 200, manner: plain },
  { name: "in short texts", first: "some words", ours: 600, manner: { ...plain, deletions: 8 } },
  { name: "with pairs of units", first: "🙂 and 🙃🙂", ours: 300, manner: paired },
  { name: "of several writers", first: "a line", ours: 300, manner: { ...plain, replicas: [2, 5, 7] } },
  { name: "into a stored text", first: "a line of the text", ours: 300, manner: plain, stored: true },
  { name: "into a stored text with pairs", first: "🙂 of 🙃", ours: 300, manner: paired, stored: true },
  { name: "into a text with deleted history", first: "of the text", ours: 300, manner: plain, compacted: true },
  { name: "after other concurrent edits", first: "a line of the text", ours: 300, manner: plain, walked: true },
  { name: "beside a single edit", first: "a line of the text", ours: 1, manner: plain },
];

describe("an update of many edits, made beside others", () => {
  let changes: MockInstance<Rope["change"]>;
  beforeEach(() => {
    changes = vi.spyOn(Rope.prototype, "change");
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  for (const { name, first, ours, manner, stored, compacted, walked } of cases) {
    test(`16.7 leaves the text and the log that its edits one by one leave, ${name}`, () => {
      let asLines = 0;
      for (let seed = 1; seed <= scaled(6, 100); seed += 1) {
        const below = seededRandom(seed);
        const their = createDocument();
        if (first !== "") accept(their.edit(1 as ReplicaId, [{ from: 0, to: 0, insert: first }]));
        if (walked === true) {
          const before = their.version();
          written(their, below, 30, manner);
          accept(their.edit(9 as ReplicaId, [{ from: 1, to: 3, insert: "walked" }], before));
          accept(their.edit(9 as ReplicaId, [{ from: 0, to: 0, insert: "on" }]));
        }
        const begun = manner.replicas.map((replica) => their.nextSeq(replica as ReplicaId));
        const base = their.version();
        const our = copyOf(their);
        our.blame(0, our.length);
        if (compacted === true) our.compact([base], []);
        written(our, below, ours, {
          ...manner,
          replicas: manner.replicas.map((replica) => replica + (seed % 2 ? 1 : -1)),
        });
        const updates = written(their, below, many, manner);
        const [whole, single] = stored === true ? [reopened(our), reopened(our)] : [our, reopened(our)];
        const before = whole.text();
        changes.mockClear();
        const merged = accept(whole.merge(their.updateSince(base), limits));
        asLines += changes.mock.calls.length;
        for (const update of updates) accept(single.merge(update, limits));
        expect(whole.text()).toBe(single.text());
        expect(patched(before, merged.delta)).toBe(whole.text());
        expect(whole.version()).toEqual(single.version());
        expect(whole.encode()).toEqual(single.encode());
        expect(whole.blame(0, whole.length)).toEqual(single.blame(0, single.length));
        expect(merged.spans.reduce((sum, { length }) => sum + length, 0)).toBe(
          manner.replicas.reduce((sum, replica, at) => sum + their.nextSeq(replica as ReplicaId) - (begun[at] ?? 0), 0),
        );
        for (const update of written(their, below, 20, manner)) {
          accept(whole.merge(update, limits));
          accept(single.merge(update, limits));
        }
        expect(whole.text()).toBe(single.text());
      }
      expect(asLines).toBe(scaled(6, 100));
    });
  }

  test("16.7 is refused as a whole where one edit is outside the text or inside a pair, or the text grows too long", () => {
    const their = createDocument();
    accept(their.edit(1 as ReplicaId, [{ from: 0, to: 0, insert: "🙂 of a line" }]));
    const base = their.version();
    const our = copyOf(their);
    written(our, seededRandom(1), 300, { ...paired, replicas: [3] });
    written(their, seededRandom(2), many, paired);
    const runs = accept(decodeUpdate(their.updateSince(base), limits));
    const pair = their.text().search(/[\ud800-\udbff]/);
    const withLast = (pos: number): Uint8Array => {
      const { replica, seq, length } = must(runs.at(-1), "a run");
      const last = { replica, seq: seq + length, kind: insertion, length: 1, back: false, text: "z" } as const;
      return encodeUpdate([...runs, { ...last, pos, ref: undefined, parents: undefined, paired: false }]);
    };
    const before = our.encode();
    const outside = their.length + 1;
    expect(our.merge(withLast(outside), limits)).toEqual({
      ok: false,
      error: { code: "UPDATE_OUT_OF_RANGE", requested: outside, max: their.length },
    });
    expect(our.merge(withLast(pair + 1), limits)).toEqual({
      ok: false,
      error: { code: "TEXT_MALFORMED", at: pair + 1 },
    });
    expect(our.merge(their.updateSince(base), { ...limits, textUnitsMax: our.length })).toMatchObject({
      ok: false,
      error: { code: "UPDATE_TOO_LARGE" },
    });
    expect(changes).not.toHaveBeenCalled();
    expect(our.encode()).toEqual(before);
    accept(our.merge(withLast(their.length), limits));
    expect(changes).toHaveBeenCalledTimes(1);
    expect(our.text()).toContain("z");
  });

  test("16.7 is merged by the walker where a line undoes, or is not one line", () => {
    const their = createDocument();
    accept(their.edit(1 as ReplicaId, [{ from: 0, to: 0, insert: "a line" }]));
    const base = their.version();
    const [undone, branched] = [copyOf(their), copyOf(their)];
    const deleted = accept(undone.edit(3 as ReplicaId, [{ from: 0, to: 3, insert: "" }]));
    accept(undone.cancel(3 as ReplicaId, deleted.spans));
    for (const replica of [3, 4]) accept(branched.edit(replica as ReplicaId, [{ from: 1, to: 2, insert: "q" }], base));
    const updates = written(their, seededRandom(3), many, plain);
    for (const document of [undone, branched]) {
      const single = copyOf(document);
      accept(document.merge(their.updateSince(base), limits));
      for (const update of updates) accept(single.merge(update, limits));
      expect(document.text()).toBe(single.text());
      expect(document.encode()).toEqual(single.encode());
    }
    expect(changes).not.toHaveBeenCalled();
  });
});
