import { describe, expect, test } from "vitest";
import type { BlockHeader } from "../../../core/block/types.ts";
import { root, rootId } from "../../../testing/store/records.ts";
import { findAll, type Searched } from "./find-all.ts";
import { excerptAround, readableText } from "./readable-excerpt.ts";

const answer = JSON.stringify({ path: "birds.md", text: `${"x ".repeat(200)}a swallow\nflies` });
const messages: Readonly<Record<string, object>> = {
  said: { role: "assistant", content: [{ type: "text", text: "One swallow." }] },
  called: { role: "tool", content: [{ type: "text", text: answer }] },
};
const header = (id: string, metadata: object, updatedAt: number, policy?: string): BlockHeader =>
  ({ id, metadata, updatedAt, ...(policy === undefined ? {} : { policy }) }) as unknown as BlockHeader;
const thread = (text: string, more: object = {}) => ({ id: "thread", comments: [{ text }], ...more });

/** A workspace in which everything is about swallows. */
const searched = {
  store: {
    searchWords: async (query: { readonly in: string }) =>
      query.in === "messages"
        ? [
            { id: "called", rootId: rootId("a"), excerpt: '{"path":"birds.md"' },
            { id: "said", rootId: rootId("a"), excerpt: "One swallow." },
            { id: "gone", rootId: rootId("a"), excerpt: "swallow" },
          ]
        : [
            { id: "canvas", rootId: null, excerpt: "a swallow" },
            { id: "file", rootId: null, excerpt: "two swallows" },
            { id: "deleted", rootId: null, excerpt: "no swallow" },
          ],
    root: async () => root("a", { title: "Birds" }),
    node: async (id: string) => (messages[id] === undefined ? null : { message: messages[id] }),
    threads: async (id: string) =>
      id === "canvas" ? [thread("Which swallow?"), thread("Which bird?"), thread("A swallow", { deletedAt: 1 })] : [],
  },
  hub: {
    reader: {
      list: async () => [header("canvas", { title: "Plan" }, 1, "live"), header("file", { path: "a/birds.md" }, 2)],
    },
  },
} as unknown as Searched;

describe("17.14 a search over everything", () => {
  test("finds messages, documents, files and comments with where they are, and results of tools last and readable", async () => {
    const finds = await findAll(searched, { words: "swallow" }, null);
    expect(finds.map(({ kind, id, title }) => [kind, id, title])).toEqual([
      ["message", "said", "Birds"],
      ["document", "canvas", "Plan"],
      ["file", "file", "a/birds.md"],
      ["comment", "canvas", "Plan"],
      ["tool", "called", "Birds"],
    ]);
    expect(finds[2]?.path).toBe("a/birds.md");
    expect(finds[3]).toMatchObject({ excerpt: "Which swallow?", threadId: "thread" });
    expect(finds[1]?.threadId).toBeNull();
    expect(finds[4]?.excerpt).toContain("a swallow flies");
    expect(finds[4]?.excerpt).not.toMatch(/[{}"]/);
  });

  test("keeps to the kinds that are asked for, and to the limit", async () => {
    const kindsOf = async (kinds: readonly ("tool" | "comment" | "file")[], limit = 30) =>
      (await findAll(searched, { words: "swallow", kinds, limit }, null)).map(({ kind }) => kind);
    expect(await kindsOf(["comment"])).toEqual(["comment"]);
    expect(await kindsOf(["tool", "file"])).toEqual(["file", "tool"]);
    expect(await kindsOf(["tool", "file"], 1)).toEqual(["file"]);
    expect((await findAll(searched, { words: "…", kinds: ["comment"] }, null)).length).toBe(0);
  });
});

test("17.14 what a tool was asked and answered is read as words, also where JSON is in a string, and broken JSON as it is", () => {
  expect(readableText([{ type: "tool-use", id: "t1", name: "read", input: { path: "a.md", lines: [1, "two"] } }])).toBe(
    "read · a.md · two",
  );
  expect(readableText([{ type: "text", text: '{"a": "x", "b": {"c": "y"}}' }])).toBe("x · y");
  expect(readableText([{ type: "text", text: '{"a": "x' }])).toBe('{"a": "x');
  const long = `${"a ".repeat(500)}needle ${"b ".repeat(500)}`;
  expect(excerptAround(long, "Needle")).toHaveLength(200);
  expect(excerptAround(long, "Needle")).toContain("needle");
});
