import { describe, expect, test } from "vitest";
import { outcome, problemOf } from "../base/syntax.test-support.ts";

const bar = "｜";
const plamo = (name: string): string => `<|plamo:${name}:plamo|>`;
const m3 = "]<]minimax[>[";
const expected = { read_files: { project: "p", paths: ["a", "b"] } };
const json = '{"project": "p", "paths": ["a", "b"]}';
const pairs = (prefix = ""): string =>
  `<${prefix}arg_key>project</${prefix}arg_key><${prefix}arg_value>p</${prefix}arg_value><${prefix}arg_key>paths</${prefix}arg_key><${prefix}arg_value>["a","b"]</${prefix}arg_value>`;
const typed = (mark: string): string =>
  `<${mark}parameter name="project" string="true">p</${mark}parameter>\n<${mark}parameter name="paths" string="false">["a","b"]</${mark}parameter>`;

describe("15.8 a reply in the form that a model's own template or serving code describes is a call", () => {
  test.each([
    [
      "deepseek-v4.1",
      `<${bar}DSML${bar} calls>\n<${bar}DSML${bar} invoke name="read_files">\n${typed(`${bar}DSML${bar} `)}\n</${bar}DSML${bar} invoke>\n</${bar}DSML${bar} calls>`,
    ],
    [
      "gigachat3.5",
      `<${bar}GCML${bar}tool_calls><${bar}GCML${bar}invoke name="read_files">${typed(`${bar}GCML${bar}`)}</${bar}GCML${bar}invoke></${bar}GCML${bar}tool_calls>`,
    ],
    [
      "dots",
      '<dots_function_call>\n<invoke name="read_files">\n<parameter name="project">p</parameter>\n<parameter name="paths">["a","b"]</parameter>\n</invoke>\n</dots_function_call>',
    ],
    [
      "step3",
      `<${bar}tool_calls_begin${bar}>\n<${bar}tool_call_begin${bar}>function<${bar}tool_sep${bar}><steptml:invoke name="read_files">\n<steptml:parameter name="project">p</steptml:parameter>\n<steptml:parameter name="paths">["a","b"]</steptml:parameter>\n</steptml:invoke><${bar}tool_call_end${bar}>\n<${bar}tool_calls_end${bar}>`,
    ],
    [
      "minicpm5",
      '<function name="read_files"><param name="project"><![CDATA[p]]></param><param name="paths">["a","b"]</param></function>',
    ],
    ["glm-5.3-flash", `<tool_call>read_files>${json}`],
    ["glm-5.3-flash", `<tool_call>files/read_files>${json}</tool_call>`],
    ["glm-5.3-flash", `<tool_call>read_files\n${pairs()}</tool_call>`],
    ["hy3", `<tool_calls>\n<tool_call>read_files<tool_sep>\n${pairs()}\n</tool_call>\n</tool_calls>`],
    ["hy4", `<tool_calls><tool_call>read_files${pairs()}</tool_call></tool_calls>`],
    [
      "solar-open2",
      '<|tool_call:start|>read_files\n<|tool_arg:start|>project<|tool_arg:value|>p<|tool_arg:end|>\n<|tool_arg:start|>paths<|tool_arg:value|>["a","b"]<|tool_arg:end|>\n<|tool_call:end|>',
    ],
    [
      "minimax-m3",
      `${m3}<tool_call>\n${m3}<invoke name="read_files">${m3}<project>p${m3}</project>${m3}<paths>["a","b"]${m3}</paths>${m3}</invoke>\n${m3}</tool_call>`,
    ],
    [
      "minimax-m3",
      `${m3}<tool_call>\n${m3}<invoke name="read_files">\n${m3}<project>p${m3}</project>\n${m3}<paths>\n${m3}<item>a${m3}</item>\n${m3}<item>b${m3}</item>\n${m3}</paths>\n${m3}</invoke>\n${m3}</tool_call>`,
    ],
    ["pangu", `<|tool_call_start|>[{"name": "read_files", "arguments": ${json}}]<|tool_call_end|>`],
    ["pangu", `[unused11][{"name": "read_files", "arguments": ${json}}][unused12]`],
    ["gigachat3", `<|function_call|>{"name": "read_files", "arguments": ${json}}`],
    ["gigachat3", `<|message_sep|>function call<|role_sep|>\n{"name": "read_files", "arguments": ${json}}`],
    ["intern-s1", `<|action_start|> <|plugin|>\n{"name": "read_files", "parameters": ${json}}<|action_end|>`],
    ["xlam", `[{"name": "read_files", "arguments": ${json}}]`],
    ["xlam", `<tool_call>[{"name": "read_files", "arguments": ${json}}]</tool_call>`],
    ["apertus", `<|tools_prefix|>[{"read_files": ${json}}]<|tools_suffix|>`],
    [
      "inkling",
      `<|message_model|>read_files<|content_invoke_tool_json|>{"name":"read_files","args":${json}}<|end_message|>`,
    ],
    ["inkling", `<|content_invoke_tool_json|>{"name":"read_files","args":${json}}<|end_message|>`],
    [
      "plamo3",
      `${plamo("begin_tool_requests")}${plamo("begin_tool_request")}${plamo("begin_tool_name")}read_files${plamo("end_tool_name")}${plamo("begin_tool_arguments")}${json}${plamo("end_tool_arguments")}${plamo("end_tool_request")}${plamo("end_tool_requests")}`,
    ],
    ["hyperclova", `-> tool/function_call\n[{"name": "read_files", "arguments": ${json}}]<|im_end|>`],
    ["olmo3", '<function_calls>\nread_files(project="p", paths=["a", "b"])\n</function_calls>'],
    [
      "functiongemma",
      "<start_function_call>call:read_files{project:<escape>p<escape>,paths:[<escape>a<escape>,<escape>b<escape>]}<end_function_call>",
    ],
    ["pythonic", '<|python_start|>[read_files(project="p", paths=["a", "b"])]<|python_end|>'],
    [
      "cohere",
      `<|START_ACTION|>[\n{"tool_call_id": "0", "tool_name": "read_files", "parameters": ${json}}\n]<|END_ACTION|>`,
    ],
    [
      "muse-glimmer",
      'to=files<|message|><atem:function_calls>\n<atem:invoke name="read_files">\n<atem:parameter name="project">p</atem:parameter>\n<atem:parameter name="paths">["a","b"]</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
    ],
  ])("%s: %j", (id, reply) => {
    expect(outcome(id, reply)).toEqual([expected]);
  });
});

describe("15.8 marks around reasoning and answers are no text", () => {
  test.each([
    ["cohere", "<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Hi<|END_RESPONSE|>"],
    ["inkling", "<|content_thinking|>hm<|end_message|><|message_model|><|content_text|>Hi<|end_message|>"],
    ["muse-glimmer", "to=self<|message|>hm<|eom|><|start|>assistant to=user<|message|>Hi<|eot|>"],
    ["apertus", "<|inner_prefix|>hm<|inner_suffix|>Hi"],
    ["pangu", "[unused16]hm[unused17]Hi"],
    ["minimax-m3", "<mm:think>hm</mm:think>Hi"],
  ])("%s: %j", (id, reply) => {
    expect(outcome(id, reply)).toEqual([{ reasoning: "hm" }, "Hi"]);
  });
});

describe("15.8 nested elements of MiniMax M3", () => {
  const element = (name: string, inside: string): string => `${m3}<${name}>${inside}${m3}</${name}>`;
  const call = (values: string): string =>
    `${m3}<tool_call>\n${m3}<invoke name="order">\n${values}\n${m3}</invoke>\n${m3}</tool_call>`;
  const lines = {
    type: "array",
    items: { type: "object", properties: { sku: { type: "string" }, count: { type: "integer" } } },
  };
  const ship = { type: "object", properties: { city: { type: "string" }, zip: { type: "string" }, lines } };
  const tools = [
    {
      name: "order",
      description: "",
      inputSchema: { type: "object", properties: { ship, lines, note: { type: "string" } } },
    },
  ];
  const line = (sku: string, count: number): string =>
    element("item", `\n${element("sku", sku)}${element("count", String(count))}\n`);
  const parts = `${line("a b", 1)}\n${line(" c", 20)}`;
  const read = [
    { sku: "a b", count: 1 },
    { sku: " c", count: 20 },
  ];

  test.each<[string, string, object]>([
    ["objects in a list", element("lines", `\n${parts}\n`), { lines: read }],
    [
      "an object with a list, a text that looks like a number, and another parameter",
      `${element("ship", element("city", "Oslo") + element("zip", "01896") + element("lines", parts))}\n${element("note", "hi")}`,
      { ship: { city: "Oslo", zip: "01896", lines: read }, note: "hi" },
    ],
    ["JSON in their place", element("lines", '[{"sku":"x","count":2}]'), { lines: [{ sku: "x", count: 2 }] }],
  ])("%s are read", (_name, values, parameters) => {
    expect(outcome("minimax-m3", call(values), { tools })).toEqual([{ order: parameters }]);
  });

  test.each<[string, string, string]>([
    ["a forgotten closing tag", `${m3}<ship>${m3}<city>Oslo${m3}</ship>`, "AMBIGUOUS_CLOSE"],
    ["words beside an element", element("ship", `Oslo ${element("city", "Oslo")}`), "BAD_TYPE"],
    [
      "a parameter among the elements",
      element("ship", element("city", "Oslo") + element("note", "hi")),
      "AMBIGUOUS_CLOSE",
    ],
    ["an element twice", element("ship", element("city", "a") + element("city", "b")), "AMBIGUOUS_CLOSE"],
    ["elements in a text", element("note", element("city", "Oslo")), "AMBIGUOUS_CLOSE"],
    ["a leaf of another type", element("lines", element("item", element("count", "many"))), "AMBIGUOUS_CLOSE"],
  ])("%s is refused", (_name, values, error) => {
    expect(outcome("minimax-m3", call(values), { tools })).toEqual([{ error }]);
  });
});

test("inkling: a call whose mark and JSON name different tools is refused", () => {
  const reply = `<|message_model|>read_files<|content_invoke_tool_json|>{"name":"delete_files","args":${json}}<|end_message|>`;
  expect(problemOf("inkling", reply)).toContain("names another tool");
});

test("apertus: an object with two tools is refused as a whole", () => {
  const reply = '<|tools_prefix|>[{"list_projects": {}, "delete_files": {"paths": ["a"]}}]<|tools_suffix|>';
  expect(outcome("apertus", reply).filter((one) => one !== null && typeof one === "object")).toEqual([
    { error: "MALFORMED_CALL" },
  ]);
});

test("plamo3: a tool's name of 64 characters is read, as in every dialect with long marks", () => {
  const name = "n".repeat(64);
  const reply = `${plamo("begin_tool_requests")}${plamo("begin_tool_request")}${plamo("begin_tool_name")}${name}${plamo("end_tool_name")}${plamo("begin_tool_arguments")}{}${plamo("end_tool_arguments")}${plamo("end_tool_request")}${plamo("end_tool_requests")}`;
  const tools = [{ name, description: "", inputSchema: { type: "object", properties: {} } }];
  expect(outcome("plamo3", reply, { tools })).toEqual([{ [name]: {} }]);
});
