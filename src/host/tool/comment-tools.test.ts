import { expect, test } from "vitest";
import { accept } from "../../core/base/result.test-support.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { familiesInUse } from "../../core/tool/families-in-use.ts";
import type { Message } from "../../core/message/types.ts";
import { authorOf, createBlock, person } from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

const text = "# Plan\nThe fox and the dog.\nthe end\n";

async function openCanvas(): Promise<[ToolWorld, BlockId]> {
  const world = await openToolWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text, policy: "live" });
  return [world, id];
}

async function asked(world: ToolWorld, blockId: BlockId, quote: string, words = "Why?"): Promise<string> {
  const at = { type: "named", named: { quote } } as const;
  return accept(await world.hub.comments.add(person("ann"), { blockId, at, text: words })).id;
}

test("K-21 a canvas with comments says how many at the check-out, and a list shows a line for each", async () => {
  const [world, id] = await openCanvas();
  const agent = new TestAgent(world, id);
  expect((await agent.call("canvas_check_out")).content).not.toHaveProperty("open_comments");
  const fox = await asked(world, id, "fox");
  const dog = await asked(world, id, "dog", "Which\ndog?");
  expect((await agent.call("canvas_check_out")).content).toMatchObject({ open_comments: 2 });
  await agent.call("comment_reply", { comment_id: fox, text: "A red one." });
  const listed = await agent.call("comment_list", {});
  expect(listed.content).toEqual({
    canvas_id: id,
    count: 2,
    comments: `${fox} L2 open "fox" | ann: Why? | scribe: A red one.\n${dog} L2 open "dog" | ann: Which dog?`,
  });
  expect((await agent.call("comment_list", { lines: "1" })).content).toMatchObject({ count: 0 });
});

test("K-21 a long list of comments is a page of about 2,000 tokens, and names where to go on", async () => {
  const [world, id] = await openCanvas();
  for (let one = 0; one < 60; one += 1) await asked(world, id, "fox", "word ".repeat(60));
  const agent = new TestAgent(world, id);
  const shown: string[] = [];
  let after: unknown;
  do {
    const { content } = await agent.call("comment_list", typeof after === "string" ? { after } : {});
    const lines = textIn(content["comments"]);
    expect(lines.length).toBeLessThan(7_100);
    shown.push(...lines.split("\n"));
    after = content["after"];
  } while (after !== undefined);
  expect(new Set(shown).size).toBe(60);
});

function textIn(value: unknown): string {
  if (typeof value !== "string") throw new Error("a text was expected");
  return value;
}

test("K-16 a model comments on the lines that it was shown, after others wrote above", async () => {
  const [world, id] = await openCanvas();
  const agent = new TestAgent(world, id);
  await agent.call("canvas_check_out");
  const author = await authorOf(world, person("ann"));
  accept(await world.hub.editor.edit(author, id, { changes: [{ from: 0, to: 0, insert: "a\nb\n" }] }));
  const made = await agent.call("comment_add", { lines: "2", quote: "the", text: "Which?" });
  const line = `${textIn(made.content["comment_id"])} L4 open "the" | scribe: Which?`;
  expect((await agent.call("comment_list")).content["comments"]).toBe(line);
});

test("K-14 K-15 words that are not there, or twice, are refused with what is there, and no comment is made", async () => {
  const [world, id] = await openCanvas();
  const agent = new TestAgent(world, id);
  expect(await agent.call("comment_add", { quote: "the", text: "?" })).toMatchObject({ code: "QUOTE_AMBIGUOUS" });
  expect(await agent.call("comment_add", { quote: "The Fox", text: "?" })).toMatchObject({ code: "QUOTE_NOT_FOUND" });
  expect(await world.store.threads(id)).toEqual([]);
});

test("K-18 a model resolves what it began and leaves a person's thread alone", async () => {
  const [world, id] = await openCanvas();
  const agent = new TestAgent(world, id);
  const theirs = await asked(world, id, "fox");
  expect(await agent.call("comment_resolve", { comment_id: theirs })).toMatchObject({ code: "COMMENT_NOT_YOURS" });
  expect(await agent.call("comment_resolve", { comment_id: theirs, text: "Done." })).toMatchObject({ ok: false });
  const own = await agent.call("comment_add", { quote: "dog", text: "Mine." });
  const commentId = own.content["comment_id"] as string;
  const resolved = await agent.call("comment_resolve", { comment_id: commentId, text: "Done." });
  expect(resolved.content).toEqual({ comment_id: commentId, state: "resolved", comments: 2 });
  expect((await agent.call("comment_list", { state: "resolved" })).content).toMatchObject({ count: 1 });
});

test("K-25 of the threads of a turn those that nobody answered are told from the others", async () => {
  const [world, id] = await openCanvas();
  const agent = new TestAgent(world, id);
  const first = await agent.call("comment_add", { quote: "dog", text: "One." });
  const second = await agent.call("comment_add", { quote: "fox", text: "Two." });
  const answered = second.content["comment_id"] as string;
  const other = new TestAgent(world, id, "other");
  await other.call("comment_reply", { comment_id: answered, text: "Yes." });
  const found = await world.hub.comments.ofTurn(agent.turnId);
  expect(found.alone.map((thread) => thread.id)).toEqual([first.content["comment_id"]]);
  expect(found.answered.map((thread) => thread.id)).toEqual([answered]);
});

test.each<[string, Message, boolean]>([
  ["a plain question", { role: "user", content: [{ type: "text", text: "Tighten the intro." }] }, false],
  ["the word", { role: "user", content: [{ type: "text", text: "Answer my comments." }] }, true],
  ["the id of one", { role: "user", content: [{ type: "text", text: "See c4k9x2az." }] }, true],
])("comment tools are offered after %s: %s", (_name, message, expected) => {
  expect(familiesInUse([message]).has("comments")).toBe(expected);
});
