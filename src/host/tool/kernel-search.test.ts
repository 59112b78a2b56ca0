import { describe, expect, test } from "vitest";
import type { DocumentId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, person } from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

async function openFiles(files: Readonly<Record<string, string>>): Promise<[ToolWorld, TestAgent]> {
  const world = await openToolWorld();
  const author = await authorOf(world, person("maker"));
  for (const [path, text] of Object.entries(files)) {
    const file = { parentId: null, role: "user", kind: "file", status: "done" } as const;
    accept(
      await world.hub.editor.create(author, { ...file, documentId: path as DocumentId, text, metadata: { path } }),
    );
  }
  return [world, new TestAgent(world, null)];
}

/** Returns the places in an answer: path or id, with the lines. */
function places(content: JsonObject): unknown {
  const { blocks } = content as { readonly blocks: readonly { path?: string; matches: readonly { line: number }[] }[] };
  return blocks.map(({ path, matches }) => `${path ?? "-"}:${matches.map(({ line }) => line).join()}`);
}

describe("kernel.search", () => {
  const files = { "src/b.ts": "let x\nfn a\nfn b\n", "docs/a.md": "fn in words\n", "src/a.ts": "fn c\nend\n" };

  test("B-25 kernel_search finds files below a path in a stable order, grouped, with context", async () => {
    const [, agent] = await openFiles(files);
    const search = (more: JsonObject) => agent.must("kernel.search", { query: "fn \\w", ...more });
    expect(places(await search({}))).toEqual(["src/b.ts:1,2", "docs/a.md:0", "src/a.ts:0"]);
    expect(places(await search({ path_prefix: "src/" }))).toEqual(["src/b.ts:1,2", "src/a.ts:0"]);
    expect(await search({ path_prefix: "src/a", context_lines: 1 })).toMatchObject({
      blocks: [{ block_id: expect.any(String), matches: [{ line: 0, content: "fn c\nend", match_end: 4 }] }],
      truncated: false,
    });
    expect(await agent.must("kernel.search", { query: "nowhere" })).toEqual({ blocks: [], truncated: false });
  });

  test.each<readonly [bounds: JsonObject, found: readonly string[], truncated: boolean]>([
    [{ max_blocks: 3, max_matches_per_block: 2 }, ["src/b.ts:1,2", "docs/a.md:0", "src/a.ts:0"], false],
    [{ max_blocks: 2 }, ["src/b.ts:1,2", "docs/a.md:0"], true],
    [{ max_matches_per_block: 1 }, ["src/b.ts:1", "docs/a.md:0", "src/a.ts:0"], true],
    [{ max_matches_per_block: 1, path_prefix: "docs" }, ["docs/a.md:0"], false],
  ])("B-25 kernel_search with %j reports truncated exactly when there is more", async (bounds, found, truncated) => {
    const [, agent] = await openFiles(files);
    const answer = await agent.must("kernel.search", { query: "fn", ...bounds });
    expect(places(answer)).toEqual(found);
    expect(answer).toMatchObject({ truncated });
  });

  test("B-25 kernel_search searches files unless kinds names others, and never another conversation's own blocks", async () => {
    const [, agent] = await openFiles({ "a.md": "word\n" });
    await agent.must("block_create", { kind: "text", role: "user", content: "word" });
    const other = new TestAgent((await openFiles({}))[0], null, "other");
    const search = (who: TestAgent, kinds: readonly string[]) => who.must("kernel.search", { query: "word", kinds });
    expect(places(await agent.must("kernel.search", { query: "word" }))).toEqual(["a.md:0"]);
    expect(places(await search(agent, ["text"]))).toEqual(["-:0"]);
    expect(places(await search(agent, ["text", "file"]))).toEqual(["a.md:0", "-:0"]);
    expect(places(await search(other, ["text"]))).toEqual([]);
    expect(await agent.code("kernel.search", { query: "word", kinds: ["prose"] })).toBe("INVALID_PARAMS");
  });

  test("long lines are cut around the match, and an answer is bounded", async () => {
    const line = `{${'"word":1,'.repeat(20_000)}}`;
    const [, agent] = await openFiles(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}.json`, line])));
    const answer = await agent.must("kernel.search", { query: "word", max_matches_per_block: 1_000, max_blocks: 30 });
    const { blocks } = answer as { readonly blocks: readonly { readonly matches: readonly JsonObject[] }[] };
    expect([blocks.length, blocks[0]?.matches.length, answer["truncated"]]).toEqual([5, 100, true]);
    expect(blocks[0]?.matches[50]).toMatchObject({ match_start: 452, text_start: 202, cut: true });
    expect(blocks[0]?.matches[50]?.["content"]).toHaveLength(1_000);
    expect(blocks[0]?.matches[0]).toMatchObject({ match_start: 2, cut: true });
    expect(blocks[0]?.matches[0]).not.toHaveProperty("text_start");
  });

  test("B-25 kernel_search searches all files in several batches", async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`f${index}`, `line\nneedle\n`]));
    const [, agent] = await openFiles(many);
    const all = await agent.must("kernel.search", { query: "needle", max_blocks: 200 });
    expect(places(all)).toEqual(Object.keys(many).map((path) => `${path}:1`));
    expect(all).toMatchObject({ truncated: false });
    for (const shown of [50, 100, 119]) {
      const some = await agent.must("kernel.search", { query: "needle", max_blocks: shown });
      expect(some).toMatchObject({ truncated: true });
      expect(some["blocks"]).toHaveLength(shown);
    }
  });

  test("B-25 mode words returns the files that contain every word, best first, with the lines where a word begins", async () => {
    const [, agent] = await openFiles({
      "a.md": "tea and much else that is long, long, long\nnothing\ntea kettle\n",
      "b.md": "Kettle, tea\n",
      "c.md": "kettle only\n",
    });
    const search = (query: string, more: JsonObject = {}) =>
      agent.must("kernel.search", { query, mode: "words", ...more });
    expect(places(await search("tea kettle"))).toEqual(["b.md:0", "a.md:0,2"]);
    expect(places(await search("KETTLE te"))).toEqual(["b.md:0", "a.md:0,2"]);
    expect(places(await search("kettle", { path_prefix: "c" }))).toEqual(["c.md:0"]);
    expect(places(await search("kettle", { max_blocks: 1 }))).toHaveLength(1);
    expect(places(await search("+-*/"))).toEqual([]);
  });

  test.each([[["text"]], [["text", "file"]]])(
    "mode words refuses kinds %j and names the other modes",
    async (kinds) => {
      const [, agent] = await openFiles({ "a.md": "word\n" });
      const search = (mode: string) => agent.call("kernel.search", { query: "word", mode, kinds });
      const message = expect.stringContaining("mode literal or regex");
      expect((await search("words")).content).toMatchObject({
        code: "INVALID_PARAMS",
        message,
        details: { path: "kinds" },
      });
      expect((await search("literal")).ok).toBe(true);
      expect(await agent.code("kernel.search", { query: "word", mode: "words", kinds: ["file"] })).toBe("ok");
    },
  );

  test("kernel_search skips an unreadable text and says so", async () => {
    const [world, agent] = await openFiles({ "a.md": "word\n", "b.md": "word\n" });
    const damaged = (await world.hub.reader.list(null))[0]?.id;
    const read = world.hub.reader.read.bind(world.hub.reader);
    world.hub.reader.read = (id) => (id === damaged ? Promise.reject(new Error("a row holds nonsense")) : read(id));
    const answer = await agent.must("kernel.search", { query: "word" });
    expect(places(answer)).toEqual(["b.md:0"]);
    expect(answer).toMatchObject({ truncated: true, note: "1 texts could not be read and were not searched." });
  });

  test("kernel_search searches an invalid expression literally and says so", async () => {
    const [, agent] = await openFiles({ "a.md": "call a(b\n" });
    const answer = await agent.must("kernel.search", { query: "a(b" });
    expect(answer).toMatchObject({ blocks: [{ matches: [{ line: 0 }] }], note: expect.stringContaining("literal") });
  });

  test("kernel_search skips canvases that the agent has not checked out and says so", async () => {
    const world = await openToolWorld();
    const canvas = await createBlock(world, {
      kind: "file",
      text: "secret word\n",
      policy: "live",
      document: "canvas",
    });
    const agent = new TestAgent(world, canvas.id);
    const search = () => agent.must("kernel.search", { query: "word" });
    expect(await search()).toMatchObject({ blocks: [], note: expect.stringContaining("not searched") });
    await agent.checkOut();
    expect(await search()).toMatchObject({ blocks: [{ block_id: canvas.id }] });
  });
});
