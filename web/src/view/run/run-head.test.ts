import { expect, test } from "vitest";
import { runIn } from "../../../../src/client/watch/conversation.test-support.ts";
import type { LiveBlock } from "../../../../src/client/base/types.ts";
import type { BlockId, DocumentId } from "../../../../src/core/base/ids.ts";
import type { BlockKind } from "../../../../src/core/block/kinds.ts";
import type { TurnState } from "../../../../src/core/turn/state/state.ts";
import { runHead, runHeads } from "./run-head.ts";

const requesting: TurnState = {
  type: "requesting",
  attempt: 1,
  retryAt: null,
  lastFailure: null,
  progress: { rounds: 0, asking: "reply" },
};

function block(id: string, kind: BlockKind, text: string): LiveBlock {
  return {
    header: {
      id: id as BlockId,
      documentId: "root_1" as DocumentId,
      parentId: null,
      role: "assistant",
      kind,
      status: "running",
      version: text.length,
      metadata: {},
      collapsed: false,
      excluded: false,
      createdAt: 0,
      updatedAt: 0,
    },
    text,
  };
}

const writing = (...liveBlocks: readonly LiveBlock[]) => runIn(requesting, { liveBlocks });

test("a head is the same object while only the text of a run grows", () => {
  const before = runHead(writing(block("b1", "text", "Hel")));
  expect(runHead(writing(block("b1", "text", "Hello")), before)).toBe(before);
});

test.each([
  ["another block begins", writing(block("b1", "text", "Hello"), block("b2", "text", ""))],
  ["the block turns out to be of another kind", writing(block("b1", "thinking", "Hel"))],
  ["the run rests", runIn({ type: "idle" }, {})],
])("a head changes when %s", (_name, after) => {
  const before = runHead(writing(block("b1", "text", "Hel")));
  expect(runHead(after, before)).not.toBe(before);
  expect(runHead(after, before)).toEqual(runHead(after));
});

test("a head names the block that is being written last", () => {
  expect(runHead(writing(block("b1", "thinking", "x"), block("b2", "text", ""))).writing).toEqual({
    id: "b2",
    kind: "text",
  });
  expect(runHead(writing()).writing).toBeNull();
});

test("the list of heads is the same while no head changes", () => {
  const before = runHeads([writing(block("b1", "text", "Hel"))], []);
  expect(runHeads([writing(block("b1", "text", "Hello"))], before)).toBe(before);
  expect(runHeads([], before)).toEqual([]);
});
