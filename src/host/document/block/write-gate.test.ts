import { describe, expect, test } from "vitest";
import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Author } from "../record/types.ts";
import type { OpenBlock } from "./open-block.ts";
import { isReviewed, WriteGate, type Manner } from "./write-gate.ts";

const person = { actor: { type: "person", id: "ada", name: "Ada" } } as unknown as Author;
const model = { actor: { type: "model", id: "model", name: "Bee" } } as unknown as Author;
const canvas: Partial<BlockHeader> = { kind: "file", metadata: {}, status: "done" };
const live: Partial<BlockHeader> = { kind: "text", status: "running", metadata: { run_id: "r", turn_id: "t" } };
const stored = { ...live.metadata, message: { node_id: "node", block: 0 } };

function block(header: Partial<BlockHeader>): OpenBlock {
  const id = "block" as BlockId;
  return { id, header: { id, policy: "free", ...header } } as unknown as OpenBlock;
}

function gate(isHeld = false): WriteGate {
  return new WriteGate({ isHeld: () => isHeld, takeControl: async () => {} });
}

describe("who may write to a block", () => {
  test.each<
    readonly [what: string, author: Author, header: Partial<BlockHeader>, isHeld: boolean, code: string | undefined]
  >([
    ["a person writes to a canvas", person, canvas, false, undefined],
    ["a person waits while an agent holds the lease", person, { ...canvas, policy: "lease" }, true, "CANVAS_LEASED"],
    ["a person writes where nobody holds the lease", person, { ...canvas, policy: "lease" }, false, undefined],
    ["a lease binds people only under its policy", person, { ...canvas, policy: "suggest" }, true, undefined],
    ["the holder itself writes", model, { ...canvas, policy: "lease" }, true, undefined],
    ["a model's edits are reviewed under Suggest", model, { ...canvas, policy: "suggest" }, false, "REVIEW_NEEDED"],
    ["a deleted block is gone", person, { ...canvas, deletedAt: 5 }, false, "BLOCK_NOT_FOUND"],
    ["a person edits words while they stream", person, live, false, undefined],
    ["a model does not edit another's words", model, live, false, "NOT_YOURS"],
    ["nobody edits thinking", person, { ...live, kind: "thinking" }, false, "NOT_EDITABLE"],
    ["words that became a message are edited there", person, { ...live, status: "done" }, false, "BLOCK_IS_MESSAGE"],
    ["a broken attempt is closed", person, { ...live, status: "error" }, false, "BLOCK_IS_MESSAGE"],
    ["a file is no live block, whatever its metadata says", model, { ...live, kind: "file" }, false, undefined],
  ])("%s", (_what, author, header, isHeld, code) => {
    expect(gate(isHeld).whyRefused(author, block(header))?.code).toBe(code);
  });

  test.each<readonly [manner: Manner, code: string]>([
    ["typed", "MESSAGE_STORED"],
    ["asked", "BLOCK_IS_MESSAGE"],
  ])("what is %s into a sealed block is refused with the message that it became", (manner, code) => {
    const writes = gate();
    const sealed = block({ ...live, metadata: stored });
    writes.seal(sealed.id);
    expect(writes.whyRefused(person, sealed, manner)).toMatchObject({
      code,
      details: { block_id: "block", node_id: "node" },
    });
    writes.closed(sealed.id);
    expect(writes.whyRefused(person, sealed, manner)).toBeNull();
    writes.seal(sealed.id);
    expect(writes.whyRefused(person, block(live), manner)?.details).toEqual({ block_id: "block" });
  });

  test("only a model's edits under Suggest are reviewed", () => {
    const suggest = { policy: "suggest" } as BlockHeader;
    expect([
      isReviewed(model, suggest),
      isReviewed(person, suggest),
      isReviewed(model, { policy: "lease" } as BlockHeader),
    ]).toEqual([true, false, false]);
  });
});
