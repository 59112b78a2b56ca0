import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RootId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { textOf } from "../../../core/message/content.ts";
import { asking, assistant, result, use, user } from "../../../core/message/message.test-support.ts";
import type { ToolUseBlock } from "../../../core/message/types.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let rootId = "";

beforeAll(async () => {
  server = await startTestServer({ welcome: false });
});
afterAll(() => server.close());
beforeEach(async () => {
  const created = await ask("POST", "/api/commands/conversation.create", {});
  ({ rootId } = created.json as { rootId: string });
});

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}

/** Returns the id that an append answers, or the code of its refusal. */
async function post(parentId: string, body: unknown): Promise<string> {
  const { json } = await ask("POST", `/api/nodes/${encodeURIComponent(parentId)}/append`, body);
  const { id, error } = json as { id: string; error?: { code: string } };
  return error?.code ?? id;
}

function append(parentId: string, ...messages: readonly unknown[]): Promise<string> {
  return post(parentId, { messages });
}

function nodes(): Promise<readonly ForestNode[]> {
  return server.workspace.store.nodes(rootId as RootId);
}

describe("appending messages over HTTP", () => {
  test("F-02 an empty list answers the parent itself", async () => {
    expect(await append(rootId)).toBe(rootId);
    const first = await append(rootId, user("u"));
    expect(await append(first)).toBe(first);
    expect(await nodes()).toHaveLength(1);
  });

  test("F-03 to an unknown parent is refused", async () => {
    expect(await append("node_nowhere", user("u"))).toBe("NODE_NOT_FOUND");
    expect(await post("node_nowhere", { content: "u" })).toBe("NODE_NOT_FOUND");
  });

  test("F-04 two answers share their question", async () => {
    const a = await append(rootId, user("u"), assistant("a"));
    const b = await append(rootId, user("u"), assistant("b"));
    const [question, ...answers] = await nodes();
    expect(answers.map(({ id, parentId }) => [id, parentId])).toEqual([
      [a, question?.id],
      [b, question?.id],
    ]);
  });

  test("F-05 an existing message adds nothing and answers the existing node", async () => {
    const first = await append(rootId, user("u"), assistant("a"));
    const before = await nodes();
    const origin = { api: "x", provider: "p", model: "m" };
    expect(await append(rootId, user("u"), { ...assistant("a"), origin })).toBe(first);
    expect(await nodes()).toEqual(before);
  });

  test("F-06 calls are equal whatever the order of their parameters, and differ otherwise", async () => {
    const calling = (...calls: readonly ToolUseBlock[]) => ({ role: "assistant", content: calls });
    const first = await append(rootId, calling(use("1", { a: 1, b: 2 })));
    expect(await append(rootId, calling(use("1", { b: 2, a: 1 })))).toBe(first);
    expect(await append(rootId, calling(use("2", { a: 1, b: 2 })))).not.toBe(first);
    const list = await append(rootId, calling(use("1", { a: [1, 2] })));
    expect(await append(rootId, calling(use("1", { a: [2, 1] })))).not.toBe(list);
    expect(await nodes()).toHaveLength(4);
  });

  test("F-07 texts that differ only in blanks are different messages", async () => {
    expect(await post(rootId, { content: "x" })).not.toBe(await post(rootId, { content: "  x\n" }));
    expect((await nodes()).map(({ message }) => textOf(message))).toEqual(["x", "  x\n"]);
  });

  test("F-07 texts that differ only in blanks are one message with `trimmed`, and new messages go below it", async () => {
    const first = await post(rootId, { content: "x" });
    expect(await post(rootId, { content: "  x\n", match: "trimmed" })).toBe(first);
    const messages = [user(" x"), assistant("a")];
    const answer = await post(rootId, { messages, match: "trimmed" });
    expect((await nodes()).map(({ id, parentId }) => [id, parentId])).toEqual([
      [first, null],
      [answer, first],
    ]);
    expect(await append(rootId, user("x"), assistant("a"))).toBe(answer);
    expect(await post(rootId, { content: "x", match: "loosely" })).toBe("INVALID_PARAMS");
  });

  test("F-29 F-32 messages of the earlier form are accepted, and answered in the present form", async () => {
    const call = { id: "c1", type: "function", function: { name: "look", arguments: "" } };
    await append(
      rootId,
      { role: "user", content: " q " },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "found" },
    );
    expect((await nodes()).map(({ message }) => message)).toEqual([
      user(" q "),
      { role: "assistant", content: [use("c1")] },
      { ...result("c1", "found"), tool_name: "look" },
    ]);
  });

  test("F-08 a blank message is skipped, and the next message takes its place", async () => {
    const last = await append(rootId, user("u"), user(" \n"), assistant("a"));
    const [question, answer] = await nodes();
    expect([answer?.id, answer?.parentId]).toEqual([last, question?.id]);
    expect(await append(last, user(" \n"))).toBe(last);
  });

  test("F-09 F-12 a call alone and its empty result are kept", async () => {
    await append(rootId, user("u"), asking("a"), result("a", ""));
    expect((await nodes()).map(({ message }) => message.role)).toEqual(["user", "assistant", "tool"]);
    expect((await nodes()).at(-1)?.message).toEqual(result("a", ""));
  });

  test("F-10 two messages do not match one message with both texts", async () => {
    await append(rootId, assistant("A"), assistant("B"));
    await append(rootId, assistant("A B"));
    expect(await nodes()).toHaveLength(3);
  });

  test("F-11 a malformed message in the middle refuses the whole append", async () => {
    const { status, json } = await ask("POST", `/api/nodes/${rootId}/append`, {
      messages: [user("u"), { role: "user", content: [] }, assistant("a")],
    });
    expect(status).toBe(422);
    expect(json).toMatchObject({ error: { code: "MESSAGE_INVALID", details: { index: 1 } } });
    expect(await nodes()).toEqual([]);
  });

  test("F-12 a result answers the next open call of its path, or is refused", async () => {
    expect(await append(rootId, user("u"), result("a"))).toBe("TOOL_RESULT_UNPAIRED");
    expect(await nodes()).toEqual([]);
    const open = await append(rootId, user("u"), asking("a"));
    expect(await append(open, result("b"))).toBe("TOOL_RESULT_UNPAIRED");
    expect(await append(open, user("v"))).toBe("TOOL_RESULT_UNPAIRED");
    const answered = await append(open, result("a"));
    expect((await nodes()).at(-1)?.id).toBe(answered);
  });
});

test("F-13 L1 fifty appends right after the conversation was created are fifty children", async () => {
  const made = await ask("POST", "/api/roots", { systemPrompt: `F-13 ${rootId}` });
  rootId = (made.json as { id: string }).id;
  const ids = await Promise.all(
    Array.from({ length: 50 }, (_, at) => append(rootId, user(`question ${at}`), assistant("a"))),
  );
  expect(new Set(ids).size).toBe(50);
  expect(await server.workspace.store.children(rootId as RootId, null)).toHaveLength(50);
  expect(await nodes()).toHaveLength(100);
});

describe("appending text over HTTP", () => {
  test("keeps the given blocks as one message of the person, and asks no model", async () => {
    const content = [
      { type: "text", text: "one" },
      { type: "text", text: "" },
      { type: "text", text: "two" },
    ];
    const id = await post(rootId, { content });
    const [node, ...more] = await nodes();
    expect(node).toMatchObject({ id, message: { role: "user", content: [content[0], content[2]] } });
    expect(more).toEqual([]);
    expect(await server.workspace.store.runs(rootId as RootId)).toEqual([]);
    expect(await post(rootId, { content })).toBe(id);
  });

  test.each([
    ["blanks", { content: " \n" }, "MESSAGE_INVALID"],
    ["no blocks", { content: [] }, "MESSAGE_INVALID"],
    ["a call", { content: [use("1")] }, "MESSAGE_INVALID"],
    ["text and messages at once", { content: "u", messages: [user("u")] }, "INVALID_PARAMS"],
    ["messages that are not a list", { messages: user("u") }, "INVALID_PARAMS"],
    ["neither", {}, "INVALID_PARAMS"],
  ])("refuses %s", async (_name, body, expected) => {
    expect(await post(rootId, body)).toBe(expected);
    expect(await nodes()).toEqual([]);
  });
});
