import { describe, expect, test, vi } from "vitest";
import type { Result } from "../../../core/base/result.ts";
import { createDocument } from "../../../core/text/document.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import { hubLimits } from "../record/limits.ts";
import { nextCompactionByLength } from "../record/retention.ts";
import type { Writer } from "../record/writer.ts";
import { OpenBlock, type TextMutation } from "./open-block.ts";

const [ada, bob] = [1, 2] as unknown as readonly [ReplicaId, ReplicaId];
const writer = { actor: { name: "Ada" }, replica: ada, serverReplica: ada, unit: { id: "unit" } } as unknown as Writer;

function blockOf(text = "", header: Partial<BlockHeader> = {}): OpenBlock {
  const block = new OpenBlock(
    { id: "block", documentId: "doc", version: 0, status: "done", metadata: {}, ...header } as unknown as BlockHeader,
    createDocument(),
  );
  if (text !== "") write(block, 0, 0, text);
  return block;
}

/** Edits the block and notes the change, as its queue does. */
function write(block: OpenBlock, from: number, to: number, insert: string): TextMutation {
  const edited = valueOf(block.edit(writer, [{ from, to, insert }]));
  if (edited.body !== null) block.note(writer, edited.body, 5);
  return edited;
}
function valueOf<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

describe("a text that only grew at its end is told as appended", () => {
  test.each<readonly [what: string, from: number, to: number, insert: string, appended: string | undefined]>([
    ["by words at the end", 5, 5, " there", " there"],
    ["by an end that is replaced by itself and more", 4, 5, "o there", " there"],
    ["but not by words in the midst", 2, 2, "y", undefined],
    ["nor by an end that changed", 4, 5, "y there", undefined],
    ["nor by a shorter end", 3, 5, "l", undefined],
    ["nor by an end of the same length", 4, 5, "a", undefined],
  ])("%s", (_what, from, to, insert, appended) => {
    expect(write(blockOf("Hello"), from, to, insert).body?.appended).toBe(appended);
  });

  test("and words in the midst are told apart without reading the text, however long it is", () => {
    const block = blockOf("Hello");
    const read = [vi.spyOn(block.document, "text"), vi.spyOn(block.document, "textAt")];
    write(block, 2, 2, "y");
    expect(read.map(({ mock }) => mock.calls)).toEqual([[], []]);
  });

  test("and an edit that changes nothing leaves no change", () => {
    expect(write(blockOf("Hello"), 2, 2, "")).toEqual({ body: null, delta: [] });
  });

  test("and the first words start a block that waited for them", () => {
    expect(write(blockOf("", { status: "pending" }), 0, 0, "Hi").body?.starts).toBe(true);
    expect(write(blockOf(), 0, 0, "Hi").body).not.toHaveProperty("starts");
  });
});

describe("the greatest length of a text", () => {
  const most = "x".repeat(hubLimits.textUnitsMax - 1);
  test("can be reached, and not exceeded; a text of that length can shrink", () => {
    const block = blockOf(most);
    expect(write(block, 0, 0, "y").body).not.toBeNull();
    expect(block.edit(writer, [{ from: 0, to: 0, insert: "z" }])).toMatchObject({
      error: { code: "BLOCK_TOO_LARGE", details: { actual: hubLimits.textUnitsMax + 1, max: hubLimits.textUnitsMax } },
    });
    expect(block.edit(writer, [{ from: 0, to: 2, insert: "z" }]).ok).toBe(true);
    expect(block.edit(writer, [{ from: 0, to: 1, insert: "yz" }]).ok).toBe(true);
  });
});

describe("what a person types", () => {
  test("is one unit until a pause, of the person alone", () => {
    const block = blockOf();
    const first = block.typingUnit(ada, 0);
    expect(first).toBe("typing/1/1");
    write(block, 0, 0, "a");
    expect(block.typingUnit(bob, 10)).toBe("typing/2/2");
    expect(block.typingUnit(ada, hubLimits.typingPauseMs - 1)).toBe(first);
    expect(block.typingUnit(ada, 2 * hubLimits.typingPauseMs - 2)).toBe(first);
    expect(block.typingUnit(ada, 3 * hubLimits.typingPauseMs - 2)).toBe("typing/1/2");
  });

  test("is a new unit after the unit was ended, or is full", () => {
    const block = blockOf();
    const first = block.typingUnit(ada, 0);
    write(block, 0, 0, "a");
    block.endTyping(ada);
    const second = block.typingUnit(ada, 1);
    expect(second).not.toBe(first);
    write(block, 0, 0, "a");
    for (let count = 2; count <= hubLimits.typingChangesMax; count += 1) expect(block.typingUnit(ada, 1)).toBe(second);
    expect(block.typingUnit(ada, 1)).toBe("typing/1/3");
  });
});

describe("snapshots", () => {
  test("are the same object until a change", () => {
    const block = blockOf("Hello");
    const first = block.snapshot();
    expect(block.snapshot()).toBe(first);
    write(block, 0, 0, "Oh. ");
    const second = block.snapshot();
    expect(second.textHash).not.toBe(first.textHash);
    expect(block.copy().document.text()).toBe("Oh. Hello");
  });

  test("are due after so many changes, and then after as many more", () => {
    const block = blockOf();
    for (let count = 0; count < 3; count += 1) write(block, 0, 0, "a");
    expect([block.isSnapshotDue(4), block.isSnapshotDue(3)]).toEqual([false, true]);
    block.encodeSnapshot();
    expect(block.isSnapshotDue(1)).toBe(false);
    write(block, 0, 0, "a");
    expect(block.isSnapshotDue(1)).toBe(true);
  });

  test("of a short text are due after few changes, of a longer one after as many as took a quarter as much of the disk", () => {
    expect(blockOf().snapshotChanges).toBe(hubLimits.snapshotChangesMin);
    const longer = blockOf("x".repeat(hubLimits.changeRowBytes * 2_000));
    expect(longer.snapshotChanges).toBeGreaterThan(500);
    expect(longer.snapshotChanges).toBeLessThan(550);
    longer.encodeSnapshot();
    expect(longer.snapshotChanges).toBeGreaterThan(500);
    expect(blockOf("x".repeat(hubLimits.snapshotBytes * 3)).snapshotChanges).toBe(hubLimits.snapshotChangesMax);
  });

  test("are due after so many bytes", () => {
    const block = blockOf("x".repeat(hubLimits.snapshotBytes / 2));
    expect(block.isSnapshotDue(100)).toBe(false);
    write(block, 0, 0, "y".repeat(hubLimits.snapshotBytes / 2));
    expect(block.isSnapshotDue(100)).toBe(true);
    block.encodeSnapshot();
    expect(block.isSnapshotDue(100)).toBe(false);
  });

  test("of a long log are due after as many bytes as the last one had", () => {
    const block = blockOf("x".repeat(hubLimits.snapshotBytes * 3));
    expect(block.isSnapshotDue(100)).toBe(true);
    block.encodeSnapshot();
    write(block, 0, 0, "y".repeat(hubLimits.snapshotBytes * 2));
    expect(block.isSnapshotDue(100)).toBe(false);
    write(block, 0, 0, "z".repeat(hubLimits.snapshotBytes * 5));
    expect(block.isSnapshotDue(100)).toBe(true);
  });
});

describe("versions", () => {
  test("each change is the next one, with the text as it was then", () => {
    const block = blockOf("Hello");
    const at = block.textVersionAt(1);
    write(block, 5, 5, " there");
    expect([block.header.version, block.textVersionAt(1), block.textVersionAt(3)]).toEqual([2, at, undefined]);
    expect(valueOf(block.document.textAt(at ?? []))).toBe("Hello");
  });

  test("a request's id is stored with its change", () => {
    const block = blockOf("Hello");
    const edited = valueOf(block.edit(writer, [{ from: 0, to: 0, insert: "x" }]));
    const noted = block.note(writer, edited.body as never, 9, "request" as never);
    expect(noted).toMatchObject({ blockId: "block", documentId: "doc", version: 2, at: 9, requestId: "request" });
    expect(block.note(writer, { type: "status", status: "done" }, 9)).not.toHaveProperty("requestId");
  });

  test("an exact revert cancels the operations of an edit and nothing else", () => {
    const block = blockOf("Hello");
    const edited = write(block, 5, 5, " there");
    write(block, 0, 0, "Oh. ");
    expect(valueOf(block.cancel(writer, edited.body?.spans ?? [])).body).not.toBeNull();
    expect(block.document.text()).toBe("Oh. Hello");
  });

  test("an update with another's operations is refused", () => {
    const theirs = blockOf();
    const { body } = write(theirs, 0, 0, "Hi");
    const update = body?.update ?? new Uint8Array();
    expect(blockOf().merge({ ...writer, replica: bob }, update)).toMatchObject({ ok: false });
    const mine = blockOf();
    expect(valueOf(mine.merge(writer, update)).body?.appended).toBe("Hi");
    expect(mine.merge(writer, new Uint8Array(hubLimits.updateBytesMax + 1))).toMatchObject({ ok: false });
  });
});

describe("compaction", () => {
  const retention = { changesMin: 4, changesMax: 20, bytesMax: 1e9, stepChanges: 2, ageMs: 100 } as never;
  test("is due by the log's length at first, and later as it was put off", () => {
    const block = blockOf();
    const { unlessVersion } = nextCompactionByLength(1, retention);
    for (let version = 1; version < unlessVersion; version += 1) write(block, 0, 0, "a");
    expect(block.isCompactionDue(1_000, retention)).toBe(false);
    write(block, 0, 0, "a");
    expect(block.isCompactionDue(1_000, retention)).toBe(true);
    block.compactLater({ notBefore: 2_000, unlessVersion: unlessVersion + 1 });
    expect([1_999, 2_000].map((now) => block.isCompactionDue(now, retention))).toEqual([false, true]);
    write(block, 0, 0, "a");
    expect(block.isCompactionDue(0, retention)).toBe(true);
  });

  test("forgets the versions before the log's start, and keeps the text", () => {
    const block = blockOf("Hello");
    write(block, 5, 5, " there");
    write(block, 0, 0, "Oh. ");
    const before = block.snapshot();
    const textVersion = block.textVersionAt(2) ?? [];
    block.compact(
      { from: { beforeVersion: 3, textVersion, undo: {} as never }, spans: [], version: 3, forgotten: () => true },
      retention,
    );
    expect([block.textVersionAt(1), block.textVersionAt(2)]).toEqual([undefined, textVersion]);
    expect(block.document.text()).toBe("Oh. Hello there");
    expect(block.snapshot()).not.toBe(before);
    expect(block.snapshot().textHash).toBe(before.textHash);
    expect(block.isCompactionDue(0, retention)).toBe(false);
  });
});
