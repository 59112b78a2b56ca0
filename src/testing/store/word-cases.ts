import { describe, expect, test } from "vitest";
import type { ForestNode } from "../../core/forest/types.ts";
import type { StoreWrite, WordQuery } from "../../core/port/store.ts";
import { blockId, callId, documentId, node, nodeId, put, root, rootId } from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

/** Searching messages and blocks for words. */
export function describeWords(open: OpenStore): void {
  describe("words", () => {
    const fresh = freshStore(open);

    const find = async (words: string, change: Partial<WordQuery> = {}) =>
      (await fresh.store().searchWords({ words, in: "messages", rootId: null, limit: 100, ...change })).map(
        ({ id }) => id,
      );
    const findBlocks = (words: string) => find(words, { in: "blocks" });
    const say = (name: string, text: string, change: Partial<ForestNode> = {}): StoreWrite => ({
      type: "put-node",
      node: node(name, { message: { role: "user", content: [{ type: "text", text }] }, ...change }),
    });
    const blockSays = (name: string, version: number, text: string): StoreWrite => ({
      type: "put-block-words",
      blockId: blockId(name),
      version,
      text,
    });

    test("every word must occur, in any order, case and accents; the last may be the beginning of a word", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make(
        say("1", "The Kettle is on the table."),
        say("2", "a tablecloth, größer Café"),
        say("3", "kettle"),
      );
      expect(await find("table kettle")).toEqual([nodeId("1")]);
      expect(await find("KETTLE tab")).toEqual([nodeId("1")]);
      expect(new Set(await find("tabl"))).toEqual(new Set([nodeId("1"), nodeId("2")]));
      expect(await find("tabl kettle")).toEqual([]);
      expect(await find("Größer cafe")).toEqual([nodeId("2")]);
      expect(await find("CAFÉ")).toEqual([nodeId("2")]);
      expect(await find("ettle")).toEqual([]);
      expect(await find("kettle,-the!on")).toEqual([nodeId("1")]);
      await fresh.make(say("4", "milkshake tea"), say("5", "milk teapot tea"), say("6", "milk teapot"));
      expect(await find("tea milk tea")).toEqual([nodeId("5")]);
      expect(new Set(await find("milk te"))).toEqual(new Set([nodeId("5"), nodeId("6")]));
    });

    test.each([
      ["nothing", ""],
      ["spaces", " \n\t "],
      ["signs", "?!:;\"'()*^-+{}[]<>=~&|\\/%$#@"],
      ["a NUL", "\0"],
      ["lone surrogates", "\ud800 \udc00\udfff"],
      ["an emoji", "😀"],
      ["100 kB of punctuation", '"*('.repeat(33_000)],
    ])("a query of %s finds nothing", async (_name, words) => {
      await fresh.make({ type: "put-root", root: root("a") }, say("1", "plain words \0 \ud800 😀 and more"));
      await fresh.make(put("1", 1), blockSays("1", 1, "plain words \0 \ud800 😀 and more"));
      expect(await find(words)).toEqual([]);
      expect(await findBlocks(words)).toEqual([]);
    });

    test.each([
      ["quotes and stars", 'plain" OR "x* words'],
      ["operators", "plain AND words"],
      ["a column", "words:plain"],
      ["NEAR", "NEAR(plain words, 2)"],
      ["NOT", "plain NOT words"],
      ["an open quote", '"plain'],
      ["brackets", "((plain"],
      ["a NUL in it", "plain\0words"],
      ["a lone surrogate in it", "plain\ud800words"],
      ["a minus", "plain -words"],
      ["a template", "{plain}: ^words + $1 %s ?1"],
    ])("a query with %s is searched for its words only", async (_name, words) => {
      await fresh.make({ type: "put-root", root: root("a") });
      const all = "plain or x words and not near 2 s 1";
      await fresh.make(say("1", all), put("1", 1), blockSays("1", 1, all));
      expect(await find(words)).toEqual([nodeId("1")]);
      expect(await findBlocks(words)).toEqual([blockId("1")]);
    });

    test("a query of 100 kB is answered: one word, many words, one word many times", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const many = Array.from({ length: 12_000 }, (_, index) => `w${index}`).join(" ");
      const long = "x".repeat(100_000);
      await fresh.make(say("1", many), say("2", "again"));
      expect(await find(many)).toEqual([nodeId("1")]);
      expect(await find("again ".repeat(17_000))).toEqual([nodeId("2")]);
      expect(await find(long)).toEqual([]);
    });

    test("texts with more of the word come first, then older messages, up to the limit", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make(
        say("z", "tea milk milk milk"),
        say("y", "tea milk milk milk"),
        say("best", "tea tea tea milk"),
        say("other", "milk"),
        say("x", "tea milk milk milk"),
      );
      const expected = ["best", "z", "y", "x"].map(nodeId);
      expect(await find("tea")).toEqual(expected);
      expect(await find("tea", { limit: 2 })).toEqual(expected.slice(0, 2));
      expect(await find("tea", { limit: 1 })).toEqual(expected.slice(0, 1));
    });

    test("deleted texts take no place among the results", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      await fresh.make(say("best", "tea tea tea"), say("good", "tea tea milk"), say("fair", "tea milk milk"));
      await fresh.make(say("other", "milk"), put("best", 1), put("good", 1));
      await fresh.make(blockSays("best", 1, "tea tea tea"), blockSays("good", 1, "tea tea milk"));
      await fresh.make({ type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("best")], at: 1 });
      await fresh.make(put("best", 2, { header: { deletedAt: 9 }, change: { body: { type: "deleted" } } }));
      expect(await find("tea", { limit: 1 })).toEqual([nodeId("good")]);
      expect(await find("tea", { in: "blocks", limit: 1 })).toEqual([blockId("good")]);
      expect(await find("tea", { rootId: rootId("b"), limit: 1 })).toEqual([]);
    });

    test("a search can be limited to one conversation", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      await fresh.make(say("1", "tea"), say("2", "tea", { rootId: rootId("b") }));
      const query = { words: "tea", in: "messages", rootId: rootId("b"), limit: 10 } as const;
      expect(await fresh.store().searchWords(query)).toEqual([
        { id: nodeId("2"), rootId: rootId("b"), excerpt: "tea" },
      ]);
      expect(await find("tea", { rootId: rootId("none") })).toEqual([]);
      expect(await find("tea")).toHaveLength(2);
    });

    test("a message is found by its text, not by its thinking, calls and notices", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make({
        type: "put-node",
        node: node("1", {
          message: {
            role: "assistant",
            content: [
              { type: "thinking", text: "ponder" },
              { type: "text", text: "first" },
              { type: "tool-use", id: callId("1"), name: "lookup", parameters: { text: "argument" } },
              { type: "notice", text: "remark" },
              { type: "text", text: "second" },
            ],
          },
        }),
      });
      expect(await find("first second")).toEqual([nodeId("1")]);
      for (const hidden of ["ponder", "lookup", "argument", "remark", "text", "firstsecond"]) {
        expect(await find(hidden)).toEqual([]);
      }
    });

    test("a changed message is found by its new text only, and a deleted message is not found", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make(say("1", "old words"), say("2", "old times"));
      await fresh.make(say("1", "new words"));
      expect(await find("old")).toEqual([nodeId("2")]);
      expect(await find("new")).toEqual([nodeId("1")]);
      await fresh.make(say("1", "", { tags: ["x"] }));
      expect(await find("words")).toEqual([]);
      await fresh.make(say("1", "old again"));
      await fresh.make({ type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("2")], at: 1 });
      expect(await find("old")).toEqual([nodeId("1")]);
      expect(await find("times")).toEqual([]);
      await fresh.make(say("4", ""));
      expect(await find("times")).toEqual([]);
      await fresh.make(say("3", "other times"));
      expect(await find("times")).toEqual([nodeId("3")]);
    });

    test("a refused commit indexes no words", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, say("1", "old"));
      await fresh.refused(say("1", "new"), say("2", "new"), put("1", 7));
      await fresh.refused({ type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("1")], at: 1 }, put("1", 7));
      expect(await find("new")).toEqual([]);
      expect(await find("old")).toEqual([nodeId("1")]);
    });

    test("a block is found by its newest words until it is deleted", async () => {
      await fresh.make(put("1", 1), put("2", 1), blockSays("1", 1, "old tea"), blockSays("2", 1, "tea"));
      await fresh.make(put("1", 2), blockSays("1", 2, "new tea"));
      await fresh.make(blockSays("1", 1, "older tea"));
      expect(await findBlocks("old")).toEqual([]);
      expect(await findBlocks("new")).toEqual([blockId("1")]);
      expect(await findBlocks("tea")).toEqual([blockId("2"), blockId("1")]);
      expect(await find("tea")).toEqual([]);
      await fresh.make(put("2", 2, { header: { deletedAt: 9 }, change: { body: { type: "deleted" } } }));
      const query = { words: "tea", in: "blocks", rootId: null, limit: 10 } as const;
      expect(await fresh.store().searchWords(query)).toEqual([{ id: blockId("1"), rootId: null, excerpt: "new tea" }]);
      await fresh.make(blockSays("1", 2, ""));
      expect(await findBlocks("tea")).toEqual([]);
    });

    test("files with outdated words are listed", async () => {
      const behind = () => fresh.store().filesWithoutWords();
      const file = { header: { kind: "file" } } as const;
      await fresh.make(put("1", 1, file), put("2", 1, file), put("3", 1));
      expect(await behind()).toEqual([blockId("1"), blockId("2")]);
      await fresh.make(blockSays("1", 1, "tea"), blockSays("2", 1, ""));
      expect(await behind()).toEqual([]);
      await fresh.make(put("1", 2, file));
      expect(await behind()).toEqual([blockId("1")]);
      await fresh.make(put("1", 3, { header: { kind: "file", deletedAt: 9 }, change: { body: { type: "deleted" } } }));
      expect(await behind()).toEqual([]);
    });

    test("the texts of words are read by the ids of their blocks", async () => {
      const texts = async (...names: readonly string[]) => {
        const found = await fresh.store().indexedTexts(names.map(blockId));
        return found.map(({ version, text }) => [version, text] as const).toSorted(([, a], [, b]) => (a < b ? -1 : 1));
      };
      await fresh.make(put("1", 1), put("2", 1), put("3", 1));
      const text = "one\r\ntwo \t 😀\n\n";
      await fresh.make(blockSays("1", 1, text), blockSays("2", 1, ""));
      expect(await texts("1", "2", "3", "none")).toEqual([
        [1, ""],
        [1, text],
      ]);
      expect(await texts()).toEqual([]);
      await fresh.make(put("1", 2), blockSays("1", 2, "new"));
      expect(await texts("1")).toEqual([[2, "new"]]);
    });

    test("words of a block need their block", async () => {
      await expect(fresh.store().commit([blockSays("none", 1, "x")])).rejects.toThrow();
      await fresh.make(put("none", 1, { header: { documentId: documentId("b") } }), blockSays("none", 1, "x"));
    });

    test("an excerpt has some 200 characters around the first word found and splits no surrogate pair", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      for (const shift of ["", "."]) {
        const text = `${shift}${"😀".repeat(500)} needle ${"😀".repeat(500)}`;
        await fresh.make(say(`at${shift}`, text));
      }
      await fresh.make(
        say("start", `needle ${"y ".repeat(300)}`),
        say("end", `${"y ".repeat(300)}Needle`),
        say("short", "a needle"),
      );
      const found = await fresh.store().searchWords({ words: "needl", in: "messages", rootId: null, limit: 10 });
      expect(found).toHaveLength(5);
      for (const { excerpt } of found) {
        expect(excerpt.toLowerCase()).toContain("needle");
        expect(excerpt.length).toBeLessThanOrEqual(200);
        expect(excerpt.isWellFormed()).toBe(true);
      }
      expect(found.find(({ id }) => id === nodeId("short"))?.excerpt).toBe("a needle");
    });

    test("words are found after a restart", async (context) => {
      if (!fresh.canReopen()) context.skip("this store keeps nothing beyond its own life");
      await fresh.make({ type: "put-root", root: root("a") }, say("1", "tea"), put("1", 1), blockSays("1", 1, "milk"));
      await fresh.reopened();
      expect(await find("tea")).toEqual([nodeId("1")]);
      expect(await findBlocks("milk")).toEqual([blockId("1")]);
    });
  });
}
