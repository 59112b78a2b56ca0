import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { textOf } from "../../core/message/content.ts";
import { accepted, ada, inOrder, Studio } from "./canvas.test-support.ts";

let studio: Studio;

beforeEach(async () => {
  studio = await Studio.open();
});

afterEach(() => studio.close());

/** Runs a block tool for a person. */
async function tool(name: string, parameters: JsonObject): Promise<JsonObject> {
  const answer = await studio.workspace.runBlockTool(ada, name, parameters);
  if (!answer.ok) return { code: answer.error.code };
  return answer.value as JsonObject;
}

async function list(parameters: JsonObject): Promise<readonly JsonObject[]> {
  return (await tool("block_list", parameters))["blocks"] as readonly JsonObject[];
}

/** What the model was answered by its last tool call. */
async function lastAnswer(): Promise<JsonObject> {
  const answer = (await studio.path()).findLast(({ message }) => message.role === "tool");
  return JSON.parse(answer === undefined ? "{}" : textOf(answer.message)) as JsonObject;
}

describe("14.4 messages are blocks for the tools", () => {
  test("14.4 what a person and a model said is listed along the path, each with its parent", async () => {
    studio.mind = inOrder({ say: "The loom is blue." }, { say: "Indeed." });
    await studio.ask("What colour is the loom?");
    await studio.ask("Really?");
    const blocks = await list({ conversation_id: studio.rootId, kind: "text" });
    expect(blocks.map(({ role, summary }) => [role, summary])).toEqual([
      ["user", "What colour is the loom?"],
      ["assistant", "The loom is blue."],
      ["user", "Really?"],
      ["assistant", "Indeed."],
    ]);
    expect(blocks.map(({ parent_id: parent }) => parent)).toEqual([
      undefined,
      ...blocks.slice(0, -1).map(({ block_id: id }) => id),
    ]);
    expect(blocks[0]?.["block_id"]).toMatch(new RegExp(`^${studio.rootId}/node_[^/]+/0$`));
  });

  test("14.4 a message is read and searched by its id, and cannot be changed as a block", async () => {
    await studio.ask("one\nneedle\nthree");
    const [said] = await list({ conversation_id: studio.rootId, kind: "text" });
    const id = said?.["block_id"] as string;
    expect(await tool("block_read", { block_id: id })).toMatchObject({
      content: "0→one\n1→needle\n2→three",
      role: "user",
      kind: "text",
      status: "done",
      final_newline: false,
    });
    expect(await tool("block_search", { block_id: id, query: "needle" })).toMatchObject({ matches: [{ line: 1 }] });
    for (const [name, parameters] of [
      ["block_append", { text: "x" }],
      ["block_edit", { operations: [{ op: "insert", line: 0, content: "x" }] }],
      ["block_splice", { offset: 0, delete_count: 0, insert: "x" }],
      ["block_apply_patch", { patch: "@@\n-one\n+two\n" }],
      ["block_status", { status: "running" }],
      ["block_update", { collapsed: true }],
      ["block_delete", {}],
      ["block_undo", {}],
    ] as const) {
      expect(await tool(name, { block_id: id, ...parameters }), name).toEqual({
        code: "BLOCK_IS_MESSAGE",
      });
    }
    expect(await tool("block_read", { block_id: `${studio.rootId}/node_none/0` })).toEqual({ code: "BLOCK_NOT_FOUND" });
    expect(await tool("block_read", { block_id: id.replace(/0$/, "7") })).toEqual({ code: "BLOCK_NOT_FOUND" });
    expect(await list({ conversation_id: studio.rootId })).toBeDefined();
    expect(await tool("block_list", { conversation_id: "root_none" })).toEqual({ code: "ROOT_NOT_FOUND" });
  });

  test("14.4 branches are children of the message that they leave", async () => {
    await studio.ask("Question.");
    const [question] = await studio.nodes();
    await studio.ask("First way.");
    const reply = (await studio.nodes())[1];
    await studio.ask("Second way.", reply?.id ?? null);
    const children = await list({ parent_id: `${studio.rootId}/${reply?.id ?? ""}/0` });
    expect(children.map(({ summary }) => summary)).toEqual(["First way.", "Second way."]);
    const below = await list({ parent_id: `${studio.rootId}/${question?.id ?? ""}/0`, depth: 2 });
    expect(below.map(({ summary }) => summary)).toEqual(["Well.", "First way.", "Second way."]);
  });

  test("14.4 kernel_search with kinds text finds what a person said, in every conversation", async () => {
    await studio.ask("The password of the loom is heddle-4711.");
    const made = await studio.workspace.conversations.create({ title: "Other" });
    const first = studio.rootId;
    studio.rootId = made.ok ? made.value.id : first;
    studio.mind = inOrder(
      { call: "kernel_search", with: { query: "heddle-\\d+", kinds: ["text"] } },
      { say: "Found." },
    );
    await studio.ask("What did I say?");
    expect(await lastAnswer()).toMatchObject({ blocks: [{ matches: [{ line: 1, match_start: 28 }] }] });
    const { blocks } = await tool("kernel_search", { query: "heddle-4711", kinds: ["text"] });
    expect(blocks).toMatchObject([
      { block_id: expect.stringMatching(new RegExp(`^${first}/`)), matches: [{ line: 0 }] },
    ]);
    expect(await tool("kernel_search", { query: "heddle-4711" })).toMatchObject({ blocks: [] });
  });

  test("14.4 kernel_search sees an edited message as it is now", async () => {
    studio.mind = inOrder({ say: "first wording" });
    await studio.ask("Say it.");
    const search = async (query: string) => (await tool("kernel_search", { query, kinds: ["text"] }))["blocks"];
    expect(await search("first wording")).toHaveLength(1);
    const node = (await studio.nodes()).at(-1);
    const { conversations } = studio.workspace;
    const rewritten = await conversations.messages.rewrite(ada, {
      nodeId: node?.id ?? ("" as NodeId),
      content: [{ type: "text", text: "second wording" }],
    });
    expect(rewritten.ok).toBe(true);
    expect(await search("first wording")).toHaveLength(0);
    expect(await search("second wording")).toHaveLength(1);
  });

  test("14.8 a block, a file or a message that is left out is in no list and no search of an agent, which is told so; people see it", async () => {
    await studio.ask("The secret word is fern.");
    const [question] = await studio.nodes();
    const { messages } = studio.workspace.conversations;
    const nodeId = question?.id ?? ("" as NodeId);
    expect((await messages.exclude({ nodeId, excluded: true })).ok).toBe(true);
    const note = accepted(
      await studio.workspace.createCanvas(await studio.author(ada), { title: "Fern notes", text: "fern\n" }),
    );
    await tool("block_update", { block_id: note, excluded: true });
    studio.mind = inOrder(
      { call: "block_list" },
      { say: "Listed." },
      { call: "kernel_search", with: { query: "fern", kinds: ["text", "file"] } },
      { say: "Searched." },
      { call: "block_read", with: { block_id: note } },
      { say: "Read." },
    );
    await studio.ask("List.");
    const listed = await lastAnswer();
    expect(JSON.stringify(listed)).not.toContain("fern");
    expect(JSON.stringify(listed)).not.toContain(note);
    expect(listed["excluded"]).toBe(2);
    await studio.ask("Search.");
    const searched = await lastAnswer();
    expect(searched["blocks"]).toEqual([]);
    expect(searched["note"]).toContain("Not searched, because people or agents left them out: 2 blocks.");
    // By its id a block is read as before: here it needs its lease.
    await studio.ask("Read.");
    expect(await lastAnswer()).toMatchObject({ code: "LOCK_NOT_OWNED" });
    const { blocks } = await tool("kernel_search", { query: "fern", kinds: ["text", "file"] });
    expect(blocks).toHaveLength(2);
    expect((await messages.exclude({ nodeId, excluded: false })).ok).toBe(true);
    studio.mind = inOrder(
      { call: "kernel_search", with: { query: "secret word", kinds: ["text"] } },
      { say: "Found." },
    );
    await studio.ask("Search again.");
    expect((await lastAnswer())["blocks"]).toHaveLength(1);
  });

  test("14.4 an agent is shown documents first, and its own calls only when it asks", async () => {
    studio.mind = inOrder(
      { call: "canvas_check_out" },
      { call: "block_list" },
      { say: "Listed." },
      { call: "block_list", with: { kind: "tool_call" } },
      { say: "My calls." },
    );
    await studio.ask("List.");
    const { blocks: listed } = await lastAnswer();
    const kinds = (listed as readonly JsonObject[]).map(({ kind, summary }) => [kind, summary]);
    expect(kinds).toEqual([
      ["file", "Plan"],
      ["text", "List."],
    ]);
    await studio.ask("And the calls?");
    const { blocks: calls } = await lastAnswer();
    expect((calls as readonly JsonObject[]).map(({ kind, summary }) => [kind, summary])).toEqual([
      ["tool_call", "{}"],
      ["tool_call", "{}"],
      ["tool_call", '{"kind":"tool_call"}'],
    ]);
    const results = await list({ conversation_id: studio.rootId, kind: "tool_result" });
    expect(results).toHaveLength(3);
    expect(await tool("block_read", { block_id: results[0]?.["block_id"] ?? "" })).toMatchObject({
      metadata: { tool_name: "canvas_check_out" },
      role: "tool",
    });
  });
});
