import { describe, expect, test } from "vitest";
import type { Syntax } from "./base/syntax.ts";
import { outcome, problemOf } from "./base/syntax.test-support.ts";
import { syntaxes } from "./registry.ts";
import { writeCalls } from "./write/write-calls.ts";

const bar = "｜";
const dsml = `${bar}DSML${bar}`;
const deepseek = (inner: string): string =>
  `<${bar}tool▁calls▁begin${bar}><${bar}tool▁call▁begin${bar}>${inner}<${bar}tool▁call▁end${bar}><${bar}tool▁calls▁end${bar}>`;
const kimi = (...calls: readonly string[]): string =>
  `<|tool_calls_section_begin|>${calls.map((call) => `<|tool_call_begin|>${call}<|tool_call_argument_begin|>{}<|tool_call_end|>`).join("")}<|tool_calls_section_end|>`;

const malformed = { error: "MALFORMED_CALL" };
const listed = { list_projects: {} };

describe("15.3 a call without a valid name is told with its own reason, and the text and calls after it stay", () => {
  test.each([
    [
      "hermes",
      '<tool_call>\n{"arguments": {}}\n</tool_call>\nText\n<tool_call>\n{"name": "list_projects", "arguments": {}}\n</tool_call>',
      [malformed, "\nText\n", listed],
    ],
    [
      "qwen-xml",
      "<tool_call>\n<function=>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\nText\n<tool_call>\n<function=list_projects>\n</function>\n</tool_call>",
      [malformed, "\nText\n", listed],
    ],
    [
      "qwen-xml",
      "<tool_call>\n<function=>\n<tool_call>\n<function=list_projects>\n</function>\n</tool_call>",
      [malformed, listed],
    ],
    [
      "invoke",
      '<function_calls>\n<invoke name="">\n</invoke>\n<invoke name="list_projects">\n</invoke>\n</function_calls>\nText',
      [malformed, listed, "\nText"],
    ],
    ["invoke", '<function_calls>\n<invoke name="">\n</invoke>\n</function_calls>\nText', [malformed, "\nText"]],
    ["kimi-k2", `${kimi(":0", "functions.list_projects:1")}after`, [malformed, listed, "after"]],
    [
      "kimi-k3",
      '<|open|>tools<|sep|><|open|>call tool=""<|sep|><|close|>call<|sep|><|open|>call tool="list_projects"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>after',
      [malformed, listed, "after"],
    ],
    [
      "glm",
      "<tool_call>\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>\nText",
      [malformed, "\nText"],
    ],
    ["gemma4", "<|tool_call>{}<tool_call|>Text", [malformed, "Text"]],
    ["deepseek-v3", deepseek("notfunctionread_files\n```json\n{}\n```"), [malformed]],
    ["deepseek-v3", deepseek(`notfunction<${bar}tool▁sep${bar}>read_files\n\`\`\`json\n{}\n\`\`\``), [malformed]],
    ["deepseek-v3.1", deepseek("{}"), [malformed]],
  ])("%s: %j", (id, reply, expected) => {
    expect(outcome(id, reply)).toEqual(expected);
  });

  /** Calls as a syntax writes them, of which those at these places have lost their name. */
  const written = (syntax: Syntax, count: number, lost: readonly number[]): string => {
    const calls = Array.from({ length: count }, (_, at) => {
      return { name: lost.includes(at) ? "lost_name" : "list_projects", parameters: {} };
    });
    const text = writeCalls(syntax, calls, []);
    if (!text.ok) throw new Error(text.error.message);
    return text.value.replaceAll("lost_name", "");
  };
  const losing = syntaxes.filter(({ grammar }) => grammar !== null && "lost" in grammar.states);

  // The JSON of Inkling's calls has the name, so that an empty one is the name of no tool.
  test.each(losing.filter(({ id }) => id !== "inkling").map((syntax) => [syntax.id, syntax] as const))(
    "%s: alone, before a call, behind one, and twice",
    (id, syntax) => {
      const read = (count: number, ...lost: readonly number[]): unknown =>
        outcome(id, `${written(syntax, count, lost)}Text`).filter((each) => each !== "\n");
      expect(read(1, 0)).toEqual([malformed, "Text"]);
      expect(read(2, 0)).toEqual([malformed, listed, "Text"]);
      expect(read(2, 1)).toEqual([listed, malformed, "Text"]);
      expect(read(3, 0, 1)).toEqual([malformed, malformed, listed, "Text"]);
    },
  );

  test("a reply that ends inside such a call says what was wrong with it, not that it was cut", () => {
    expect(problemOf("invoke", '<function_calls>\n<invoke name="">\n')).toContain("names no tool");
  });
});

test.each([
  ["a description of a tool", '{"name":"delete_files","description":"x"}'],
  ["a person", '{"name": "Ann", "age": 3}'],
  ["a name alone", '{"name":"list_projects"}'],
])("15.4 llama3-json: %s is data, and no call", (_what, reply) => {
  expect(outcome("llama3-json", reply)).toEqual([reply]);
});

test.each(['["a", "b"', '["a" "b"]', '"a", "b"]', '"a", "b"', "[1, 2", '[{"a": 1}'])(
  "15.5 the broken list %s is refused",
  (list) => {
    const reply = `<tool_call>\n<function=delete_files>\n<parameter=paths>\n${list}\n</parameter>\n</function>\n</tool_call>`;
    expect(outcome("qwen-xml", reply)).toEqual([{ error: "BAD_TYPE" }]);
  },
);

test.each(["a.md", "[draft] a.md", "a[1].md", "notes, and more.md"])(
  "15.5 one element without brackets is a list of one: %s",
  (element) => {
    const reply = `<tool_call>\n<function=delete_files>\n<parameter=paths>\n${element}\n</parameter>\n</function>\n</tool_call>`;
    expect(outcome("qwen-xml", reply)).toEqual([{ delete_files: { paths: [element] } }]);
  },
);

describe("15.6 what a model plainly meant as a call is one", () => {
  test.each([
    ["harmony", "<|channel|>commentary to=functions.list_projects\n<|message|>{}<|call|>", [listed]],
    ["harmony", "<|channel|>commentary to=functions.list_projects code<|message|>{}<|call|>", [listed]],
    ["harmony", " to=functions.list_projects<|channel|>commentary<|message|>{}<|call|>", [" ", listed]],
    ["llama3-json", 'I look.\n<|python_tag|>{"name":"list_projects","parameters":{}}', ["I look.\n", listed]],
    ["pythonic", "<|python_start|>[list_projects()]<|python_end|>", [listed]],
    ["lfm2", "<|tool_call_start|>list_projects()<|tool_call_end|>", [listed]],
    [
      "hermes",
      '<tool_call>\n[{"name": "list_projects", "arguments": {}},{"name": "list_projects", "arguments": {}}]\n</tool_call>',
      [listed, listed],
    ],
    ["cohere", '<|START_ACTION|>{"tool_name":"list_projects","parameters":{}}<|END_ACTION|>', [listed]],
    ["glm", "<tool_call> list_projects\n</tool_call>", [listed]],
    ["glm", "<tool_call>\nlist_projects\n</tool_call>", [listed]],
    ["kimi-k2", kimi(" functions.list_projects:0"), [listed]],
    [
      "deepseek-v3.2",
      `<${dsml}function_calls>\n<${dsml}invoke name="read_files">\n{"paths":["a"]}\n</${dsml}invoke>\n</${dsml}function_calls>`,
      [{ read_files: { paths: ["a"] } }],
    ],
  ])("%s: %j", (id, reply, expected) => {
    expect(outcome(id, reply)).toEqual(expected);
  });

  test("an object of arguments and a parameter beside it are refused", () => {
    const both = `<${dsml}function_calls>\n<${dsml}invoke name="read_files">\n{"paths":["a"]}\n<${dsml}parameter name="project" string="true">p</${dsml}parameter>\n</${dsml}invoke>\n</${dsml}function_calls>`;
    expect(outcome("deepseek-v3.2", both)).toEqual([malformed]);
  });
});

describe("15.1 a call does not run when the JSON around its arguments is broken", () => {
  const reply = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;

  test.each([
    ["arguments twice", '{"name": "list_projects", "arguments": {"a": 1}, "arguments": {}}'],
    ["arguments under two keys", '{"name": "list_projects", "arguments": {"a": 1}, "parameters": {}}'],
    ["a name twice", '{"name": "list_projects", "arguments": {}, "name": "list_projects"}'],
    ["words between its keys", '{"name": "list_projects", and "arguments": {}}'],
    ["a comma too many", '{"name": "list_projects", "arguments": {},}'],
    [
      "another call inside a value whose quotes are not escaped",
      '{"name": "list_projects", "arguments": {"a": "x{"name": "stop", "arguments": {}}"}, "arguments": {}}',
    ],
  ])("%s", (_case, json) => {
    const [first] = outcome("hermes", reply(json));
    expect(first).toEqual(malformed);
    expect(outcome("nemotron", `<TOOLCALL>[${json}]</TOOLCALL>`)[0]).toEqual(malformed);
  });

  test("an id and other keys around the arguments are no fault", () => {
    const json = '{"id": "a", "type": "function", "arguments": {}, "name": "list_projects"}';
    expect(outcome("hermes", reply(json))).toEqual([listed]);
  });
});

// The marks are written out: the law over all marks takes them from the table that it tries.
describe("15.2 a call between marks of reasoning does not run, whatever the syntax", () => {
  test.each([
    ["<think>", "</think>"],
    ["<thinking>", "</thinking>"],
    ["<seed:think>", "</seed:think>"],
    ["<longcat_think>", "</longcat_think>"],
    ["[THINK]", "[/THINK]"],
    ["<|START_THINKING|>", "<|END_THINKING|>"],
    ["<|channel>thought", "<channel|>"],
    ["<|open|>think<|sep|>", "<|close|>think<|sep|>"],
    ["<|inner_prefix|>", "<|inner_suffix|>"],
    ["<|content_thinking|>", "<|end_message|>"],
    ["<mm:think>", "</mm:think>"],
    ["[unused16]", "[unused17]"],
    ["Here is my thought process:", "Here is my response:"],
    ["Here's my thought process:", "Here's my response:"],
  ])("%s … %s", (open, close) => {
    const call = '<tool_call>\n{"name": "list_projects", "arguments": {}}\n</tool_call>';
    expect(outcome("hermes", `${open}\n${call}\n${close}after`)).toEqual([
      { reasoning: `\n${call}\n` },
      "after",
      { quoted: "reasoning" },
    ]);
    expect(outcome("hermes", call)).toEqual([listed]);
  });
});
