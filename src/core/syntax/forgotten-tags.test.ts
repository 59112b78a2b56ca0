import { describe, expect, test } from "vitest";
import { outcome, problemOf } from "./base/syntax.test-support.ts";

const refused = [{ error: "AMBIGUOUS_CLOSE" }];
const dsml = "｜DSML｜";

/** Content as a model writes it in each syntax, unchanged, in a call that writes it to a file. */
const callWith: Record<string, (content: string) => string> = {
  "qwen-xml": (content) =>
    `<tool_call>\n<function=write_file>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`,
  glm: (content) =>
    `<tool_call>write_file\n<arg_key>content</arg_key>\n<arg_value>${content}</arg_value>\n</tool_call>`,
  invoke: (content) =>
    `<function_calls>\n<invoke name="write_file">\n<parameter name="content">${content}</parameter>\n</invoke>\n</function_calls>`,
  "deepseek-v3.2": (content) =>
    `<${dsml}function_calls>\n<${dsml}invoke name="write_file">\n<${dsml}parameter name="content" string="true">${content}</${dsml}parameter>\n</${dsml}invoke>\n</${dsml}function_calls>`,
  xml: (content) => `<tool:write_file>\n<param:content>${content}</param:content>\n</tool:write_file>`,
};

describe("15.1 a value that swallowed other tags", () => {
  test.each(["serial-one", "serial-all"] as const)(
    "the rest of a reply behind a forgotten </function> runs nothing, under %s",
    (policy) => {
      const reply =
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\nhello\n</parameter>\n</tool_call>\nThen I look.\n<tool_call>\n<function=search_files>\n<parameter=regex>\nx\n</parameter>\n</function>\n</tool_call>";
      expect(outcome("qwen-xml", reply, { policy })).toEqual(refused);
    },
  );

  test.each([
    ["qwen-xml", "hello\n</parameter>\nbye"],
    ["qwen-xml", "<parameter=path>\na.md"],
    ["qwen-xml", "hello\n  <parameter=path> of the file"],
    ["glm", "hello\n<arg_key>append</arg_key>\n<arg_value>true"],
    ["glm", "hello</arg_value>"],
    ["invoke", 'hello\n<parameter name="append">true'],
    ["invoke", 'hello<parameter name="append">true'],
    ["deepseek-v3.2", `hello\n<${dsml}parameter name="append" string="false">true`],
    [
      "xml",
      "hello\n<param:append>true</param:append>\n</tool:write_file>\n<tool:write_file>\n<param:path>a</param:path>",
    ],
    ["xml", "hello]]>"],
  ])("%s: %j is refused", (id, content) => {
    expect(outcome(id, callWith[id]?.(content) ?? "")).toEqual(refused);
  });

  test.each([
    ["qwen-xml", "a <parameter=path> tag, closed by </parameter> later"],
    ["qwen-xml", "write `<parameter=path>` and `</parameter>`."],
    ["glm", "the pair (<arg_key>) and <b>bold</b>"],
    ["invoke", 'Each <parameter name="path"> holds a value.'],
    [
      "xml",
      "Show <tool:write_file> in prose, or whole:\n<tool:read_files>\n<param:paths>a</param:paths>\n</tool:read_files>\n",
    ],
  ])("%s: %j is text about the syntax, and is written", (id, content) => {
    expect(outcome(id, callWith[id]?.(content) ?? "")).toEqual([{ write_file: { content } }]);
  });

  test.each([
    [
      "before another parameter, in one line",
      "hello\n<parameter=append>\ntrue",
      [{ write_file: { content: "hello", append: true } }],
    ],
    ["in several lines", "hello\nthere\n<parameter=append>\ntrue", refused],
    ["before a parameter of several lines", "hello\n<parameter=path>\na.md\nb.md", refused],
    ["before a parameter that comes again", "hello\n<parameter=path>\na\n</parameter>\n<parameter=path>\nb", refused],
  ])("qwen-xml infers a forgotten closing tag %s: %j", (_case, content, expected) => {
    expect(outcome("qwen-xml", callWith["qwen-xml"]?.(content) ?? "")).toEqual(expected);
  });

  test("qwen-xml infers no closing tag in a call that has a list parameter twice", () => {
    const call = (first: string): string =>
      `<tool_call>\n<function=read_files>\n<parameter=paths>\n${first}<parameter=paths>\nb\n</parameter>\n</function>\n</tool_call>`;
    expect(outcome("qwen-xml", call("a\n"))).toEqual(refused);
    expect(outcome("qwen-xml", call("a\n</parameter>\n"))).toEqual([{ read_files: { paths: ["a", "b"] } }]);
  });

  test("qwen-xml: a </function> on a line of a value ends the call only where its section ends too", () => {
    expect(outcome("qwen-xml", callWith["qwen-xml"]?.("hello\n</function>\nbye") ?? "")).toEqual(refused);
    const whole = "<tool_call>\n<function=write_file>\n<parameter=content>\nhello\n</function>\n</tool_call>";
    expect(outcome("qwen-xml", whole)).toEqual([{ write_file: { content: "hello" } }]);
  });

  test("the message names the way in which such a value is written, and that way works", () => {
    const content = "hello\n</parameter>\nbye";
    expect(problemOf("qwen-xml", callWith["qwen-xml"]?.(content) ?? "")).toContain("write it as <![CDATA[…]]>");
    expect(outcome("qwen-xml", callWith["qwen-xml"]?.(`<![CDATA[${content}]]>`) ?? "")).toEqual([
      { write_file: { content } },
    ]);
  });

  test("a CDATA section that was not closed, or closed twice, is refused", () => {
    const second = "<tool:write_file>\n<param:content><![CDATA[b]]></param:content>\n</tool:write_file>";
    const open = `<tool:write_file>\n<param:content><![CDATA[a</param:content>\n</tool:write_file>\n${second}`;
    expect(outcome("xml", open)).toEqual(refused);
    expect(outcome("xml", callWith["xml"]?.("<![CDATA[a]]>]]>") ?? "")).toEqual(refused);
  });

  test("caret: a value behind a forgotten `--- key` is refused when the same value opens again", () => {
    const reply = "^^^write_file\ncontent ---\na\n^^^\n\n^^^write_file\ncontent ---\nb\n--- content\n^^^";
    expect(outcome("caret", reply)).toEqual(refused);
    const longer = "^^^write_file\ncontent ----\na\ncontent ---\nb\n--- content\n---- content\n^^^";
    expect(outcome("caret", longer)).toEqual([{ write_file: { content: "a\ncontent ---\nb\n--- content" } }]);
  });
});
