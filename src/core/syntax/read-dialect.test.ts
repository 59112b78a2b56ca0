import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import { summary, tools } from "./base/syntax.test-support.ts";
import { usualPolicy } from "./base/policy.ts";
import { dialectRows } from "./grammars/dialects.ts";
import { readDialect } from "./read-dialect.ts";
import { scan } from "./scan.ts";

const good = {
  id: "mine",
  title: "Mine",
  calls: "tags",
  call: ['<do name="{name}">\n', "</do>"],
  value: ['<with name="{key}">', "</with>\n"],
  prompt: "Call a tool.",
};
const text = (change: object): string => JSON.stringify({ ...good, ...change }, null, 2);
const read = (change: object, reply: string): readonly unknown[] => {
  const syntax = readDialect(text(change));
  const grammar = must(syntax.ok ? syntax.value.grammar : null, "the dialect is complete");
  return summary(scan(grammar, reply, { tools, policy: "serial-all" }, "stopped"));
};

describe("15.8 a syntax described by data", () => {
  test.each([
    ["tags", {}, '<do name="read_files">\n<with name="paths">["a"]</with>\n</do>'],
    [
      "entities",
      {
        escape: "entities",
        value: ['<with name="{key}" is="text">', "</with>"],
        typed_value: '<with name="{key}" is="json">',
      },
      '<do name="read_files"><with name="paths" is="json">["a"]</with></do>',
    ],
    [
      "JSON in a tag that names the tool",
      { calls: "json", call: ["<<{name}>>", "<<end>>"], value: undefined },
      '<<read_files>>{"paths": ["a"]}<<end>>',
    ],
    [
      "JSON with keys of its own",
      { calls: "json", call: ["[DO]", "[END]"], value: undefined, keys: { name: "tool", arguments: "with" } },
      '[DO]{"tool": "read_files", "with": {"paths": ["a"]}}[END]',
    ],
    [
      "a fenced code block",
      { calls: "fence", call: undefined, value: undefined, fence: "tool_call" },
      '```tool_call\n{"name": "read_files", "arguments": {"paths": ["a"]}}\n```',
    ],
  ])("%s", (_kind, change, reply) => {
    expect(read(change, reply)).toEqual([{ read_files: { paths: ["a"] } }]);
  });

  test("entities in a value are the characters that they represent, and a bare < is refused", () => {
    const change = {
      escape: "entities",
      value: ['<with name="{key}" is="text">', "</with>"],
      typed_value: '<with name="{key}" is="json">',
    };
    const call = (value: string): string =>
      `<do name="write_file"><with name="path" is="text">a</with><with name="content" is="text">${value}</with></do>`;
    expect(read(change, call("a &lt;b&gt; &amp;amp; c"))).toEqual([
      { write_file: { path: "a", content: "a <b> &amp; c" } },
    ]);
    expect(read(change, call("a <b> c"))).toEqual([{ error: "AMBIGUOUS_CLOSE" }]);
  });

  test("a fence with another word, or inside another fence, is text", () => {
    const change = { calls: "fence", call: undefined, value: undefined, fence: "tool_call" };
    for (const reply of [
      '```json\n{"name": "list_projects", "arguments": {}}\n```',
      '````md\n```tool_call\n{"name": "list_projects", "arguments": {}}\n```\n````',
    ]) {
      expect(read(change, reply)).toEqual([reply]);
    }
  });

  test("its reasoning marks and its rounds count", () => {
    const change = { reasoning: ["<|muse|>", "<|done|>"], rounds: "parallel" };
    expect(read(change, '<|muse|><do name="list_projects"></do><|done|>Hi')).toEqual([
      { reasoning: '<do name="list_projects"></do>' },
      "Hi",
      { quoted: "reasoning" },
    ]);
    const syntax = readDialect(text(change));
    expect(syntax.ok && usualPolicy(syntax.value)).toBe("parallel");
  });
});

describe("15.8 a file with a mistake names its line and field", () => {
  test.each([
    ["no JSON", "{", "invalid JSON: "],
    ["no object", "[]", "must be an object"],
    ["another word", text({ calls: "yaml" }), 'line 4: calls: must be "tags", "json" or "fence"'],
    ["an unknown field", text({ rouns: "parallel" }), "line 14: rouns: unknown field; did you mean rounds?"],
    ["a missing field", text({ prompt: undefined }), "prompt: is missing"],
    ["a bad id", text({ id: "My Dialect" }), "line 2: id: must be a name of small letters"],
    ["a taken id", text({ id: "hermes" }), "line 2: id: hermes is the name of another syntax"],
    ["one mark", text({ call: ["<do {name}>"] }), "line 5: call"],
    ["a call without a name", text({ call: ["<do>", "</do>"] }), "line 5: call: must hold {name}"],
    ["a call without a form", text({ call: undefined }), "line 4: calls: needs the field call"],
    ["a value without an end", text({ value: ["<with {key}>", " "] }), "line 9: value: needs a mark after the value"],
    ["a call without an end", text({ call: ["<do {name}>", " "] }), "line 5: call: needs a mark after the values"],
    ["a value without a key", text({ value: ["<with>", "</with>"] }), "line 9: value: must hold {key}"],
    ["tags without values", text({ value: undefined }), "line 4: calls: needs the field value"],
    ["an unknown place", text({ call: ["<do {tool} {name}>", "</do>"] }), "line 5: call.0: has a word in braces"],
    ["entities without types", text({ escape: "entities" }), "line 14: escape: entities need the field typed_value"],
    ["a very long mark", text({ call: [`<${"x".repeat(80)} {name}>`, "</do>"] }), "line 5: call: the mark before"],
    ["a fence without a word", text({ calls: "fence" }), "line 4: calls: needs the field fence"],
    ["a very long file", text({ title: "x".repeat(30_000) }), "the file is longer"],
  ])("%s", (_what, file, expected) => {
    const syntax = readDialect(file, ["hermes"]);
    expect(syntax.ok ? "read" : syntax.error).toContain(expected);
  });
});

test("15.8 every row of the built-in table is a file of at most 60 lines", () => {
  for (const row of dialectRows) {
    const file = JSON.stringify(row, null, 2);
    expect(file.split("\n").length).toBeLessThanOrEqual(60);
    expect(readDialect(file)).toMatchObject({ ok: true, value: { id: row.id } });
  }
});
