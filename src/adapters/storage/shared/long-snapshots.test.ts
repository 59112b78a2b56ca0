import { beforeEach, describe, expect, test } from "vitest";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { StoreRefusal, StoreWrite } from "../../../core/port/store.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import { joinPieces, LongSnapshots, pieceBytes, type PieceKey, type TableWrite } from "./long-snapshots.ts";

const full = { code: "STORE_FULL", index: 0, reason: "no room" } as const;

/** What was committed, and the pieces that are there. */
let made: TableWrite[];
let pieces: Map<string, { readonly key: PieceKey; readonly bytes: Uint8Array }>;
let named: string | null;
let answer: (write: TableWrite) => StoreRefusal | Error | null;
let snapshots: LongSnapshots;
beforeEach(() => {
  [made, pieces, named, answer] = [[], new Map(), null, () => null];
  snapshots = new LongSnapshots({ commit, unnamedPieces: () => Promise.resolve(unnamed()) });
});

async function commit(writes: readonly TableWrite[]): Promise<Result<void, StoreRefusal>> {
  await Promise.resolve();
  for (const [index, write] of writes.entries()) {
    const refused = answer(write);
    if (refused instanceof Error) throw refused;
    if (refused !== null) return err({ ...refused, index });
  }
  for (const write of writes) take(write);
  made.push(...writes);
  return ok(undefined);
}

function take(write: TableWrite): void {
  if (write.type === "put-snapshot-piece") pieces.set(idOf(write.key), write);
  else if (write.type === "name-snapshot") named = write.snapshotId;
  else if (write.type === "delete-snapshot-piece") pieces.delete(idOf(write.key));
}

const idOf = ({ snapshotId, n }: PieceKey): string => `${snapshotId} ${n}`;

const unnamed = (): readonly PieceKey[] =>
  [...pieces.values()].map(({ key }) => key).filter(({ snapshotId }) => snapshotId !== named);

const stored = (): Uint8Array => joinPieces([...pieces.values()].map(({ bytes }) => bytes));

const long = (bytes: Uint8Array, version = 1): StoreWrite => ({
  type: "put-snapshot",
  snapshot: { blockId: blockId("1"), version, bytes },
});

const numbered = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index % 251);

const typesMade = (): readonly string[] => made.map(({ type }) => type);

describe("19.4 a long snapshot", () => {
  test.each([
    [pieceBytes, 0],
    [pieceBytes + 1, 2],
    [2 * pieceBytes, 2],
    [2 * pieceBytes + 7, 3],
  ])("of %d bytes is written in %d pieces, and named when they are there", async (length, count) => {
    const bytes = numbered(length);
    expect(await snapshots.commit([long(bytes)])).toEqual(ok(undefined));
    const names = count === 0 ? ["put-snapshot"] : ["name-snapshot"];
    expect(typesMade()).toEqual([...Array<string>(count).fill("put-snapshot-piece"), ...names]);
    if (count > 0) expect(Buffer.compare(stored(), bytes)).toBe(0);
  });

  test("keeps the writes beside it in one commit, which others may overtake", async () => {
    const trim = { type: "trim-changes", blockId: blockId("1"), beforeVersion: 1, state: {} } as const;
    const slow = snapshots.commit([long(numbered(pieceBytes + 1)), trim]);
    await snapshots.commit([put("2", 1)]);
    await slow;
    expect(typesMade()).toEqual([
      "put-change",
      "put-snapshot-piece",
      "put-snapshot-piece",
      "name-snapshot",
      "trim-changes",
    ]);
  });

  test("has the bytes of the time when it was committed", async () => {
    const bytes = numbered(pieceBytes + 1);
    const expected = bytes.slice();
    const committed = snapshots.commit([long(bytes)]);
    bytes.fill(0);
    await committed;
    expect(Buffer.compare(stored(), expected)).toBe(0);
  });

  test("waits for the one before it, whose pieces are deleted one by one", async () => {
    const both = [long(numbered(pieceBytes + 1)), long(numbered(2 * pieceBytes + 1), 2)].map((write) =>
      snapshots.commit([write]),
    );
    expect(await Promise.all(both)).toEqual([ok(undefined), ok(undefined)]);
    await snapshots.pending;
    const [piece, name, deletion] = ["put-snapshot-piece", "name-snapshot", "delete-snapshot-piece"];
    expect(typesMade()).toEqual([piece, piece, name, piece, piece, piece, name, deletion, deletion]);
    expect([pieces.size, snapshots.pending]).toEqual([3, null]);
  });

  test("that is refused in a piece names the write of the caller, and leaves no piece", async () => {
    answer = (write) => (write.type === "put-snapshot-piece" && write.key.n === 1 ? full : null);
    const writes = [put("2", 1), long(numbered(2 * pieceBytes))];
    expect(await snapshots.commit(writes)).toEqual(err({ ...full, index: 1 }));
    await snapshots.pending;
    expect([pieces.size, typesMade().includes("put-change")]).toEqual([0, false]);
  });

  test("that fails throws, and the next one is written", async () => {
    answer = (write) => (write.type === "name-snapshot" ? new Error("lost") : null);
    await expect(snapshots.commit([long(numbered(2 * pieceBytes))])).rejects.toThrow("lost");
    answer = () => null;
    expect(await snapshots.commit([long(numbered(2 * pieceBytes))])).toEqual(ok(undefined));
    await snapshots.pending;
    expect(pieces.size).toBe(2);
  });
});
