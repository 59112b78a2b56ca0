import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { scriptedModel, type Script } from "../../../adapters/providers/scripted.ts";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { asking, assistant, result, user } from "../../../core/message/message.test-support.ts";
import { textOf } from "../../../core/message/content.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

/** The replies of the model in these tests. */
const replies: Script[number][] = [];

function catalogue(): ModelCatalogue {
  const { info } = scriptedModel([], async () => {});
  const model = {
    info,
    api: "scripted",
    stream: (...args: Parameters<ReturnType<typeof scriptedModel>["stream"]>) =>
      scriptedModel(
        [replies.shift() ?? [{ type: "text", text: "said" }]],
        (ms) => new Promise((r) => setTimeout(r, ms)),
      ).stream(...args),
  };
  return { list: () => [info], find: (id) => (id === info.id ? model : undefined) };
}

let server: TestServer;
let rootId = "";

beforeAll(async () => {
  server = await startTestServer({ welcome: false, catalogue: catalogue() });
});
afterAll(() => server.close());
beforeEach(async () => {
  replies.length = 0;
  const created = await ask("POST", "/api/commands/conversation.create", {});
  ({ rootId } = created.json as { rootId: string });
});

interface Reply {
  readonly status: number;
  readonly json: unknown;
  readonly text: string;
  readonly headers: Headers;
}

async function ask(method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
}

/** Returns the code of a refusal, or the id that an answer names. */
function outcome({ json }: Reply): string {
  const { id, error } = json as { id?: string; error?: { code: string } };
  return error?.code ?? id ?? "ok";
}

/** Appends messages below a parent; returns their ids. */
async function append(parentId: string, ...messages: readonly unknown[]): Promise<readonly string[]> {
  const last = outcome(await ask("POST", `/api/nodes/${parentId}/append`, { messages }));
  const path = await server.workspace.store.path(last as NodeId);
  return path.slice(-messages.length).map(({ id }) => id);
}

function edit(nodeId: string, content: unknown): Promise<Reply> {
  return ask("PUT", `/api/nodes/${nodeId}/content`, { content });
}

function nodes(): Promise<readonly ForestNode[]> {
  return server.workspace.store.nodes(rootId as RootId);
}

async function node(id: string): Promise<ForestNode> {
  return must(await server.workspace.store.node(id as NodeId), "an existing node");
}

/** Returns the tree as indented lines. */
async function tree(parentId: string | null = null, depth = 0): Promise<readonly string[]> {
  const children = await server.workspace.store.children(rootId as RootId, parentId as NodeId | null);
  const lines: string[] = [];
  for (const child of children) {
    lines.push(`${"  ".repeat(depth)}${textOf(child.message)}`, ...(await tree(child.id, depth + 1)));
  }
  return lines;
}

describe("a conversation by its settings", () => {
  test("F-01 the same prompt, or none, finds the same conversation; one more blank creates another", async () => {
    const id = async (body: object): Promise<string> => outcome(await ask("POST", "/api/roots", body));
    const [sys, none] = [await id({ systemPrompt: "sys" }), await id({})];
    expect(await id({ systemPrompt: "sys" })).toBe(sys);
    expect(await id({})).toBe(none);
    const others = [await id({ systemPrompt: "sys " }), await id({ systemPrompt: "" }), sys, none];
    expect(new Set(others).size).toBe(4);
    expect(await id({ systemPrompt: "sys", model: "scripted/script" })).not.toBe(sys);
    const asked = await Promise.all(Array.from({ length: 20 }, () => id({ systemPrompt: "at once" })));
    expect(new Set(asked).size).toBe(1);
    expect(outcome(await ask("POST", "/api/roots", { systemPrompt: 7 }))).toBe("INVALID_PARAMS");
  });

  test("is listed, found, and has its first messages as children", async () => {
    const [first] = await append(rootId, user("one"));
    await append(rootId, user("two"));
    const { json } = await ask("GET", "/api/roots");
    expect((json as { roots: { id: string }[] }).roots.map(({ id }) => id)).toContain(rootId);
    expect(outcome(await ask("GET", `/api/roots/${rootId}`))).toBe(rootId);
    const children = await ask("GET", `/api/roots/${rootId}/children`);
    expect((children.json as { nodes: { id: string }[] }).nodes.map(({ id }) => id)[0]).toBe(first);
    expect(outcome(await ask("GET", "/api/roots/root_none"))).toBe("ROOT_NOT_FOUND");
    expect(outcome(await ask("GET", "/api/roots/root_none/children"))).toBe("ROOT_NOT_FOUND");
  });
});

describe("a path", () => {
  test("begins at the first message, or at a given message on it", async () => {
    const ids = await append(rootId, user("a"), assistant("b"), user("c"));
    const path = async (query: string): Promise<unknown> => {
      const { json } = await ask("GET", `/api/nodes/${ids[2]}/path${query}`);
      return (json as { nodes?: { id: string }[] }).nodes?.map(({ id }) => id) ?? json;
    };
    expect(await path("")).toEqual(ids);
    expect(await path(`?from=${ids[1]}`)).toEqual(ids.slice(1));
    const [elsewhere] = await append(rootId, user("z"));
    expect(await path(`?from=${elsewhere}`)).toMatchObject({ error: { code: "INVALID_PARAMS" } });
    expect(outcome(await ask("GET", "/api/nodes/node_none/path"))).toBe("NODE_NOT_FOUND");
    expect(await path("?last=2")).toEqual(ids.slice(1));
    expect(await path("?last=9")).toEqual(ids);
    expect(await path("?last=0")).toMatchObject({ error: { code: "INVALID_PARAMS" } });
  });
});

test("a long list is sent in parts, and is the same JSON", async () => {
  const ids = await append(
    rootId,
    ...Array.from({ length: 501 }, (_, at) => (at % 2 === 0 ? user("a") : assistant("b"))),
  );
  const { json, headers } = await ask("GET", `/api/nodes/${ids[500]}/path`);
  expect((json as { nodes: readonly { id: string }[] }).nodes.map(({ id }) => id)).toEqual(ids);
  expect(headers.get("content-length")).toBeNull();
  const short = await ask("GET", `/api/nodes/${ids[1]}/path`);
  expect(short.headers.get("content-length")).not.toBeNull();
});

describe("editing the content of a message", () => {
  test("F-17 changes a leaf in place, and the editor is its author", async () => {
    const [, leaf = ""] = await append(rootId, user("q"), assistant("a"));
    const reply = await edit(leaf, "better");
    expect(reply.json).toMatchObject({ id: leaf, message: { content: [{ type: "text", text: "better" }] } });
    expect(reply.json).toMatchObject({ actor: { type: "person" }, runId: null });
    expect(await nodes()).toHaveLength(2);
  });

  test("F-18 splits the message where the new text differs, and adds the new ending as a sibling", async () => {
    const [original = "", child = ""] = await append(rootId, user("Original message content"), assistant("kept"));
    const made = outcome(await edit(original, "Original message with new ending"));
    expect(await tree()).toEqual(["Original message ", "  content", "    kept", "  with new ending"]);
    expect((await node(child)).parentId).toBe(original);
    expect(textOf((await node(original)).message)).toBe("content");
    expect(textOf((await node(made)).message)).toBe("with new ending");
    expect((await node(String((await node(original)).parentId))).splitFrom).toBe(original);
  });

  test("F-19 to its own beginning splits it there", async () => {
    const [original = ""] = await append(rootId, user("Original message"), assistant("kept"));
    const half = outcome(await edit(original, "Original"));
    expect(half).not.toBe(original);
    expect(await tree()).toEqual(["Original", "   message", "    kept"]);
  });

  test("F-20 to the same text changes nothing", async () => {
    const [original = ""] = await append(rootId, user("same"), assistant("kept"));
    const before = await nodes();
    expect(outcome(await edit(original, "same"))).toBe(original);
    expect(await nodes()).toEqual(before);
  });

  test("F-21 to a longer text adds the rest as a child", async () => {
    const [original = ""] = await append(rootId, user("abc"), assistant("kept"));
    const rest = outcome(await edit(original, "abcdef"));
    expect((await node(rest)).parentId).toBe(original);
    expect(await tree()).toEqual(["abc", "  kept", "  def"]);
  });

  test("F-22 to a text without a common prefix adds a sibling", async () => {
    const [original = ""] = await append(rootId, user("abc"), assistant("kept"));
    const other = outcome(await edit(original, "xyz"));
    expect((await node(other)).parentId).toBe((await node(original)).parentId);
    expect(await tree()).toEqual(["abc", "  kept", "xyz"]);
  });

  test("F-23 L8 to a blank text is refused, for a leaf and above children", async () => {
    const [question = "", leaf = ""] = await append(rootId, user("q"), assistant("a"));
    for (const id of [question, leaf]) {
      for (const content of ["", " \n", [], [{ type: "text", text: "" }]]) {
        expect(outcome(await edit(id, content))).toBe("MESSAGE_INVALID");
      }
    }
    expect(await tree()).toEqual(["q", "  a"]);
  });

  test("F-24 is refused for a call, a result and a conversation", async () => {
    const [, call = "", answer = ""] = await append(rootId, user("q"), asking("c1"), result("c1"));
    expect(outcome(await edit(call, "x"))).toBe("MESSAGE_INVALID");
    expect(outcome(await edit(answer, "x"))).toBe("MESSAGE_INVALID");
    expect(outcome(await edit(rootId, "x"))).toBe("NODE_NOT_FOUND");
    expect(outcome(await edit(answer, [{ type: "tool-use", id: "1", name: "x", parameters: {} }]))).toBe(
      "MESSAGE_INVALID",
    );
  });

  test("L2 F-07 by blanks alone is an edit", async () => {
    const [leaf = ""] = await append(rootId, user("code"));
    await edit(leaf, "  code\n");
    expect(textOf((await node(leaf)).message)).toBe("  code\n");
  });

  test("keeps the given blocks", async () => {
    const [leaf = ""] = await append(rootId, user("x"));
    const content = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    expect((await edit(leaf, content)).json).toMatchObject({ message: { content } });
  });

  test("F-27 moves its bookmark along when a new node holds the text, and keeps it when the node stays", async () => {
    const [original = ""] = await append(rootId, user("one two"), assistant("kept"));
    const mark = async (): Promise<string | null> =>
      (await server.workspace.store.bookmarks(rootId as RootId)).find(({ title }) => title === "F-27")?.nodeId ?? null;
    await ask("PUT", "/api/bookmarks", { title: "F-27", nodeId: original });
    const edited = outcome(await edit(original, "one three"));
    expect(await mark()).toBe(edited);
    await edit(edited, "one four");
    expect(await mark()).toBe(edited);
    await ask("DELETE", "/api/bookmarks?title=F-27");
  });

  test("twice with one request id happens once", async () => {
    const [original = ""] = await append(rootId, user("one two"), assistant("kept"));
    const body = { content: "one three", clientRequestId: "again" };
    const first = outcome(await ask("PUT", `/api/nodes/${original}/content`, body));
    expect(outcome(await ask("PUT", `/api/nodes/${original}/content`, body))).toBe(first);
    expect(await nodes()).toHaveLength(4);
  });
});

describe("splitting a message", () => {
  test("F-14 F-16 moves the first half and the labels to a new node, and leaves the rest its id and children", async () => {
    const [original = "", child = ""] = await append(rootId, user("This is a long message"), assistant("kept"));
    await ask("PUT", `/api/nodes/${original}/labels`, { tags: ["t"], customData: { a: 1 } });
    const reply = await ask("POST", `/api/nodes/${original}/split`, { at: 15 });
    expect(reply.json).toMatchObject({ tags: ["t"], customData: { a: 1 }, splitFrom: original });
    expect(await tree()).toEqual(["This is a long ", "  message", "    kept"]);
    expect(await node(original)).toMatchObject({ parentId: outcome(reply), tags: ["t"], customData: { a: 1 } });
    expect((await node(child)).parentId).toBe(original);
  });

  test("F-15 L6 is refused at the ends, beyond them, inside a character, and for a message without text", async () => {
    const [smile = "", call = "", answer = ""] = await append(rootId, user("a😀b"), asking("c1"), result("c1"));
    const split = async (id: string, at: unknown): Promise<string> =>
      outcome(await ask("POST", `/api/nodes/${id}/split`, { at }));
    for (const at of [0, -1, 4, 5, 2]) expect([at, await split(smile, at)]).toEqual([at, "OFFSET_OUT_OF_RANGE"]);
    expect(await split(smile, 1.5)).toBe("INVALID_PARAMS");
    expect(await split(call, 1)).toBe("MESSAGE_INVALID");
    expect(await split(answer, 1)).toBe("MESSAGE_INVALID");
    expect(await split(rootId, 1)).toBe("NODE_NOT_FOUND");
    expect(await nodes()).toHaveLength(3);
  });
});

describe("deleting a message", () => {
  test("F-25 removes a leaf, a subtree, or (`reparent`) one message whose children keep their order", async () => {
    const [top = "", a = ""] = await append(rootId, user("top"), assistant("a"));
    await append(a, user("a1"), assistant("a2"));
    await append(a, user("b1"));
    const [leaf = ""] = await append(top, assistant("leaf"));
    expect((await ask("DELETE", `/api/nodes/${leaf}`)).json).toMatchObject({ nodeIds: [leaf] });
    expect((await ask("DELETE", `/api/nodes/${a}?reparent=true`)).json).toMatchObject({ nodeIds: [a] });
    expect(await tree()).toEqual(["top", "  a1", "    a2", "  b1"]);
    expect(((await ask("DELETE", `/api/nodes/${top}`)).json as { nodeIds: string[] }).nodeIds).toHaveLength(4);
    expect(await nodes()).toEqual([]);
  });

  test("F-25 is refused for a conversation, and succeeds for a deleted message", async () => {
    const [only = ""] = await append(rootId, user("x"));
    expect(outcome(await ask("DELETE", `/api/nodes/${rootId}`))).toBe("MESSAGE_INVALID");
    expect((await ask("DELETE", `/api/nodes/${only}`)).status).toBe(200);
    expect((await ask("DELETE", `/api/nodes/${only}`)).json).toEqual({ nodeIds: [] });
    expect(outcome(await ask("GET", `/api/nodes/${only}`))).toBe("NODE_NOT_FOUND");
    expect(outcome(await ask("DELETE", `/api/nodes/${only}?reparent=maybe`))).toBe("INVALID_PARAMS");
  });

  test("F-28 is refused if the message or its subtree has a bookmark, unless forced", async () => {
    const [top = "", middle = "", end = ""] = await append(rootId, user("top"), assistant("middle"), user("end"));
    await ask("PUT", "/api/bookmarks", { title: "F-28", nodeId: middle });
    for (const id of [top, middle]) {
      const reply = await ask("DELETE", `/api/nodes/${id}`);
      expect([reply.status, outcome(reply)]).toEqual([409, "BOOKMARKED"]);
    }
    expect((await ask("DELETE", `/api/nodes/${end}`)).status).toBe(200);
    expect((await ask("DELETE", `/api/nodes/${top}?force=true`)).status).toBe(200);
    expect(await server.workspace.store.bookmarks(rootId as RootId)).toEqual([]);
  });

  test("F-26 L7 never frees its id for another message", async () => {
    const ids = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const [id = ""] = await append(rootId, user("again and again"));
      expect(ids.has(id)).toBe(false);
      ids.add(id);
      await ask("DELETE", `/api/nodes/${id}`);
    }
  });
});

describe("a branch that is being written", () => {
  test("refuses splits, edits and deletions, and accepts them when idle", async () => {
    const [question = "", answer = ""] = await append(rootId, user("one two"), assistant("a b"));
    const [last = ""] = await append(answer, user("go on"));
    replies.push([
      { type: "delay", delayMs: 300 },
      { type: "text", text: "done" },
    ]);
    await ask("POST", `/api/nodes/${last}/generate`, {});
    for (const reply of [
      await edit(question, "one three"),
      await ask("POST", `/api/nodes/${answer}/split`, { at: 1 }),
      await ask("DELETE", `/api/nodes/${question}`),
      await ask("DELETE", `/api/nodes/${answer}?reparent=true`),
    ]) {
      expect([reply.status, outcome(reply)]).toEqual([409, "BRANCH_BUSY"]);
    }
    const beside = await append(rootId, user("elsewhere"));
    expect((await ask("DELETE", `/api/nodes/${beside[0]}`)).status).toBe(200);
    expect((await ask("PUT", `/api/nodes/${question}/labels`, { tags: ["kept"] })).status).toBe(200);
    await ask("GET", `/api/nodes/${last}/generation`);
    expect((await ask("POST", `/api/nodes/${answer}/split`, { at: 1 })).status).toBe(200);
    expect(await tree()).toEqual(["one two", "  a", "     b", "      go on", "        done"]);
  });
});

describe("setting the labels of a message", () => {
  test("stores each tag once, keeps fields left out, and removes null fields", async () => {
    const [id = ""] = await append(rootId, user("x"));
    const set = async (body: object): Promise<object> => {
      const { tags, customData } = (await ask("PUT", `/api/nodes/${id}/labels`, body)).json as ForestNode;
      return { tags, customData };
    };
    expect(await set({ tags: ["b", "a", "b"], customData: { mine: [1] } })).toEqual({
      tags: ["b", "a"],
      customData: { mine: [1] },
    });
    expect(await set({ tags: ["c"] })).toEqual({ tags: ["c"], customData: { mine: [1] } });
    expect(await set({ tags: [], customData: null })).toEqual({ tags: undefined, customData: undefined });
    expect(outcome(await ask("PUT", `/api/nodes/${id}/labels`, { tags: "a" }))).toBe("INVALID_PARAMS");
    expect(outcome(await ask("PUT", "/api/nodes/node_none/labels", { tags: [] }))).toBe("NODE_NOT_FOUND");
  });
});

describe("bookmarks and presets", () => {
  test("a bookmark is set by its title, moved to another conversation, renamed and deleted", async () => {
    const [here = ""] = await append(rootId, user("here"));
    const other = outcome(await ask("POST", "/api/roots", { systemPrompt: "elsewhere" }));
    const titles = async (root: string): Promise<readonly string[]> => {
      const { json } = await ask("GET", `/api/bookmarks?root=${root}`);
      return (json as { bookmarks: { title: string }[] }).bookmarks.map(({ title }) => title);
    };
    await ask("PUT", "/api/bookmarks", { title: "a mark", nodeId: here });
    await ask("PUT", "/api/bookmarks", { title: "b mark", nodeId: here });
    expect(await titles(rootId)).toEqual(["a mark", "b mark"]);
    expect((await ask("PUT", "/api/bookmarks", { title: "a mark", rootId: other })).json).toMatchObject({
      rootId: other,
      nodeId: null,
    });
    expect([await titles(rootId), await titles(other)]).toEqual([["b mark"], ["a mark"]]);
    const rename = (title: string, newTitle: string): Promise<Reply> =>
      ask("POST", "/api/bookmarks/rename", { title, newTitle });
    expect(outcome(await rename("b mark", "a mark"))).toBe("CONFLICT");
    expect((await rename("b mark", "c mark")).status).toBe(200);
    expect(outcome(await rename("b mark", "d mark"))).toBe("NOT_FOUND");
    expect(outcome(await ask("PUT", "/api/bookmarks", { title: "x", nodeId: "node_none" }))).toBe("NODE_NOT_FOUND");
    expect(outcome(await ask("PUT", "/api/bookmarks", { title: "x", rootId: "root_none" }))).toBe("ROOT_NOT_FOUND");
    for (const title of ["a mark", "c mark", "c mark"]) {
      expect((await ask("DELETE", `/api/bookmarks?title=${encodeURIComponent(title)}`)).status).toBe(200);
    }
    expect([await titles(rootId), await titles(other)]).toEqual([[], []]);
  });

  test("F-44 presets are stored, one of them is active; an unknown preset is refused, and null deactivates", async () => {
    expect((await ask("PUT", "/api/presets", { name: "wild", n: 2, temperature: 1.5 })).status).toBe(200);
    expect(outcome(await ask("PUT", "/api/presets/active", { name: "tame" }))).toBe("NOT_FOUND");
    expect((await ask("PUT", "/api/presets/active", { name: "wild" })).json).toMatchObject({ active: "wild" });
    const [question = ""] = await append(rootId, user("q"));
    expect(
      ((await ask("POST", `/api/nodes/${question}/generate`, {})).json as { runIds: string[] }).runIds,
    ).toHaveLength(2);
    await ask("GET", `/api/nodes/${question}/generation`);
    expect((await ask("PUT", "/api/presets/active", { name: null })).json).toMatchObject({ active: null });
    expect((await ask("DELETE", "/api/presets?name=wild")).json).toEqual({ presets: [], active: null });
    expect((await ask("GET", "/api/presets")).json).toEqual({ presets: [], active: null });
  });
});

describe("a generation", () => {
  async function events(nodeId: string): Promise<readonly { status: string; added: ForestNode[]; error?: object }[]> {
    const { text, headers } = await ask("GET", `/api/nodes/${nodeId}/generation`);
    expect(headers.get("content-type")).toContain("text/event-stream");
    return text
      .split("\n\n")
      .filter((event) => event.startsWith("data: "))
      .map((event) => JSON.parse(event.slice("data: ".length)));
  }

  test("F-36 reports each reply when it is stored, and ends when every run is idle", async () => {
    const [question = ""] = await append(rootId, user("q"));
    replies.push([
      { type: "delay", delayMs: 30 },
      { type: "text", text: "one" },
    ]);
    replies.push([
      { type: "delay", delayMs: 60 },
      { type: "text", text: "two" },
    ]);
    const asked = await ask("POST", `/api/nodes/${question}/generate`, { n: 2, temperature: 0.5 });
    expect(asked.json).toMatchObject({ success: true });
    const received = await events(question);
    expect(received[0]).toMatchObject({ status: "pending", added: [] });
    expect(received.at(-1)?.status).toBe("idle");
    expect(received.flatMap(({ added }) => added.map(({ message }) => textOf(message)))).toEqual(["one", "two"]);
    expect(await events(question)).toMatchObject([{ status: "idle", added: [] }]);
  });

  test("F-37 that fails reports why", async () => {
    const [question = ""] = await append(rootId, user("q"));
    replies.push([{ type: "fail", class: "auth", message: "No key.", retryable: false }]);
    await ask("POST", `/api/nodes/${question}/generate`, {});
    const received = await events(question);
    expect(received.at(-1)).toMatchObject({ status: "error", error: { detail: "auth", message: "No key." } });
  });

  test("excludes other branches", async () => {
    const [quiet = ""] = await append(rootId, user("quiet"));
    const [busy = ""] = await append(rootId, user("busy"));
    replies.push([
      { type: "delay", delayMs: 100 },
      { type: "text", text: "one" },
    ]);
    await ask("POST", `/api/nodes/${busy}/generate`, {});
    expect(await events(quiet)).toMatchObject([{ status: "idle", runs: [] }]);
    expect((await events(busy)).at(-1)?.status).toBe("idle");
  });

  test("14.17 14.18 at a model's message goes on from it, and says where the rest was cut off", async () => {
    const [, answer = ""] = await append(rootId, user("q"), assistant("half an ans"));
    replies.push([
      { type: "delay", delayMs: 30 },
      { type: "text", text: "wer" },
      { type: "stop", reason: "max-tokens" },
    ]);
    expect(outcome(await ask("POST", `/api/nodes/${answer}/generate`, {}))).toBe("ok");
    const rest = (await events(answer)).flatMap(({ added }) => added).at(-1);
    expect(rest).toMatchObject({ message: { content: [{ text: "wer" }] }, request: { stop: "max-tokens" } });
  });

  test("is refused where no message waits for an answer, and for an unknown model", async () => {
    const [question = ""] = await append(rootId, user("q"), assistant("a"));
    expect(outcome(await ask("POST", `/api/nodes/${question}/generate`, { model: "no/model" }))).toBe(
      "MODEL_NOT_FOUND",
    );
    expect(outcome(await ask("POST", `/api/nodes/${question}/generate`, { n: 99 }))).toBe("INVALID_PARAMS");
    expect(outcome(await ask("POST", `/api/nodes/${rootId}/generate`, {}))).toBe("NODE_NOT_FOUND");
    expect(outcome(await ask("GET", "/api/nodes/node_none/generation"))).toBe("NODE_NOT_FOUND");
  });
});

describe("searching and exporting", () => {
  test("words are found in messages, in one conversation or in all", async () => {
    const [id] = await append(rootId, user("the quickest swallow"));
    const find = async (query: string): Promise<readonly string[]> => {
      const { json } = await ask("GET", `/api/search?${query}`);
      return (json as { matches: { id: string; excerpt: string }[] }).matches.map((match) => match.id);
    };
    expect(await find(`words=swallow+quick&root=${rootId}`)).toEqual([id]);
    expect(await find("words=swallow&limit=200")).toContain(id);
    expect(await find("words=no-such-word-anywhere")).toEqual([]);
    expect(await find("words=")).toEqual([]);
    for (const bad of ["", "words=x&in=files", "words=x&limit=0", "words=x&limit=1e9"]) {
      expect(outcome(await ask("GET", `/api/search?${bad}`))).toBe("INVALID_PARAMS");
    }
  });

  test("a conversation is exported for Heddle and for people, whole or in part", async () => {
    const [top = "", reply = ""] = await append(rootId, user("a question"), assistant("an *answer*"));
    await append(reply, user("deeper"));
    await append(top, assistant("beside"));
    const file = async (path: string): Promise<Reply> => ask("GET", path);
    const whole = await file(`/api/roots/${rootId}/export`);
    expect(whole.headers.get("content-disposition")).toMatch(/^attachment; filename="[a-z0-9-]+\.json"$/);
    expect((whole.json as { nodes: object[] }).nodes).toHaveLength(4);
    const path = await file(`/api/nodes/${reply}/export?format=json`);
    expect((path.json as { nodes: { id: string }[] }).nodes.map(({ id }) => id)).toEqual([top, reply]);
    const subtree = await file(`/api/nodes/${reply}/export?of=subtree`);
    expect((subtree.json as { nodes: object[] }).nodes).toHaveLength(3);
    const markdown = await file(`/api/nodes/${reply}/export?format=markdown`);
    expect([markdown.headers.get("content-type"), markdown.text]).toEqual([
      "text/markdown; charset=utf-8",
      expect.stringContaining("an *answer*"),
    ]);
    expect((await file(`/api/roots/${rootId}/export?format=text`)).text).toContain("beside");
    expect(outcome(await file(`/api/roots/${rootId}/export?format=pdf`))).toBe("INVALID_PARAMS");
    expect(outcome(await file("/api/roots/root_none/export"))).toBe("ROOT_NOT_FOUND");
    expect(outcome(await file("/api/nodes/node_none/export"))).toBe("NODE_NOT_FOUND");
  });

  test("an exported conversation includes its images and files on request", async () => {
    const bytes = new TextEncoder().encode("what was attached");
    const put = await server.workspace.blobs.put(bytes);
    const { id, size } = must(put.ok ? put.value : undefined, "the bytes are kept");
    const attached = { type: "file", mediaType: "text/plain", source: { type: "blob", id, size } };
    await append(rootId, { role: "user", content: [{ type: "text", text: "see" }, attached] });
    const carried = Buffer.from(bytes).toString("base64");
    expect((await ask("GET", `/api/roots/${rootId}/export?blobs=true`)).text).toContain(carried);
    expect((await ask("GET", `/api/roots/${rootId}/export`)).text).not.toContain(carried);
    expect(outcome(await ask("GET", `/api/roots/${rootId}/export?blobs=yes`))).toBe("INVALID_PARAMS");
  });

  test("F-46 the outline lists every message without text, after each change", async () => {
    const outline = async (): Promise<readonly unknown[]> => {
      const { json, text } = await ask("GET", `/api/forest/outline?root=${rootId}`);
      expect(text).not.toContain("secret");
      return (json as { nodes: unknown[] }).nodes;
    };
    const agrees = async (): Promise<void> => {
      const stored = await nodes();
      expect(await outline()).toEqual(
        stored.map(({ id, parentId, createdAt, message }) => ({ id, rootId, parentId, role: message.role, createdAt })),
      );
    };
    await agrees();
    const [question = "", answer = ""] = await append(rootId, user("a secret question"), assistant("secret"));
    await agrees();
    await edit(question, "a secret answer");
    await agrees();
    await ask("POST", `/api/nodes/${answer}/split`, { at: 3 });
    await agrees();
    await ask("DELETE", `/api/nodes/${question}?reparent=true`);
    await agrees();
  });

  test("a subtree has the message and all its descendants", async () => {
    const [top = "", reply = ""] = await append(rootId, user("a"), assistant("b"));
    await append(reply, user("c"));
    await append(rootId, user("elsewhere"));
    const { json } = await ask("GET", `/api/nodes/${top}/subtree`);
    expect((json as { nodes: ForestNode[] }).nodes.map(({ message }) => textOf(message))).toEqual(["a", "b", "c"]);
  });
});
