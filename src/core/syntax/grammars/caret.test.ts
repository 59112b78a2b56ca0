import { describe, expect, test } from "vitest";
import { must } from "../../base/assert.ts";
import { Scanner } from "../scanner.ts";
import { outcome, problemOf, readEveryWay, summary, tools } from "../base/syntax.test-support.ts";
import { caret as syntax } from "./caret.ts";

const caret = (reply: string, options = {}): readonly unknown[] => outcome("caret", reply, options);
const lines = (...all: readonly string[]): string => all.join("\n");

describe("whole replies", () => {
  test("T-01 a call without parameters is read", () => {
    expect(caret("^^^list_projects\n^^^")).toEqual([{ list_projects: {} }]);
  });

  test("T-02 scalars and a value of two lines are read, without a final newline", () => {
    const reply = lines(
      "^^^write_file",
      "project: p",
      "path: a.txt",
      "content ---",
      "line1",
      "line2",
      "--- content",
      "^^^",
    );
    expect(caret(reply)).toEqual([{ write_file: { project: "p", path: "a.txt", content: "line1\nline2" } }]);
  });

  test("T-03 a list of three lines is three texts in order", () => {
    expect(caret("^^^read_files\nproject: p\npaths: [\na.ts\nb.ts\nc.ts\n]\n^^^")).toEqual([
      { read_files: { project: "p", paths: ["a.ts", "b.ts", "c.ts"] } },
    ]);
  });

  test("T-04 two values of several lines are read exactly", () => {
    const reply = lines(
      "^^^edit",
      "old_text ---",
      "  a",
      "b  ",
      "--- old_text",
      "new_text ---",
      "",
      "c",
      "--- new_text",
      "^^^",
    );
    expect(caret(reply)).toEqual([{ edit: { old_text: "  a\nb  ", new_text: "\nc" } }]);
  });

  test("T-05 a list and a value of several lines are read in one call", () => {
    const reply = lines("^^^list_files", "paths: [", "a", "b", "]", "project ---", "x", "y", "--- project", "^^^");
    expect(caret(reply)).toEqual([{ list_files: { paths: ["a", "b"], project: "x\ny" } }]);
  });

  test("T-06 an empty list is read as an empty list", () => {
    expect(caret("^^^read_files\npaths: [\n]\n^^^")).toEqual([{ read_files: { paths: [] } }]);
  });

  test("the elements of a list may be indented", () => {
    expect(caret("^^^read_files\npaths: [\n  a b\n\tc\n  ]\n^^^")).toEqual([{ read_files: { paths: ["a b", "c"] } }]);
  });

  test("T-07 text before a call is kept; the call spans its first caret to its last", () => {
    const reply = "Look:\n^^^list_projects\n^^^\nDone";
    const fragments = readEveryWay("caret", reply);
    expect(summary(fragments)).toEqual(["Look:\n", { list_projects: {} }, "\nDone"]);
    expect(fragments.find((one) => one.type === "call-start")?.start).toBe(6);
    expect(fragments.find((one) => one.type === "call-end")?.end).toBe(6 + "^^^list_projects\n^^^".length);
  });

  test("T-08 a reply without a call is its text", () => {
    expect(caret("Just text.  \nWith a ^ and ^^^ in it.\n")).toEqual(["Just text.  \nWith a ^ and ^^^ in it.\n"]);
  });

  test("T-09 a call of an unknown tool is an error that names it, and the reply continues", () => {
    const reply = "^^^unknown_tool\n^^^\n^^^list_projects\n^^^";
    expect(caret(reply)).toEqual([{ error: "UNKNOWN_TOOL" }, "\n", { list_projects: {} }]);
    expect(problemOf("caret", reply)).toMatch(/^Unknown tool: unknown_tool\. .*list_projects/);
  });

  test("T-10 blanks around a key and its value are ignored; `---` as a value and a line without a colon are errors", () => {
    expect(caret("^^^list_files\n  project  :  test-project  \n^^^")).toEqual([
      { list_files: { project: "test-project" } },
    ]);
    expect(caret("^^^write_file\npath: a\ncontent: ---\n^^^")).toEqual([{ error: "MALFORMED_CALL" }]);
    expect(caret("^^^write_file\npath: a\nwhat is this\n^^^")).toEqual([{ error: "MALFORMED_CALL" }]);
    expect(problemOf("caret", "^^^write_file\nwhat is this\n^^^")).toContain("'what is this'");
  });

  test("T-11 a single value is a text or a list of one, by the schema; `path` fills `paths`", () => {
    expect(caret("^^^read_files\nproject: p\npaths: a\n^^^")).toEqual([{ read_files: { project: "p", paths: ["a"] } }]);
    expect(caret("^^^read_files\npath: a\npath: b\n^^^")).toEqual([{ read_files: { paths: ["a", "b"] } }]);
  });

  test("T-12 booleans are true and false in any case, nothing else; an invalid number is named", () => {
    expect(caret("^^^write_file\nappend: TRUE\n^^^")).toEqual([{ write_file: { append: true } }]);
    expect(caret("^^^write_file\nappend: yes\n^^^")).toEqual([{ error: "BAD_TYPE" }]);
    expect(caret("^^^search_files\nlimit: abc\n^^^")).toEqual([{ error: "BAD_TYPE" }]);
    expect(problemOf("caret", "^^^search_files\nlimit: abc\n^^^")).toBe(
      "search_files: the parameter limit must be a whole number, not 'abc'. The call was not run: correct this and write it again.",
    );
  });
});

const inner = "before\n^^^\n^^^delete_files\npaths: [\nx\n]\n^^^\nafter";

describe("the conformance table", () => {
  test.each<[string, string, readonly unknown[]]>([
    [
      "the ordinary form",
      lines("^^^write_file", "path: a", "content ---", "x", "--- content", "^^^"),
      [{ write_file: { path: "a", content: "x" } }],
    ],
    [
      "a value that starts with two blank lines",
      lines("^^^write_file", "content ---", "", "", "x", "--- content", "^^^"),
      [{ write_file: { content: "\n\nx" } }],
    ],
    [
      "a body with a line ^^^",
      lines("^^^write_file", "content ---", "before", "^^^", "after", "--- content", "^^^"),
      [{ write_file: { content: "before\n^^^\nafter" } }],
    ],
    [
      "a body with a whole call in it",
      lines("^^^write_file", "content ---", inner, "--- content", "^^^"),
      [{ write_file: { content: inner } }],
    ],
    [
      "a body with ^^^name alone",
      lines("^^^write_file", "content ---", "^^^name", "--- content", "^^^"),
      [{ write_file: { content: "^^^name" } }],
    ],
    [
      "the founding design's plain body",
      lines(
        "^^^write_file",
        "project: n",
        "path: d.md",
        "---",
        "content: |",
        "  # Title",
        "  Multiline",
        "  body.",
        "^^^",
      ),
      [{ write_file: { project: "n", path: "d.md", content: "# Title\nMultiline\nbody." } }],
    ],
    [
      "the founding design's body under another name",
      lines(
        "^^^replace_in_file",
        "path: l",
        "---",
        "diff: |",
        "  <<<<<<< SEARCH",
        "  old()",
        "  =======",
        "  >>>>>>> REPLACE",
        "^^^",
      ),
      [{ replace_in_file: { path: "l", diff: "<<<<<<< SEARCH\nold()\n=======\n>>>>>>> REPLACE" } }],
    ],
    [
      "the founding design's body unchanged",
      lines("^^^write_file", "path: a", "---", "raw: text", "  more", "^^^"),
      [{ write_file: { path: "a", content: "raw: text\n  more" } }],
    ],
    [
      "the founding design's list",
      lines("^^^read_files", "paths:", "  - src/main.rs", "  - Cargo.toml", "^^^"),
      [{ read_files: { paths: ["src/main.rs", "Cargo.toml"] } }],
    ],
    [
      "a repeated key where the schema has a list",
      lines("^^^read_files", "paths: a", "paths: b", "^^^"),
      [{ read_files: { paths: ["a", "b"] } }],
    ],
    [
      "a repeated key where it has none",
      lines("^^^read_files", "project: a", "project: b", "^^^"),
      [{ error: "DUPLICATE_PARAM" }],
    ],
    [
      "CRLF",
      lines("^^^write_file", "path: a", "content ---", "x", "y", "--- content", "^^^").replaceAll("\n", "\r\n"),
      [{ write_file: { path: "a", content: "x\ny" } }],
    ],
    ["a blank after the name", "^^^list_projects  \n^^^ ", [{ list_projects: {} }, " "]],
    ["an indented fence", " ^^^list_projects\n ^^^", [" ^^^list_projects\n ^^^"]],
    ["a call that is not closed", "^^^list_projects\n", [{ error: "TRUNCATED_CALL" }]],
    ["a value that is not closed", "^^^write_file\ncontent ---\nx\n^^^\n", [{ error: "TRUNCATED_CALL" }]],
    ["a Markdown fence", "```\n^^^list_projects\n^^^\n```\n", ["```\n^^^list_projects\n^^^\n```\n"]],
    ["the middle of a line", "see ^^^list_projects\n^^^", ["see ^^^list_projects\n^^^"]],
    ["a key without value", "^^^list_files\nproject:\n^^^", [{ list_files: { project: "" } }]],
    ["a list that is not closed", "^^^read_files\npaths: [\na\n^^^", [{ error: "TRUNCATED_CALL" }]],
    ["a list given twice", "^^^read_files\npaths: [\na\n]\npaths: [\nb\n]\n^^^", [{ error: "DUPLICATE_PARAM" }]],
    ["a line that is not a parameter", "^^^list_files\nnot a param: oops ---\n^^^", [{ error: "MALFORMED_CALL" }]],
    [
      "a value with a colon",
      "^^^list_files\nproject: https://a.b/c:1\n^^^",
      [{ list_files: { project: "https://a.b/c:1" } }],
    ],
    ["an element with a colon", "^^^read_files\npaths: [\na: b\n]\n^^^", [{ read_files: { paths: ["a: b"] } }]],
    ["an element with a quote", '^^^read_files\npaths: [\na"b\n]\n^^^', [{ read_files: { paths: ['a"b'] } }]],
    ["text lines that end in two blanks", "one  \ntwo  \n", ["one  \ntwo  \n"]],
    ["a reply that ends with carets", "so ^^", ["so ^^"]],
    ["a reply that ends with the beginning of a call", "^^^foo", ["^^^foo"]],
  ])("T-13 T-20 %s", (_name, reply, expected) => {
    expect(caret(reply)).toEqual(expected);
  });

  test("T-13 T-24 a list is shown once, as valid JSON", () => {
    const fragments = readEveryWay("caret", '^^^read_files\npaths: [\na"b\n]\n^^^');
    expect(fragments.filter((one) => one.type === "parameter").map((one) => one.text)).toEqual(['["a\\"b"]']);
  });

  test("content in the header excludes a body: a body beside it is an error, an empty one is ignored", () => {
    expect(caret("^^^write_file\ncontent: a\n---\nb\n^^^")).toEqual([{ error: "DUPLICATE_PARAM" }]);
    expect(caret("^^^write_file\ncontent: a\n---\n\n^^^")).toEqual([{ write_file: { content: "a" } }]);
    expect(caret("^^^write_file\npath: a\n---\n^^^")).toEqual([{ write_file: { path: "a" } }]);
  });

  test("a longer fence is closed by one of the same length", () => {
    expect(caret("^^^^write_file\n---\na\n^^^\nb\n^^^^")).toEqual([{ write_file: { content: "a\n^^^\nb" } }]);
  });

  test("a final fence counts only when the model itself ended the reply", () => {
    expect(caret("^^^list_projects\n^^^", { end: "cut" })).toEqual([{ error: "TRUNCATED_CALL" }]);
    expect(caret("^^^list_projects\n^^^\n", { end: "cut" })).toEqual([{ list_projects: {} }, "\n"]);
  });

  test("a broken line before a body does not turn the body's lines into calls", () => {
    const reply = lines("^^^write_file", "broken", "content ---", inner, "--- content", "^^^");
    expect(caret(reply)).toEqual([{ error: "MALFORMED_CALL" }]);
  });
});

describe("how many calls", () => {
  const call = (name: string, ...body: readonly string[]): string => lines(`^^^${name}`, ...body, "^^^");
  const [list, read, search, write] = [
    call("list_files", "project: p"),
    call("read_files", "path: a"),
    call("search_files", "regex: x"),
    call("write_file", "path: a"),
  ] as const;
  const done = {
    list: { list_files: { project: "p" } },
    read: { read_files: { paths: ["a"] } },
    search: { search_files: { regex: "x" } },
    write: { write_file: { path: "a" } },
  };

  test("T-14 serial-one keeps the first of two calls and ignores everything after its fence", () => {
    const fragments = readEveryWay("caret", `${read}\n${list}`, { policy: "serial-one" });
    expect(summary(fragments)).toEqual([done.read, "\n", { refused: "list_files" }]);
    expect(fragments.find((one) => one.type === "call-refused")?.keep).toBe(read.length);
  });

  test("T-15 smart keeps three reads and refuses the write after them", () => {
    const fragments = readEveryWay("caret", lines(read, list, search, write), { policy: "smart" });
    expect(summary(fragments)).toEqual([
      done.read,
      "\n",
      done.list,
      "\n",
      done.search,
      "\n",
      { refused: "write_file" },
    ]);
    expect(fragments.find((one) => one.type === "call-refused")?.keep).toBe(lines(read, list, search).length);
  });

  test("T-16 smart keeps a write in first place and refuses what follows", () => {
    expect(caret(lines(write, read), { policy: "smart" })).toEqual([done.write, "\n", { refused: "read_files" }]);
  });

  test("T-17 serial-all keeps all four calls", () => {
    expect(caret(lines(read, list, search, write))).toEqual([
      done.read,
      "\n",
      done.list,
      "\n",
      done.search,
      "\n",
      done.write,
    ]);
  });

  test.each(["serial-one", "smart"] as const)(
    "T-18 %s: a complete write followed by half a call is the write, without an error",
    (policy) => {
      expect(caret(`${write}\n^^^read_files\npath: `, { policy })).toEqual([
        done.write,
        "\n",
        { refused: "read_files" },
      ]);
      expect(caret(`${write}\n^^^read_fi`, { policy })).toEqual([done.write, "\n", "(stop)"]);
    },
  );

  test("T-26 after a write blank lines are ignored, and more text ends the reply", () => {
    expect(caret(`${write}\n\n`, { policy: "smart" })).toEqual([done.write, "\n\n"]);
    expect(caret(`${write}\n\nmore text`, { policy: "smart" })).toEqual([done.write, "\n\n", "(stop)"]);
  });

  test("T-28 a call of a hidden tool gives one fragment", () => {
    const fragments = readEveryWay("caret", lines("a", call("update_plan", "plan: x"), "b"));
    expect(fragments.map((one) => one.type)).toEqual(["text", "hidden-call", "text"]);
  });
});

describe("while it streams", () => {
  test("T-21 text is shown at once; a caret and a name are withheld until decided", () => {
    const scanner = new Scanner(must(syntax.grammar, "caret is text"), { tools, policy: "serial-all" });
    const shown = (piece: string): readonly unknown[] => scanner.feed(piece).map((one) => one.type);
    expect(shown("Hello \n")).toEqual(["text"]);
    expect(shown("^")).toEqual([]);
    expect(shown("^^list_proj")).toEqual([]);
    expect(scanner.withheld).toBe(12);
    expect(shown("ects\n")).toEqual(["call-start"]);
  });

  test("T-22 a fence with a hyphenated name is text", () => {
    expect(caret("^^^not-a-tool\n^^^")).toEqual(["^^^not-a-tool\n^^^"]);
  });

  test("T-23 a final fence without a newline ends the call", () => {
    expect(caret("^^^list_projects\n^^^")).toEqual([{ list_projects: {} }]);
  });

  test("T-25 lines of a value are shown while they stream", () => {
    const scanner = new Scanner(must(syntax.grammar, "caret is text"), { tools, policy: "serial-all" });
    scanner.feed("^^^write_file\ncontent ---\n");
    expect(scanner.feed("line1\n")).toMatchObject([{ type: "parameter", text: "line1" }]);
    expect(scanner.feed("line2")).toMatchObject([{ type: "parameter", text: "\nline2" }]);
  });
});

describe("14.10 one line of content after ---", () => {
  const write = (...body: readonly string[]): readonly unknown[] =>
    caret(lines("^^^write_file", "project: p", "path: a", "---", ...body, "^^^"));

  test.each<readonly [string, readonly string[]]>([
    ["up to the fence", ["content: one line"]],
    ["up to another ---", ["content: one line", "---"]],
  ])("14.10 `content: one line` is that line, %s", (_name, body) => {
    expect(write(...body)).toEqual([{ write_file: { project: "p", path: "a", content: "one line" } }]);
  });

  test("14.10 more lines after it do not run, and the reply goes on after the call", () => {
    expect(write("content: one line", "another: line")).toEqual([{ error: "MALFORMED_CALL" }]);
    expect(write("content:no blank", "is text")).toEqual([
      { write_file: { project: "p", path: "a", content: "content:no blank\nis text" } },
    ]);
  });

  test("14.10 the value is text, whatever it looks like", () => {
    expect(write("content: 42")).toEqual([{ write_file: { project: "p", path: "a", content: "42" } }]);
  });
});
