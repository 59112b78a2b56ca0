import { expect, test } from "vitest";
import type { BlockId, RootId, ToolCallId } from "../../../core/base/ids.ts";
import type { ToolMessage } from "../../../core/message/types.ts";
import { LiveResult, progressUnitsMax } from "./live-result.ts";
import type { LiveBlocks, LiveBlockSeed } from "../base/ports.ts";

const seed = { rootId: "r" as RootId, kind: "tool_result", role: "tool", metadata: {} } as unknown as LiveBlockSeed;
const blockId: BlockId = "b" as BlockId;
const result: ToolMessage = {
  role: "tool",
  tool_call_id: "c" as ToolCallId,
  tool_name: "bash",
  outcome: "ok",
  content: [{ type: "text", text: "{}" }],
};

/** A result whose block opens when `resolve` is called; `shown` holds the appended text. */
function open(fails = false) {
  const opening = Promise.withResolvers<BlockId>();
  const shown: string[] = [];
  const lost: unknown[] = [];
  const blocks: LiveBlocks = {
    open: () => opening.promise,
    append(_id, text) {
      if (fails) throw new Error("The block is gone.");
      shown.push(text);
    },
    remove: () => Promise.reject(new Error("nothing is removed")),
    seal: () => Promise.reject(new Error("nothing is sealed")),
    finish: async () => {},
    unfinished: async () => [],
  };
  const live = new LiveResult(seed, { blocks, onBlock: () => {}, onLost: (problem) => lost.push(problem) });
  return { live, shown, lost, resolve: () => opening.resolve(blockId), fail: opening.reject };
}

test("a tool's output is shown in order, also before its block is open, and its result is not shown again", async () => {
  const { live, shown, resolve } = open();
  live.progress("one\n");
  live.progress("two\n");
  resolve();
  await Promise.resolve();
  const finished = live.finish(result);
  live.progress("three\n");
  await finished;
  expect(shown.join("")).toBe("one\ntwo\nthree\n");
});

test("the result of a tool without output is shown", async () => {
  const { live, shown, resolve } = open();
  resolve();
  live.progress("");
  await live.finish(result);
  expect(shown).toEqual(["{}"]);
});

test("endless output is cut off once, with a remark", async () => {
  const { live, shown, resolve } = open();
  resolve();
  await Promise.resolve();
  for (let sent = 0; sent < 3 * progressUnitsMax; sent += 70_000) live.progress("x".repeat(70_000));
  await live.finish(result);
  const all = shown.join("");
  expect(all.length).toBeLessThan(progressUnitsMax + 200);
  expect(all.match(/More output/g)).toHaveLength(1);
});

test("a block that cannot be opened or written only costs the display", async () => {
  const unopened = open();
  unopened.live.progress("one");
  unopened.fail(new Error("The disk is full."));
  await unopened.live.finish(result);
  expect(unopened.lost).toHaveLength(1);
  const broken = open(true);
  broken.resolve();
  await broken.live.finish(result);
  expect(broken.lost).toHaveLength(1);
});
