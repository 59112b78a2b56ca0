import { expect, test } from "vitest";
import type { Actor } from "../../base/actor.ts";
import { must } from "../../base/assert.ts";
import type { ActorId, BlockId, ThreadId } from "../../base/ids.ts";
import type { Comment, Thread } from "./thread.ts";
import { replied, withdrawn } from "./thread-steps.ts";

const ada: Actor = { type: "person", id: "ada" as ActorId, name: "Ada" };
const step = { by: ada, at: 5 };

function threadOf(count: number): Thread {
  const [first, ...rest] = Array.from({ length: count }, (_, at): Comment => ({
    seq: at + 1,
    actor: ada,
    text: "a",
    at,
  }));
  const comments: Thread["comments"] = [must(first, "a comment"), ...rest];
  const id = "thread" as ThreadId;
  return {
    id,
    blockId: "d/1/1" as BlockId,
    version: 1,
    state: "open",
    anchor: null,
    comments,
    events: [],
    createdAt: 0,
  };
}

test("a thread takes 500 comments and no more", () => {
  const full = replied(threadOf(499), step, "the last");
  expect(full.ok && full.value.comments.length).toBe(500);
  expect(full.ok && replied(full.value, step, "more")).toMatchObject({ ok: false, error: { code: "COMMENTS_FULL" } });
});

test("the newest comment that is withdrawn goes, and one that was answered leaves a placeholder", () => {
  const numbers = (seq: number): unknown => {
    const after = withdrawn(threadOf(3), step, seq);
    return after.ok && after.value.comments.map((comment) => [comment.seq, comment.deletedAt]);
  };
  expect(numbers(3)).toEqual([
    [1, undefined],
    [2, undefined],
  ]);
  expect(numbers(2)).toEqual([
    [1, undefined],
    [2, 5],
    [3, undefined],
  ]);
});
