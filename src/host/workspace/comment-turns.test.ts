import { afterEach, beforeEach, expect, test } from "vitest";
import { accept } from "../../core/base/result.test-support.ts";
import { textOf } from "../../core/message/content.ts";
import { replied } from "../../core/block/comment/thread-steps.ts";
import type { Thread } from "../../core/block/comment/thread.ts";
import { ada, Studio } from "../canvas/canvas.test-support.ts";

let studio: Studio;

beforeEach(async () => {
  studio = await Studio.open("# Plan\nThe brown fox.\n");
});
afterEach(() => studio.close());

/** Comments on the fox as a person does, mentions included. */
async function comment(text: string): Promise<Thread> {
  const { hub, commentTurns } = studio.workspace;
  const at = { type: "named", named: { quote: "brown fox" } } as const;
  const thread = accept(await hub.comments.add(ada, { blockId: studio.canvasId, at, text }));
  return accept(await commentTurns.mentioned(ada, thread));
}

async function stored(id: Thread["id"]): Promise<Thread> {
  const found = await studio.workspace.store.thread(id);
  if (found === null) throw new Error("the thread is stored");
  return found;
}

async function answered(id: Thread["id"], count: number): Promise<readonly string[]> {
  for (let turn = 0; turn < 500; turn += 1) {
    const { comments } = await stored(id);
    if (comments.length >= count) return comments.map(({ actor, text }) => `${actor.type}: ${text}`);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  throw new Error("nobody answered");
}

test("K-20 a person who mentions an agent is answered in the thread, by a turn that knows the words", async () => {
  studio.mind = () => ({ say: "It is a fox." });
  const made = await comment("@agent what is this?");
  expect(await answered(made.id, 2)).toEqual(["person: @agent what is this?", "model: It is a fox."]);
  const asked = studio.requests.at(-1)?.messages.findLast(({ role }) => role === "user");
  const question = asked === undefined ? "" : textOf(asked);
  expect(question).toContain("lines 2-2 of “Plan”");
  expect(question).toContain('on the words "brown fox"');
  expect(question).toContain("@agent what is this?");
  const { conversationId } = await stored(made.id);
  const root = conversationId === undefined ? null : await studio.workspace.store.root(conversationId);
  expect(root).toMatchObject({ title: "Comment: brown fox", canvasId: studio.canvasId, archived: true });
});

test("K-20 a second mention goes on in the thread's conversation", async () => {
  let turn = 0;
  studio.mind = () => ({ say: `Answer ${(turn += 1)}.` });
  const made = await comment("@agent one?");
  await answered(made.id, 2);
  const { hub, commentTurns } = studio.workspace;
  const next = accept(await hub.comments.change(made.id, (known) => replied(known, { by: ada, at: 1 }, "@agent two?")));
  accept(await commentTurns.mentioned(ada, next));
  expect((await answered(made.id, 4)).at(-1)).toBe("model: Answer 2.");
  expect((await stored(made.id)).conversationId).toBe(next.conversationId);
});

test("K-20 words without a mention, and an address, begin no turn", async () => {
  const plain = await comment("What is this?");
  const address = await comment("Write to ada@agent.example.");
  expect(plain.conversationId).toBeUndefined();
  expect(address.conversationId).toBeUndefined();
  expect(studio.requests).toEqual([]);
});

test("an answer that a stop of the server left open is posted after the next start", async () => {
  studio.mind = () => ({ say: "Later." });
  const made = await comment("@agent slowly?");
  await studio.crash();
  expect(await answered(made.id, 2)).toEqual(["person: @agent slowly?", "model: Later."]);
});
