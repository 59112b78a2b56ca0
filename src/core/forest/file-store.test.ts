import type { NodeId, RootId } from "../base/ids.ts";
import { describe, expect, test } from "vitest";
import { asking, assistant, result, user } from "../message/message.test-support.ts";
import { readFileStoreBookmarks, readFileStoreNode, readFileStoreRoots } from "./file-store-entities.ts";
import { portableOf, readFileStore, type FileStoreFolder, type StoredFile } from "./file-store.ts";
import { ada, bob } from "./forest.test-support.ts";
import { planImport } from "./import.ts";
import { readTomlTables } from "./toml-tables.ts";
import { utcMsOf } from "./utc-ms.ts";

const at = "2025-09-03T12:00:00.000Z";

function nodeFile(
  id: string,
  parent: string,
  message: unknown,
  metadata: object = {},
  childIds: readonly string[] = [],
): StoredFile {
  const [root] = id.split("/");
  const node = {
    id,
    root_id: root,
    parent_id: parent,
    child_ids: childIds,
    message,
    metadata: { timestamp: at, original_root_id: root, source_info: { type: "user" }, ...metadata },
  };
  return { name: `${id}.json`, text: JSON.stringify(node) };
}

const call = { id: "a", type: "function", function: { name: "look", arguments: "" } };

function folder(nodes: readonly StoredFile[], roots?: unknown): FileStoreFolder {
  const listed = roots ?? [
    { id: "root-1", createdAt: at, config: { systemPrompt: "Be brief." }, child_ids: ["root-1/node-1"] },
    { id: "root-2", createdAt: at, config: {}, child_ids: [] },
    { id: "root-3", createdAt: at, config: {}, child_ids: [], deleted: true },
  ];
  const text = typeof listed === "string" ? listed : JSON.stringify(listed);
  return { roots: { name: "roots.json", text }, nodes, bookmarks: { file: "config.toml", entries: [], problems: [] } };
}

function read(given: FileStoreFolder) {
  const forest = readFileStore(given);
  if (!forest.ok) throw new Error(JSON.stringify(forest.error));
  return forest.value;
}

describe("readFileStoreNode", () => {
  test("F-32 a legacy node with a message of one string is read in canonical form", () => {
    const text = nodeFile("root-1/node-1", "root-1", { role: "assistant", content: " x ", tool_calls: [call] }).text;
    expect(readFileStoreNode(text)).toEqual({
      ok: true,
      value: {
        id: "root-1/node-1",
        rootId: "root-1",
        parentId: null,
        childIds: [],
        message: { role: "assistant", content: [...assistant(" x ").content, ...asking("a").content] },
        source: { type: "user" },
        usage: null,
        createdAt: Date.parse(at),
      },
    });
  });

  test("F-32 a legacy node with content blocks is read unchanged, a result with its tool's name", () => {
    const message = { role: "tool", content: [{ type: "text", text: "seen" }], tool_call_id: "a" };
    const text = nodeFile("root-1/node-2", "root-1/node-1", message, {
      source_info: { type: "tool_result", tool_name: "look" },
    }).text;
    expect(readFileStoreNode(text)).toMatchObject({
      ok: true,
      value: { parentId: "root-1/node-1", message: result("a"), source: { type: "tool", toolName: "look" } },
    });
  });

  test("a legacy node keeps its labels and the settings of its model request", () => {
    const metadata = {
      source_info: {
        type: "model",
        provider: "openrouter",
        model_name: "anthropic/x",
        parameters: { max_tokens: 100, temperature: 0.7 },
        tools: [{ name: "look" }],
        finish_reason: "stop",
        usage: { input: 10, output: 20, raw: { anything: [1] } },
      },
      tags: ["good"],
      custom_data: { deep: { list: [1] } },
      split_source: "root-1/node-0",
    };
    expect(readFileStoreNode(nodeFile("root-1/node-1", "root-1", assistant("x"), metadata).text)).toMatchObject({
      ok: true,
      value: {
        source: { type: "model", provider: "openrouter", model: "anthropic/x" },
        usage: { inputTokens: 10, outputTokens: 20, cachedInputTokens: 0, thinkingTokens: 0 },
        request: { model: "openrouter/anthropic/x", maxTokens: 100, temperature: 0.7, tools: ["look"], stop: "stop" },
        tags: ["good"],
        customData: { deep: { list: [1] } },
        splitFrom: "root-1/node-0",
      },
    });
  });

  test.each<[string, string, string, string]>([
    ["that is not JSON", "{", "FILE_STORE_INVALID", ""],
    ["that is empty", "", "FILE_STORE_INVALID", ""],
    ["without an id", nodeFile("", "root-1", user("x")).text, "FILE_STORE_INVALID", "id"],
    [
      "without metadata",
      JSON.stringify({ id: "root-1/node-1", root_id: "root-1", message: user("x") }),
      "FILE_STORE_INVALID",
      "metadata",
    ],
    [
      "with an unknown time",
      nodeFile("root-1/node-1", "root-1", user("x"), { timestamp: "yesterday" }).text,
      "FILE_STORE_INVALID",
      "metadata.timestamp",
    ],
    [
      "with an unknown source",
      nodeFile("root-1/node-1", "root-1", user("x"), { source_info: { type: "dream" } }).text,
      "FILE_STORE_INVALID",
      "metadata.source_info.type",
    ],
    ["without a message", nodeFile("root-1/node-1", "root-1", undefined).text, "FILE_STORE_INVALID", "message"],
    [
      "with an unknown block",
      nodeFile("root-1/node-1", "root-1", { role: "user", content: [{ type: "x" }] }).text,
      "MESSAGE_INVALID",
      "message.content.0.type",
    ],
    [
      "with an empty message",
      nodeFile("root-1/node-1", "root-1", { role: "user", content: "" }).text,
      "MESSAGE_INVALID",
      "message.content",
    ],
    [
      "with broken arguments",
      nodeFile("root-1/node-1", "root-1", {
        role: "assistant",
        content: null,
        tool_calls: [{ ...call, function: { name: "look", arguments: "{" } }],
      }).text,
      "TOOL_ARGUMENTS_INVALID",
      "message.tool_calls.0.function.arguments",
    ],
  ])("F-32 a legacy node %s is refused with the path of the field", (_name, text, code, place) => {
    const node = readFileStoreNode(text);
    expect(node.ok ? null : [node.error.code, node.error.details?.["at"]]).toEqual([code, place]);
  });
});

describe("readFileStoreRoots", () => {
  const root = { id: "root-1", createdAt: at, config: { systemPrompt: "sys " }, child_ids: ["root-1/node-1"] };
  const bare = { id: "root-1", createdAt: at, config: {} };
  const entry = {
    id: "root-1",
    systemPrompt: "sys ",
    createdAt: Date.parse(at),
    childIds: ["root-1/node-1"],
    deleted: false,
  };

  test.each<[string, unknown]>([
    ["a list", [root]],
    ["an object", { "root-1": root }],
    ["a list in an object", { roots: [root] }],
  ])("the list of roots may be %s", (_name, value) => {
    expect(readFileStoreRoots(JSON.stringify(value))).toEqual({ ok: true, value: { entries: [entry], problems: [] } });
  });

  test("the list of roots may omit empty fields", () => {
    const read = readFileStoreRoots(
      JSON.stringify([bare, { ...bare, config: { systemPrompt: null }, child_ids: null }]),
    );
    const empty = { ...entry, systemPrompt: undefined, childIds: [] };
    expect(read).toEqual({ ok: true, value: { entries: [empty, empty], problems: [] } });
  });

  test("F-01 a root without a prompt differs from one with an empty prompt", () => {
    const read = readFileStoreRoots(
      JSON.stringify([
        { ...root, config: {} },
        { ...root, config: { systemPrompt: "" } },
      ]),
    );
    expect(read.ok ? read.value.entries.map((each) => each.systemPrompt) : read.error).toEqual([undefined, ""]);
  });

  test("L12 a broken list of roots is refused, never read as empty", () => {
    for (const text of ["", "{", "null", "5", '"root-1"']) {
      const read = readFileStore(folder([], text));
      expect(read.ok ? null : read.error).toMatchObject({
        code: "FILE_STORE_INVALID",
        details: { file: "roots.json" },
      });
    }
  });

  test("a broken root does not affect the others", () => {
    const read = readFileStoreRoots(JSON.stringify([{ ...root, config: 5 }, root]));
    expect(read.ok ? read.value : read.error).toMatchObject({
      entries: [entry],
      problems: [{ code: "FILE_STORE_INVALID", details: { at: "roots.0.config" } }],
    });
  });
});

describe("readFileStore", () => {
  const whole = [
    nodeFile("root-1/node-10", "root-1/node-1", { role: "assistant", content: "later" }),
    nodeFile("root-1/node-2", "root-1/node-1", { role: "assistant", content: "first" }),
    nodeFile("root-1/node-1", "root-1", { role: "user", content: "q" }, {}, ["root-1/node-2", "root-1/node-10"]),
    nodeFile("root-3/node-1", "root-3", { role: "user", content: "of a deleted root" }),
  ];

  test("readFileStore returns every root with siblings in order, without deleted roots", () => {
    const { roots, problems, mended } = read(folder(whole));
    expect(roots.map(({ id, systemPrompt, nodes }) => [id, systemPrompt, nodes.map((node) => node.id)])).toEqual([
      ["root-1", "Be brief.", ["root-1/node-1", "root-1/node-2", "root-1/node-10"]],
      ["root-2", undefined, []],
    ]);
    expect(problems).toEqual([]);
    expect(mended).toEqual([]);
  });

  test("a legacy root imports with its labels, each node under the actor for its source", () => {
    const [root] = read(folder(whole)).roots;
    const nodes = (root?.nodes ?? []).map((node) => portableOf(node, node.source.type === "user" ? bob : ada));
    const newIds = nodes.map((_, index) => `n${index}` as NodeId);
    const { added, idsBySource } = planImport({ rootId: "r" as RootId, nodes, newIds, existing: new Map() });
    expect(added.map(({ id, parentId, actor, createdAt }) => [id, parentId, actor, createdAt])).toEqual([
      ["n0", null, bob, Date.parse(at)],
      ["n1", "n0", bob, Date.parse(at)],
      ["n2", "n0", bob, Date.parse(at)],
    ]);
    expect(idsBySource.get("root-1/node-10")).toBe("n2");
    expect(Object.keys(added[0] ?? {}).toSorted()).toEqual([
      "actor",
      "createdAt",
      "id",
      "message",
      "parentId",
      "prefixHash",
      "rootId",
      "runId",
      "turnId",
      "usage",
    ]);
  });

  test("F-32 a corrupted file is reported, and every node that does not depend on it is readable", () => {
    const { roots, problems } = read(
      folder([
        ...whole,
        { name: "root-1/node-3.json", text: '{"id": "root-1/no' },
        nodeFile("root-1/node-4", "root-1/node-3", { role: "user", content: "below" }),
        nodeFile("root-9/node-1", "root-9", { role: "user", content: "of no root" }),
      ]),
    );
    expect(roots[0]?.nodes).toHaveLength(3);
    expect(problems.map(({ file, refusal }) => [file, refusal.code])).toEqual([
      ["root-1/node-3.json", "FILE_STORE_INVALID"],
      ["root-9/node-1.json", "FILE_STORE_INVALID"],
      ["root-1/node-4.json", "MESSAGE_INVALID"],
    ]);
  });

  test("L4 a lost result is replaced by a fixed one and reported", () => {
    const { roots, problems, mended } = read(
      folder([
        nodeFile("root-1/node-1", "root-1", { role: "user", content: "q" }),
        nodeFile("root-1/node-2", "root-1/node-1", { role: "assistant", content: null, tool_calls: [call] }),
        nodeFile("root-1/node-3", "root-1/node-2", { role: "assistant", content: "on" }),
      ]),
    );
    expect(problems).toEqual([]);
    expect(mended).toEqual(["root-1/node-2/a"]);
    expect(roots[0]?.nodes.map((node) => node.message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  test("inserted results get ids that no node has, so that nothing attaches to the wrong node", () => {
    const { roots, mended } = read(
      folder([
        nodeFile("root-1/node-2", "root-1", { role: "assistant", content: null, tool_calls: [call] }),
        nodeFile("root-1/node-3", "root-1/node-2", { role: "assistant", content: "on" }),
        nodeFile("root-1/node-2/a", "root-1", { role: "user", content: "named like a result" }),
        nodeFile("root-1/node-4", "root-1/node-2/a", { role: "assistant", content: "its answer" }),
      ]),
    );
    expect(mended).toEqual(["root-1/node-2/a~"]);
    const parents = new Map((roots[0]?.nodes ?? []).map(({ id, parentId }) => [id, parentId]));
    expect([...parents]).toEqual([
      ["root-1/node-2", null],
      ["root-1/node-2/a~", "root-1/node-2"],
      ["root-1/node-3", "root-1/node-2/a~"],
      ["root-1/node-2/a", null],
      ["root-1/node-4", "root-1/node-2/a"],
    ]);
  });

  test("readFileStore keeps bookmarks of kept nodes and reports the others", () => {
    const bookmarks = readFileStoreBookmarks([
      { title: "node", rootId: "root-1", nodeId: "root-1/node-2", createdAt: at, updatedAt: at },
      { title: "root", rootId: "root-2", createdAt: 5 },
      { title: "lost", rootId: "root-1", nodeId: "root-1/node-77" },
      { title: "", rootId: "root-1" },
    ]);
    const { bookmarks: kept, problems } = read({ ...folder(whole), bookmarks: { ...bookmarks, file: "config.toml" } });
    expect(kept).toEqual([
      {
        title: "node",
        rootId: "root-1",
        nodeId: "root-1/node-2",
        createdAt: Date.parse(at),
        updatedAt: Date.parse(at),
      },
      { title: "root", rootId: "root-2", nodeId: null, createdAt: 5, updatedAt: 5 },
    ]);
    expect(problems.map(({ file }) => file)).toEqual(["config.toml", "config.toml"]);
  });

  test("bookmarks that are no list are reported, and none is kept", () => {
    expect(readFileStoreBookmarks({ title: "node" })).toMatchObject({
      entries: [],
      problems: [{ code: "FILE_STORE_INVALID" }],
    });
  });

  test("readFileStore reports every problem, even more than a call can take as arguments", () => {
    const entries = Array.from({ length: 200_000 }, (_, index) => {
      return { title: `${index}`, rootId: "root-9", nodeId: null, createdAt: 0, updatedAt: 0 };
    });
    const problems = readFileStoreBookmarks(Array.from({ length: 200_000 }, () => null)).problems;
    const { problems: reported } = read({ ...folder([]), bookmarks: { file: "config.toml", entries, problems } });
    expect(reported).toHaveLength(400_000);
  });
});

describe("the settings of the legacy store", () => {
  test("readTomlTables returns the bookmarks and skips other tables", () => {
    const text = [
      'currentNodeId = "root-1/node-1"',
      "[defaults]",
      'model = "openai/gpt-4o"',
      "[[bookmarks]]",
      'title = "A \\"good\\" one \\U0001F600" # remark',
      "rootId = 'root-1'",
      "createdAt = 2025-09-03T12:00:00.000Z",
      "",
      "[[mcp_servers]]",
      'name = "x"',
      "[[ bookmarks ]]",
      'title = "second"',
      'rootId = "root-2"',
      "createdAt = 1_000",
      "pinned = true",
    ].join("\n");
    expect(readTomlTables(text, "bookmarks")).toEqual({
      tables: [
        { title: 'A "good" one 😀', rootId: "root-1", createdAt: "2025-09-03T12:00:00.000Z" },
        { title: "second", rootId: "root-2", createdAt: 1_000, pinned: true },
      ],
      problems: [],
    });
  });

  test.each(["title", "title =", 'title = "open', "title = [1]", "title = '", 'title = "\\q"', '= "x"'])(
    "readTomlTables reports the line %s",
    (line) => {
      const { tables, problems } = readTomlTables(`[[bookmarks]]\n${line}\nrootId = "root-1"`, "bookmarks");
      expect(tables).toEqual([{ rootId: "root-1" }]);
      expect(problems.map(({ details }) => details?.["at"])).toEqual(["line 2"]);
    },
  );
});

test("a hostile settings file is read quickly", () => {
  for (const line of [
    `[${" ".repeat(200_000)}`,
    `[[${"[".repeat(200_000)}`,
    `${" ".repeat(200_000)}x`,
    `a = ${'"\\\\'.repeat(100_000)}`,
    `a${" ".repeat(200_000)}`,
  ]) {
    const { tables } = readTomlTables(`[[bookmarks]]\n${line}\n[[bookmarks]]\ntitle = "x"`, "bookmarks");
    expect(tables).toEqual([{}, { title: "x" }]);
  }
}, 2_000);

describe("a time of the legacy store", () => {
  test.each([
    "1970-01-01T00:00:00.000Z",
    "2025-09-03T12:34:56.789Z",
    "2024-02-29T23:59:59Z",
    "2000-03-01T00:00:00Z",
    "1969-12-31T23:59:59.999Z",
    "2025-01-01T01:00:00+02:30",
    "2025-12-31T23:00:00-05:00",
    "2025-09-03",
    "2025-09-03T24:00:00Z",
  ])("%s is parsed to the same time as by Date", (text) => {
    expect(utcMsOf(text)).toBe(Date.parse(text));
  });

  test.each([
    "",
    "now",
    "2025-13-01",
    "2025-02-29",
    "2023-02-29T00:00:00Z",
    "2025-01-01T25:00:00Z",
    "2025-01-01T24:30Z",
    "2025-1-1",
  ])("%j is not a time", (text) => {
    expect(utcMsOf(text)).toBeNaN();
  });
});
