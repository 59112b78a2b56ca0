import { expect, test } from "vitest";
import type { HunkId } from "../../../core/base/ids.ts";
import { codeOf } from "../../../core/base/result.test-support.ts";
import { ok } from "../../../core/base/result.ts";
import { hubLimits } from "../record/limits.ts";
import { keepPlaced } from "./keep-placed.ts";

type Given = Parameters<typeof keepPlaced>;

test("hunks may be kept until a document is as long as any may be, and a shorter text always", () => {
  const keep = (length: number, newText: string): string => {
    const hunk = { id: "hunk" as HunkId, startLine: 0, oldText: "four", newText };
    const block = { document: { length }, edit: () => ok({ body: null }) } as unknown as Given[0];
    const suggestion = { hunks: [hunk] } as unknown as Given[2][number];
    const placed = [{ hunk, from: 0, to: hunk.oldText.length }] as unknown as Given[3];
    return codeOf(keepPlaced(block, {} as Given[1], [suggestion], placed));
  };
  const most = hubLimits.textUnitsMax;
  expect(keep(most - 2, "six is")).toBe("ok");
  expect(keep(most - 1, "six is")).toBe("BLOCK_TOO_LARGE");
  expect(keep(most + 10, "two")).toBe("ok");
});
