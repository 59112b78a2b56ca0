import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import { encodeBase64 } from "../base/base64.ts";
import { sha256HexOfBytes } from "../base/hash.ts";
import type { NodeId, RootId } from "../base/ids.ts";
import { asking, assistant, result, use, user } from "../message/message.test-support.ts";
import type { ImageBlock, Message } from "../message/types.ts";
import { noUsage } from "../message/usage.ts";
import { arrange } from "./arrange.ts";
import { blobIdsOf, exportForest, exportJson } from "./export.ts";
import { bob, Tree } from "./forest.test-support.ts";
import { planImport } from "./import.ts";
import { linkOutlines, outlineOf } from "./outline.ts";
import type { PortableNode } from "./portable.ts";
import { readableExport, readablePieces } from "./readable.ts";
import { readExport } from "./read-export.ts";
import type { Bookmark, ForestNode, ForestRoot } from "./types.ts";

const root: ForestRoot = {
  id: "root" as RootId,
  slug: "talk",
  title: "A talk",
  systemPrompt: "Be brief.",
  model: "p/m",
  canvasId: null,
  cwd: "/home/ada/secret",
  archived: false,
  createdAt: 0,
  updatedAt: 0,
};

/** Builds a tree with a branch, a round of tools and every optional field. */
function grown(): Tree {
  const tree = new Tree();
  const question = tree.grow(null, user("q"));
  tree.grow(question.id, asking("a"), result("a", "```\nfound\n```"), { ...assistant("x"), interrupted: true });
  const other = tree.grow(question.id, assistant("y"));
  const full: ForestNode = {
    ...other,
    tags: ["good"],
    customData: { stars: [5] },
    splitFrom: question.id,
    usage: { ...noUsage, inputTokens: 3 },
    request: { model: "p/m", maxTokens: 5, temperature: 0.5, tools: ["look"], stop: "end" },
    variants: [{ at: 7, actor: bob, usage: null, request: { model: "p/n" } }],
  };
  tree.store({ added: [], changed: [full], removed: [], rehashedBelow: [] });
  return tree;
}

const bookmark = (nodeId: string | null, title: string): Bookmark => ({
  title,
  rootId: root.id,
  nodeId: nodeId as NodeId | null,
  createdAt: 1,
  updatedAt: 2,
});

function imported(nodes: readonly PortableNode[], existing: ReadonlyMap<string, NodeId> = new Map()) {
  const newIds = nodes.map((_, index) => `m${index}` as NodeId);
  return planImport({ rootId: "other" as RootId, nodes, newIds, existing });
}

describe("an export", () => {
  const tree = grown();
  const exported = exportForest({
    root,
    nodes: tree.nodes,
    bookmarks: [bookmark("n4", "here"), bookmark(null, "root"), bookmark("gone", "lost")],
  });

  test("an export imports with equal prefix hashes and everything that belongs to its nodes", () => {
    const read = readExport(exportJson(exported));
    expect(read).toEqual({ ok: true, value: exported });
    const { added, idsBySource } = imported(exported.nodes);
    expect(added.map((node) => node.prefixHash)).toEqual(tree.nodes.map((node) => node.prefixHash));
    for (const [index, node] of added.entries()) {
      const source = must(tree.nodes[index], "a node");
      expect(node).toEqual({
        ...source,
        id: idsBySource.get(source.id),
        rootId: "other",
        parentId: source.parentId === null ? null : idsBySource.get(source.parentId),
        ...(source.splitFrom === undefined ? {} : { splitFrom: idsBySource.get(source.splitFrom) }),
      });
    }
  });

  test("an export keeps continuations and Heddle's instructions", () => {
    const grownOn = new Tree();
    const last = grownOn.grow(null, user("q"), { ...user("Sum up."), instruction: "summary" }, assistant("Short."));
    const beginning = grownOn.grow(null, { ...user("It came to: Short."), instruction: "continuation" });
    grownOn.store({ added: [], changed: [{ ...beginning, continues: last.id }], removed: [], rehashedBelow: [] });
    const whole = exportForest({ root, nodes: grownOn.nodes, bookmarks: [] });
    const read = readExport(exportJson(whole));
    expect(read).toEqual({ ok: true, value: whole });
    const { added, idsBySource } = imported(whole.nodes);
    expect(added.at(-1)).toMatchObject({
      continues: idsBySource.get(last.id),
      prefixHash: beginning.prefixHash,
      message: { instruction: "continuation" },
    });
    const part = imported(whole.nodes.filter(({ id }) => id === beginning.id));
    expect(part.added[0]).not.toHaveProperty("continues");
    const text = readableExport(whole, "text");
    expect(text).toContain("(asked for a summary)");
    expect(text).not.toContain("Sum up.");
    expect(text).toContain("It came to: Short.");
  });

  test("an imported compaction replaces the same messages, by their new ids", () => {
    const compacted = new Tree();
    const through = compacted.grow(null, user("q"), assistant("a"));
    const summary = compacted.grow(through.id, { ...user("Short."), instruction: "compaction" });
    const by = { messages: 2, tokensBefore: 9, tokensAfter: 3, by: "person", model: "p/m" } as const;
    const changed = [{ ...summary, compacts: { through: through.id, ...by } }];
    compacted.store({ added: [], changed, removed: [], rehashedBelow: [] });
    const { added, idsBySource } = imported(exportForest({ root, nodes: compacted.nodes, bookmarks: [] }).nodes);
    expect(added.map(({ compacts }) => compacts)).toEqual([
      undefined,
      undefined,
      { through: idsBySource.get(through.id), ...by },
    ]);
  });

  test("an export keeps the bookmarks of its nodes and of the conversation, and of no other", () => {
    expect(exported.bookmarks.map(({ title, nodeId }) => [title, nodeId])).toEqual([
      ["here", "n4"],
      ["root", null],
    ]);
  });

  test("the export of a path holds only that path and its bookmarks", () => {
    const path = exportForest({ root, nodes: tree.path("n3" as NodeId), bookmarks: [bookmark("n4", "other branch")] });
    expect(path.nodes.map((node) => node.id)).toEqual(["n0", "n1", "n2", "n3"]);
    expect(path.bookmarks).toEqual([]);
    expect(readExport(exportJson(path)).ok).toBe(true);
  });

  test("an export contains nothing about the machine", () => {
    expect(exportJson(exported)).not.toMatch(/secret|rootId|prefixHash|canvas/);
  });

  test("importing an export twice adds nothing the second time", () => {
    const first = imported(exported.nodes);
    const existing = new Map(first.added.map((node) => [node.prefixHash, node.id]));
    const second = imported(exported.nodes, existing);
    expect(second.added).toEqual([]);
    expect(second.idsBySource).toEqual(first.idsBySource);
  });

  test("an import merges equal siblings into one node with the children of both", () => {
    const nodes: readonly PortableNode[] = [user("a"), assistant("x"), user("a"), assistant("y")].map(
      (message, at) => ({
        id: `s${at}`,
        parentId: at % 2 === 0 ? null : `s${at - 1}`,
        message,
        actor: bob,
        usage: null,
        createdAt: at,
      }),
    );
    const { added, idsBySource } = imported(nodes);
    expect(added.map((node) => [node.id, node.parentId])).toEqual([
      ["m0", null],
      ["m1", "m0"],
      ["m3", "m0"],
    ]);
    expect(idsBySource.get("s2")).toBe("m0");
  });

  test("an export includes the bytes of images and files, and readExport detects altered bytes", () => {
    const bytes = Uint8Array.from([1, 2, 3]);
    const blob = { id: sha256HexOfBytes(bytes), data: encodeBase64(bytes) };
    const image: ImageBlock = { type: "image", mediaType: "image/png", source: { type: "blob", id: blob.id, size: 3 } };
    const shown = new Tree();
    shown.grow(null, { role: "user", content: [image, image] }, assistant("seen"));
    expect(blobIdsOf(shown.nodes)).toEqual([blob.id]);
    const withBytes = exportForest({ root, nodes: shown.nodes, bookmarks: [], blobs: [blob] });
    expect(readExport(exportJson(withBytes))).toEqual({ ok: true, value: withBytes });
    for (const data of [encodeBase64(Uint8Array.from([1, 2, 4])), "not base64"]) {
      const read = readExport(exportJson({ ...withBytes, blobs: [{ ...blob, data }] }));
      expect(read.ok ? null : read.error.details).toMatchObject({ at: "blobs.0" });
    }
  });

  const [first, ...others] = exported.nodes;
  const without = (field: string): object =>
    Object.fromEntries(Object.entries({ ...first }).filter(([key]) => key !== field));
  test.each<[string, unknown, string]>([
    ["a list", [], "format"],
    ["another format", { ...exported, format: "chat" }, "format"],
    ["a later version", { ...exported, version: 2 }, "version"],
    ["a root without a prompt", { ...exported, root: { title: "", model: "" } }, "root.systemPrompt"],
    ["nodes in an object", { ...exported, nodes: {} }, "nodes"],
    ["a node without a time", { ...exported, nodes: [without("createdAt")] }, "nodes.0.createdAt"],
    [
      "a node with an unknown actor",
      { ...exported, nodes: [{ ...first, actor: { type: "ghost" } }] },
      "nodes.0.actor.type",
    ],
    [
      "a broken message",
      {
        ...exported,
        nodes: [first, { ...first, id: "z", message: { role: "user", content: [{ type: "text", text: 1 }] } }],
      },
      "nodes.1.message.content.0.text",
    ],
    ["a missing parent", { ...exported, nodes: others }, "nodes.0"],
    ["a duplicate id", { ...exported, nodes: [first, first] }, "nodes.1"],
    ["parents in a cycle", { ...exported, nodes: [{ ...first, parentId: "n0" }] }, "nodes.0"],
    ["a result without its call", { ...exported, nodes: [{ ...first, message: result("a") }] }, "nodes.0"],
    ["a bookmark on a missing node", { ...exported, bookmarks: [bookmark("gone", "lost")] }, "bookmarks.0.nodeId"],
  ])("an export with %s is refused with the path of the field", (_name, value, at) => {
    const read = readExport(JSON.stringify(value));
    expect(read.ok ? null : { code: read.error.code, at: read.error.details?.["at"] }).toEqual({
      code: "EXPORT_INVALID",
      at,
    });
    expect(read.ok ? "" : read.error.details?.["problem"]).toMatch(/./);
  });

  test.each(["", "{", "null", "5", "[".repeat(100_000)])("readExport refuses %.10j", (text) => {
    const read = readExport(text);
    expect(read.ok ? "" : read.error.code).toBe("EXPORT_INVALID");
  });

  test("an export of any tree imports with equal hashes", () => {
    const message = fc
      .oneof(fc.string({ minLength: 1 }).map(user), fc.string({ minLength: 1 }).map(assistant))
      .filter((each) => each.content.some((block) => block.type === "text" && block.text.trim() !== ""));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), message), { minLength: 1, maxLength: 12 }), (steps) => {
        const any = new Tree();
        for (const [at, each] of steps)
          any.grow(at === 0 ? null : (any.nodes[at % Math.max(1, any.nodes.length)]?.id ?? null), each);
        const read = readExport(exportJson(exportForest({ root, nodes: any.nodes, bookmarks: [] })));
        if (!read.ok) throw new Error(JSON.stringify(read.error));
        const { idsBySource, added } = imported(read.value.nodes);
        const byId = new Map(added.map((node) => [node.id, node]));
        for (const node of any.nodes) {
          expect(byId.get(must(idsBySource.get(node.id), "an id"))?.prefixHash).toBe(node.prefixHash);
        }
      }),
    );
  });
});

describe("readableExport", () => {
  const exported = exportForest({ root, nodes: grown().nodes, bookmarks: [] });

  test("readableExport as Markdown numbers messages, marks branches and fences tool results", () => {
    expect(readableExport(exported, "markdown")).toBe(
      [
        "# A talk",
        "## System prompt",
        "Be brief.",
        "## 1. Ada",
        "q",
        "## 2. assistant, given by Ada",
        "*calls look*",
        "```json\n{}\n```",
        "## 3. Result of look",
        "````\n```\nfound\n```\n````",
        "## 4. assistant, given by Ada",
        "x",
        "*cut off here*",
        "## 5. assistant, given by Ada",
        "*continues from 1*",
        "y\n",
      ].join("\n\n"),
    );
  });

  test("readableExport writes each branch to its end before the next, in any order of nodes", () => {
    const [q, call, found, x, y] = exported.nodes;
    const mixed = [q, y, call, found, x].map((node) => must(node, "a node"));
    const text = readableExport({ ...exported, nodes: mixed }, "text");
    expect(
      [...text.matchAll(/--- \d\. (.*) ---|\((continues from \d)\)/g)].map((match) => match[1] ?? match[2]),
    ).toEqual([
      "Ada",
      "assistant, given by Ada",
      "assistant, given by Ada",
      "continues from 1",
      "Result of look",
      "assistant, given by Ada",
    ]);
  });

  test("readableExport as plain text marks up only headings", () => {
    const text = readableExport(exported, "text");
    expect(text).toContain("A talk\n======\n\n--- System prompt ---\n\nBe brief.\n\n--- 1. Ada ---\n\nq\n");
    expect(text).toContain("--- 5. assistant, given by Ada ---\n\n(continues from 1)\n\ny\n");
    expect(text).not.toMatch(/^#|^\*/m);
  });

  test("readablePieces orders a long conversation with pauses, and writes it in small pieces", () => {
    const first = new Tree().grow(null, user("a"));
    const nodes = Array.from({ length: 12_000 }, (_, at) => ({
      ...first,
      id: `n${at}`,
      parentId: at === 0 ? null : `n${at - 1}`,
    }));
    const pieces = [...readablePieces({ root, nodes }, "text")];
    expect(pieces.findIndex((piece) => piece !== "")).toBe(6);
    expect(pieces.join("")).toMatch(/--- 12000\. [^\n]+ ---\n\na\n$/);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(20_000);
  });

  test("readableExport separates messages everywhere, in however many pieces it writes them", () => {
    const tree = new Tree();
    let parent: NodeId | null = null;
    for (let count = 0; count < 450; count += 1) parent = tree.grow(parent, user(`q${count}`)).id;
    const pieces = [...readablePieces(exportForest({ root, nodes: tree.nodes, bookmarks: [] }), "text")];
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("").match(/\n\n--- \d+\. /g)).toHaveLength(450);
  });

  test("readableExport says that a result is empty, and passes over an empty text", () => {
    const tree = new Tree();
    tree.grow(null, user("q"), asking("a"), result("a", ""), assistant(""));
    const text = readableExport(exportForest({ root, nodes: tree.nodes, bookmarks: [] }), "text");
    expect(text.match(/\(empty\)/g)).toHaveLength(1);
  });

  test("readableExport says what a provider's own tool did, with its sources if it named some", () => {
    const page = { url: "https://example.org/a", title: "A" };
    const steps = [{ results: [page] }, {}].map((found) => ({
      type: "opaque" as const,
      api: "any",
      raw: { type: "web_search_call", query: "looms", ...found },
    }));
    const tree = new Tree();
    tree.grow(null, { role: "assistant", content: [must(steps[0], "a step"), must(steps[1], "a step")] });
    const text = readableExport(exportForest({ root, nodes: tree.nodes, bookmarks: [] }), "text");
    const said = "(Searched the web: looms)";
    expect(text).toContain(`\n\n${said}\n\nSources: [A](<${page.url}>)\n\n${said}\n`);
    expect(text.endsWith(`${said}\n`)).toBe(true);
  });

  test("readableExport uses a longer fence than any in a tool result", () => {
    const tree = new Tree();
    tree.grow(null, asking("a"), result("a", "` ".repeat(300_000)));
    const text = readableExport(exportForest({ root, nodes: tree.nodes, bookmarks: [] }), "markdown");
    expect(text).toContain("```\n` ` `");
  });

  test("readableExport shows media by kind and omits thinking", () => {
    const messages: readonly [Message, Message] = [
      {
        role: "user",
        content: [
          { type: "image", mediaType: "image/png", source: { type: "url", url: "https://example.org/a.png" } },
          { type: "file", mediaType: "text/plain", name: "a.txt", source: { type: "base64", data: "AA==" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", text: "hm" },
          { type: "refusal", text: "no" },
          { type: "notice", text: "stopped" },
          use("a"),
        ],
      },
    ];
    const tree = new Tree();
    tree.grow(null, ...messages);
    const text = readableExport(exportForest({ root, nodes: tree.nodes, bookmarks: [] }), "text");
    expect(text).toContain("(image (image/png) https://example.org/a.png)\n\n(file a.txt (text/plain))");
    expect(text).toContain("(refused)\n\nno\n\n(stopped)\n\n(calls look)");
    expect(text).not.toContain("hm");
  });
});

describe("arrange", () => {
  const node = (id: string, parentId: string | null, message: Message) => ({ id, parentId, message });

  test("arrange orders nodes with parents first and keeps the order of siblings", () => {
    const { nodes, problems } = arrange([
      node("c", "b", user("3")),
      node("a2", null, user("x")),
      node("b", "a", assistant("2")),
      node("a", null, user("1")),
    ]);
    expect(nodes.map(({ id }) => id)).toEqual(["a2", "a", "b", "c"]);
    expect(problems).toEqual([]);
  });

  test("arrange keeps valid nodes and reports each invalid one", () => {
    const { nodes, problems } = arrange([
      node("a", null, user("1")),
      node("b", "a", user(" ")),
      node("c", "b", user("3")),
      node("d", "a", assistant("4")),
      node("e", "gone", user("5")),
      node("f", "e", user("6")),
      node("g", "h", user("7")),
      node("h", "g", user("8")),
      node("d", "a", user("9")),
    ]);
    expect(nodes.map(({ id }) => id)).toEqual(["a", "d"]);
    expect(problems.map(({ id }) => id).toSorted()).toEqual(["b", "c", "d", "e", "f", "g", "h"]);
  });

  test("L4 arrange with `mend` inserts a fixed result for each unanswered call", () => {
    const lost = [
      node("a", null, user("1")),
      node("b", "a", asking("x", "y")),
      node("c", "b", result("x")),
      node("d", "c", assistant("on")),
      node("e", "c", assistant("on, otherwise")),
      node("f", "c", result("y")),
      node("g", "a", asking("z")),
    ];
    const strict = arrange(lost);
    expect(strict.problems.map(({ id, refusal }) => [id, refusal.code])).toEqual([
      ["d", "TOOL_RESULT_UNPAIRED"],
      ["e", "TOOL_RESULT_UNPAIRED"],
    ]);
    const { nodes, problems, mended } = arrange(lost, ({ id, parent, message }) => node(id, parent.id, message));
    expect(problems).toEqual([]);
    expect(mended).toEqual(["c/y"]);
    expect(nodes.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["a", null],
      ["b", "a"],
      ["c", "b"],
      ["c/y", "c"],
      ["d", "c/y"],
      ["e", "c/y"],
      ["f", "c"],
      ["g", "a"],
    ]);
    expect(nodes[3]?.message).toMatchObject({ role: "tool", tool_call_id: "y", outcome: "unknown", synthetic: true });
  });

  test("arrange names a nameless result after its call", () => {
    const nameless = { ...result("x"), tool_name: "unknown" };
    const { nodes } = arrange([node("a", null, user("1")), node("b", "a", asking("x")), node("c", "b", nameless)]);
    expect(nodes[2]?.message).toEqual(result("x"));
  });

  test("L5 arrange drops a result that answers no call", () => {
    const { nodes, problems } = arrange([node("a", null, user("1")), node("b", "a", result("x"))]);
    expect(nodes.map(({ id }) => id)).toEqual(["a"]);
    expect(problems.map(({ id, refusal }) => [id, refusal.code])).toEqual([["b", "TOOL_RESULT_UNPAIRED"]]);
  });

  test("arrange handles ten thousand messages in a row or side by side", () => {
    const chain = Array.from({ length: 10_000 }, (_, at) =>
      node(`${at}`, at === 0 ? null : `${at - 1}`, user(`${at}`)),
    );
    expect(arrange(chain.toReversed()).nodes).toHaveLength(10_000);
    expect(arrange(chain.map((each) => ({ ...each, parentId: null }))).nodes).toHaveLength(10_000);
  });
});

describe("linkOutlines", () => {
  test("F-46 the outline holds no text of messages and links parents and children", () => {
    const tree = grown();
    const linked = linkOutlines(tree.nodes.map(outlineOf));
    expect(Object.keys(linked[0] ?? {}).toSorted()).toEqual([
      "childIds",
      "createdAt",
      "id",
      "parentId",
      "role",
      "rootId",
    ]);
    for (const { id, childIds } of linked) expect(childIds).toEqual(tree.children(id).map((child) => child.id));
  });
});
