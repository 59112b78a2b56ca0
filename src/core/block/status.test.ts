import { describe, expect, test } from "vitest";
import { moveStatus, statusOnWrite } from "./status.ts";
import { blockKinds } from "./kinds.ts";
import { blockStatuses, type BlockStatus } from "./types.ts";

const table: Record<BlockStatus, Record<BlockStatus, boolean>> = {
  pending: { pending: true, running: true, done: true, error: true },
  running: { pending: false, running: true, done: true, error: true },
  done: { pending: false, running: true, done: true, error: false },
  error: { pending: false, running: true, done: false, error: true },
};

describe("block_status", () => {
  test.each(blockStatuses.flatMap((from) => blockStatuses.map((to) => [from, to] as const)))(
    "from %s to %s",
    (from, to) => {
      const moved = moveStatus(from, to);
      expect(moved.ok ? moved.value : moved.error.code).toBe(table[from][to] ? to : "STATUS_CONFLICT");
    },
  );
});

test("a refusal names the statuses that a block can have instead", () => {
  const refused = moveStatus("running", "pending");
  expect(refused).toMatchObject({
    error: {
      message: "A block that is running cannot become pending. It can become done or error.",
      details: { allowed: ["done", "error"] },
    },
  });
});

describe("a write", () => {
  test.each(blockKinds)("sets a new %s block to running", (kind) => {
    expect(statusOnWrite({ kind, status: "pending" })).toEqual({ ok: true, value: "running" });
    expect(statusOnWrite({ kind, status: "running" })).toEqual({ ok: true, value: "running" });
  });

  test("B-16 is refused by a block that is done, but not by a file", () => {
    for (const status of ["done", "error"] as const) {
      expect(statusOnWrite({ kind: "text", status })).toMatchObject({
        error: { code: "STATUS_CONFLICT", details: { status } },
      });
      expect(statusOnWrite({ kind: "file", status })).toEqual({ ok: true, value: status });
    }
  });
});
