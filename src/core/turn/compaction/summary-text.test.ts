import { describe, expect, test } from "vitest";
import type { ForestNode } from "../../forest/types.ts";
import { partSizes } from "./limits.ts";
import {
  compactionMessage,
  compactionWishText,
  editedSummaryText,
  shortenedUnread,
  type SummaryParts,
} from "./summary-text.ts";

const sizes = partSizes(32_000);
const filler = "some plain words that say little ".repeat(40);
const words = (text: string) => [{ type: "text", text }];
const user = (text: string, facts: object = {}) =>
  ({ message: { role: "user", content: words(text) }, actor: { name: "Ada" }, ...facts }) as unknown as ForestNode;
const use = (id: string, parameters: object) => ({ type: "tool-use", id, name: "look", parameters });
const reply = (...uses: readonly object[]) =>
  ({ message: { role: "assistant", content: [...words(filler), ...uses] } }) as unknown as ForestNode;
const result = (id: string, text: string, outcome = "ok") =>
  ({
    message: { role: "tool", tool_call_id: id, tool_name: "look", outcome, content: words(text) },
  }) as unknown as ForestNode;

function text(parts: Partial<SummaryParts>): string {
  const { path = [user("Hi."), reply()] } = parts;
  const cut = { at: path.length - 1, through: "x" as never, messages: path.length, midTurn: false };
  const { message } = {
    message: compactionMessage({ summary: " Done. ", path, cut, turn: [], documents: [], sizes, ...parts }),
  };
  expect([message.role, message.instruction]).toEqual(["user", "compaction"]);
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

describe("the message in place of what is summed up", () => {
  test("says who wrote it, what it replaces and whether messages follow", () => {
    const path = [user("Hi."), reply(), user("And?")];
    const whole = text({ path });
    expect(whole).toContain("A model wrote this summary. It replaces the first 3 messages");
    expect(whole).toContain("<summary>\nDone.\n</summary>");
    expect(whole).not.toContain("follow word for word");
    const cut = { at: 1, through: "x" as never, messages: 2, midTurn: false };
    expect(text({ path, cut })).toContain("The messages after them follow word for word.");
    expect(text({ path, cut: { ...cut, midTurn: true } })).not.toContain("follow word for word");
  });

  test("quotes people, the newest first, within a share of what it replaces, and nothing that was left out", () => {
    const path = [user("Oldest."), reply(), user("Secret.", { excluded: true }), user("Newest."), user(" ")];
    expect(text({ path })).toContain(
      'newest first:\n<message by="Ada">\nNewest.\n</message>\n<message by="Ada">\nOldest.\n</message>',
    );
    expect(text({ path })).not.toContain("Secret");
    const long = [user("First, long ago."), user(filler), user(filler)];
    expect(text({ path: long })).not.toContain("long ago");
    expect(text({ path: [reply()] })).not.toContain("What people wrote");
  });

  test("cannot be left by a tag that somebody wrote", () => {
    const path = [reply(), user("</message> I am <message>d.")];
    expect(text({ path, summary: "</summary>x" })).toContain("<summary>\n<\\/summary>x\n</summary>");
    expect(text({ path })).toContain("\n<\\/message> I am <\\message>d.\n</message>");
  });

  test("lists documents as they are now, as many as fit, one at least", () => {
    const document = (id: string, headings: readonly string[] = []) => ({
      id,
      title: `Plan "${id}"`,
      revisionId: "r1",
      lineCount: 1,
      headings,
    });
    expect(text({ documents: [document("a", ["# One", "## Two"]), document("b")] })).toContain(
      'before you edit:\n- "Plan \\"a\\"" (canvas_id a): revision r1, 1 line. Outline: # One; ## Two\n- "Plan \\"b\\"" (canvas_id b): revision r1, 1 line.',
    );
    const few = { ...sizes, documents: 1 };
    const listed = text({ documents: [document("a"), document("b")], sizes: few });
    expect([listed.includes("canvas_id a"), listed.includes("canvas_id b")]).toEqual([true, false]);
    expect(text({})).not.toContain("Documents");
  });

  test("lists the files of calls, the latest first and each once", () => {
    const path = [
      reply(use("1", { path: "old.md" }), use("2", { path: "b.md" })),
      user("Go on."),
      reply(
        use("3", { path: "b.md" }),
        use("4", { files: ["c.md", { path: "d.md" }, { name: "no" }, 5] }),
        use("5", { path: "x".repeat(301) }),
      ),
    ];
    expect(text({ path })).toContain("the latest first: b.md, c.md, d.md, old.md");
    const many = Array.from({ length: 60 }, (_, index) => reply(use("1", { path: `f${index}` })));
    expect(text({ path: many }).split("the latest first: ")[1]?.split(", ").length).toBe(50);
    expect(text({})).not.toContain("Files that");
  });

  test("in the midst of a turn, quotes its question and the results that no model has read", () => {
    const turn = [
      user("What now?"),
      user("Note.", { message: { role: "user", content: words("Note."), instruction: "edit" } }),
      reply(use("1", { q: "a" }), use("2", {})),
      result("1", "Found <result>."),
      result("9", "Lost.", "error"),
    ];
    const path = [user("Before."), reply(), ...turn];
    const cut = { at: path.length - 1, through: "x" as never, messages: path.length, midTurn: true };
    const written = text({ path, cut, turn });
    expect(written).toContain("The question that you are working on:\n<question>\nWhat now?\n</question>");
    expect(written).toContain(
      'have not read yet:\nlook {"q":"a"} → ok\n<result>\nFound <\\result>.\n</result>\nlook {} → error\n<result>\nLost.\n</result>',
    );
    expect(written.match(/What now\?/g)?.length).toBe(1);
    expect(written).toContain("Before.");
    const answered = text({ path: [...path, reply()], cut: { ...cut, at: path.length }, turn });
    expect(answered).not.toContain("have not read yet");
    expect(text({ path, turn })).not.toContain("The question that");
  });
});

test("a summary that a person edited names them, once", () => {
  const edited = editedSummaryText("A model wrote this summary. It says.", "Ada\n L.");
  expect(edited).toBe("A model wrote this summary, and Ada L. edited it. It says.");
  expect(editedSummaryText(edited, "Bob")).toBe("A model wrote this summary, and Bob edited it. It says.");
  expect(editedSummaryText("Mine.", "Ada")).toBe("A model wrote this summary, and Ada edited it.\n\nMine.");
});

test("the model is asked for what is replaced, with the person's focus, and for words alone at last", () => {
  const cut = { at: 1, through: "x" as never, messages: 2, midTurn: false };
  const wish = (facts: object) => compactionWishText({ focus: undefined, cut, inWords: false, ...facts }, sizes);
  expect(wish({})).toMatch(
    /^Before this conversation continues, sum up its first 2 messages\. .* Write at most 1120 words: .* Call no tools\.$/,
  );
  expect(wish({ cut: { ...cut, midTurn: true }, inWords: true })).toMatch(
    /^Before you continue, .* Answer in words\. No tools can be called now\.$/,
  );
  expect([
    wish({ focus: " names " }).includes("Keep above all: names "),
    wish({ focus: " " }).includes("Keep above all"),
  ]).toEqual([true, false]);
});

test("results that no model has read are shortened for the request of a summary, and no others", () => {
  const long = "word ".repeat(20_000);
  const path = [reply(use("1", {})), result("1", long), reply(use("2", {})), result("2", long), result("3", "Short.")];
  const shortened = shortenedUnread(path, sizes);
  expect([...shortened.keys()]).toEqual(path.slice(3));
  const texts = [...shortened.values()].map(({ content }) => (content[0].type === "text" ? content[0].text : ""));
  expect([(texts[0] ?? "").length < 20_000, texts[1]]).toEqual([true, "Short."]);
  expect(shortenedUnread([user("Hi.")], sizes).size).toBe(0);
});
