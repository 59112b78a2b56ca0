import { describe, expect, test } from "vitest";
import { createDocument } from "./document.ts";
import type { ReplicaId, TextChange, TextVersion } from "./types.ts";

const limits = { updateBytesMax: 2 ** 20, operationsMax: 2 ** 20, textUnitsMax: 2 ** 20 };

interface Written {
  readonly replica: number;
  readonly change: TextChange;
  /** Indexes of what it builds on. */
  readonly after: readonly number[];
}

/** Makes the edits in one document; returns each one's update. */
function updatesOf(edits: readonly Written[]): readonly Uint8Array[] {
  const document = createDocument();
  const versions: TextVersion[] = [];
  return edits.map(({ replica, change, after }) => {
    const edit = document.edit(
      replica as ReplicaId,
      [change],
      after.flatMap((index) => versions[index] ?? []),
    );
    if (!edit.ok) throw new Error(edit.error.code);
    versions.push(edit.value.spans.map((span) => ({ replica: span.replica, seq: span.seq + span.length - 1 })));
    return edit.value.update;
  });
}

/** The texts that result from every order in which these updates can arrive. */
function textsInEveryOrder(edits: readonly Written[]): ReadonlySet<string> {
  const updates = updatesOf(edits);
  const texts = new Set<string>();
  const arrive = (order: readonly number[]): void => {
    if (order.length === edits.length) {
      const document = createDocument();
      for (const index of order) expect(document.merge(updates[index] ?? new Uint8Array(), limits).ok).toBe(true);
      texts.add(document.text());
    }
    for (const [index, { replica, after }] of edits.entries()) {
      const own = edits.findIndex((edit, at) => edit.replica === replica && !order.includes(at));
      const isReady = !order.includes(index) && own === index && after.every((at) => order.includes(at));
      if (isReady) arrive([...order, index]);
    }
  };
  arrive([]);
  return texts;
}

function at(from: number, insert: string): TextChange {
  return { from, to: from, insert };
}

describe("concurrent insertions at one place", () => {
  test("16.7 appear in the order of their replicas' numbers, whichever arrives first", () => {
    const texts = textsInEveryOrder([
      { replica: 3, change: at(0, "c"), after: [] },
      { replica: 1, change: at(0, "a"), after: [] },
      { replica: 2, change: at(0, "b"), after: [] },
    ]);
    expect([...texts]).toEqual(["abc"]);
  });

  test("16.7 of one replica appear in the order of their numbers", () => {
    const texts = textsInEveryOrder([
      { replica: 1, change: at(0, "a"), after: [] },
      { replica: 1, change: at(0, "b"), after: [] },
    ]);
    expect([...texts]).toEqual(["ab"]);
  });

  test("16.7 with different right neighbours appear in the reverse order of these, whatever the numbers", () => {
    const texts = textsInEveryOrder([
      { replica: 1, change: at(0, "b"), after: [] },
      { replica: 2, change: at(0, "a"), after: [0] },
      { replica: 3, change: at(0, "z"), after: [0] },
      // Knows a and b; z is between them for the other.
      { replica: 5, change: at(1, "X"), after: [1] },
      { replica: 4, change: at(1, "Y"), after: [1, 2] },
    ]);
    expect([...texts]).toEqual(["aXYzb"]);
  });
});
