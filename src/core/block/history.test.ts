import { expect, test } from "vitest";
import type { ActorId, BlockId, DocumentId } from "../base/ids.ts";
import { editsOf } from "./history.ts";
import type { BlockChange, BlockChangeBody } from "./types.ts";

function typed(unit: string, more: { undoes?: readonly string[] } = {}): BlockChangeBody {
  return { type: "text", update: new Uint8Array(), spans: [], unit: { id: unit }, ...more };
}

function log(...made: readonly (readonly [who: string, what: BlockChangeBody])[]): readonly BlockChange[] {
  return made.map(([who, body], index) => ({
    blockId: "doc/1/0" as BlockId,
    documentId: "doc" as DocumentId,
    version: index + 1,
    actor: { type: "person", id: who as ActorId, name: who },
    at: index,
    body,
  }));
}

test("consecutive changes of one undo unit are one edit; every other change is its own edit", () => {
  const edits = editsOf(
    log(
      ["ada", { type: "status", status: "running" }],
      ["ada", typed("1")],
      ["ada", typed("1")],
      ["bob", typed("2")],
      ["ada", typed("1")],
      ["ada", typed("3", { undoes: ["1"] })],
      ["ada", typed("3", { undoes: ["0"] })],
      ["ada", typed("3")],
    ),
  );
  expect(edits.map((edit) => edit.map(({ version }) => version))).toEqual([[1], [2, 3], [4], [5], [6], [7], [8]]);
});
