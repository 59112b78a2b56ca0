import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDocument } from "./document.ts";
import { trustedLimits } from "./trusted-limits.ts";
import type { OpSpan, ReplicaId, TextEdit } from "./types.ts";

const writer = (number: number): ReplicaId => number as ReplicaId;

/** A text of which every unit knows the edit that wrote it. */
class Model {
  readonly document = createDocument();
  readonly edits: { readonly inserted: readonly OpSpan[] }[] = [];
  units: { readonly char: string; readonly by: number }[] = [];

  edit(replica: number, from: number, removed: number, insert: string): void {
    const to = Math.min(this.units.length, from + removed);
    const edit = this.document.edit(writer(replica), [{ from, to, insert }]);
    if (!edit.ok) throw new Error(edit.error.code);
    this.units.splice(from, to - from, ...Array.from(insert, (char) => ({ char, by: this.edits.length })));
    this.edits.push({ inserted: insertedBy(edit.value, insert.length) });
  }

  undo(which: readonly number[]): void {
    const spans = which.flatMap((index) => this.edits[index]?.inserted ?? []);
    if (spans.length === 0) return;
    const undone = this.document.cancel(writer(9), spans);
    if (!undone.ok) throw new Error(undone.error.code);
    this.units = this.units.filter(({ by }) => !which.includes(by));
  }

  get text(): string {
    return this.units.map(({ char }) => char).join("");
  }
}

/** The last `length` units of an edit are what it inserted. */
function insertedBy({ spans }: TextEdit, length: number): readonly OpSpan[] {
  const last = spans.at(-1);
  return last === undefined || length === 0 ? [] : [{ ...last, seq: last.seq + last.length - length, length }];
}

const edits = fc.array(
  fc.record({
    replica: fc.integer({ min: 1, max: 3 }),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.integer({ min: 0, max: 6 }),
    insert: fc.string({ maxLength: 5, unit: fc.constantFrom("a", "b", "\n") }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe("insertions that are undone after others wrote on", () => {
  test("go, and nothing else does, wherever they were split, moved or deleted", () => {
    fc.assert(
      fc.property(edits, fc.array(fc.nat(59), { minLength: 1, maxLength: 40 }), (script, which) => {
        const model = new Model();
        for (const { replica, at, removed, insert } of script) {
          model.edit(replica, Math.floor(at * model.units.length), removed, insert);
        }
        model.undo(which);
        expect(model.document.text()).toBe(model.text);
        model.edit(1, 0, 0, "more");
        model.undo([0]);
        expect(model.document.text()).toBe(model.text);
      }),
    );
  });

  test("go where another wrote at the same time, too", () => {
    const model = new Model();
    model.edit(1, 0, 0, "one two");
    const other = createDocument();
    expect(other.merge(model.document.updateSince([]), trustedLimits).ok).toBe(true);
    const beside = other.edit(writer(2), [{ from: 3, to: 3, insert: " and a half" }]);
    model.edit(1, 7, 0, " three");
    if (!beside.ok) throw new Error(beside.error.code);
    model.document.merge(beside.value.update, trustedLimits);
    expect(model.document.text()).toBe("one and a half two three");
    const undone = model.document.cancel(writer(9), model.edits[0]?.inserted ?? []);
    expect([undone.ok, model.document.text()]).toEqual([true, " and a half three"]);
  });
});
