import { describe, expect, test } from "vitest";
import { must } from "../../base/assert.ts";
import { Scanner } from "../scanner.ts";
import { outcome, problemOf, readEveryWay, tools } from "../base/syntax.test-support.ts";
import { xml as syntax } from "./xml.ts";

const xml = (reply: string, options = {}): readonly unknown[] => outcome("xml", reply, options);
const write = (body: string): string => `<tool:write_file>${body}</tool:write_file>`;

describe("XML", () => {
  test("T-31 XML tags read the same wherever they are cut, and <thinking> is reasoning", () => {
    const thought = "\nhm <tool:list_projects></tool:list_projects>\n";
    const call = "<tool:read_files>\n<param:path>a</param:path>\n<param:path>b</param:path>\n</tool:read_files>";
    expect(xml(`<thinking>${thought}</thinking>\nOk ${call}`)).toEqual([
      { reasoning: thought },
      "\nOk ",
      { read_files: { paths: ["a", "b"] } },
    ]);
  });

  test("T-31 a whole number that no JSON number holds is kept as written, and the model is told", () => {
    const call = "<tool:search_files><param:limit>9007199254740993</param:limit></tool:search_files>";
    const ended = readEveryWay("xml", call).find(({ type }) => type === "call-end");
    expect(ended).toMatchObject({
      parameters: { limit: "9007199254740993" },
      warnings: [expect.stringMatching(/^limit is a whole number beyond/)],
    });
  });

  test("T-32 HTML, entities and newlines are kept inside a parameter and outside calls", () => {
    expect(xml(`<b>x</b> ${write("<param:content>\n<html>&amp; </param>\n</param:content>")} <p>`)).toEqual([
      "<b>x</b> ",
      { write_file: { content: "\n<html>&amp; </param>\n" } },
      " <p>",
    ]);
  });

  test.each([
    ["HTML between parameters", write("<b>"), "only parameters are allowed between"],
    ["text between parameters", write("so: <param:path>a</param:path>"), "not 'so: <param:path>a"],
    ["a call in a call", write("<tool:list_projects></tool:list_projects>"), "the call of list_projects is inside it"],
    [
      "another call's closing tag",
      "<tool:write_file></tool:edit>",
      "closed with </tool:edit> instead of </tool:write_file>",
    ],
    ["a parameter's closing tag alone", write("</param:path>"), "</param:path> closes a parameter that is not open"],
    [
      "a parameter that is not closed",
      "<tool:write_file><param:path>a</tool:write_file>",
      "ended inside the parameter path",
    ],
    ["a call that is not closed", "<tool:write_file><param:path>a</param:path>", "ended inside the call"],
  ])("T-32 %s has its own error message", (_name, reply, message) => {
    expect(problemOf("xml", reply)).toContain(message);
  });

  test("T-33 a wrong closing tag ends the call as an error, streamed or whole; a lone one is text", () => {
    expect(xml("<tool:write_file></tool:edit> after")).toEqual([{ error: "MALFORMED_CALL" }, " after"]);
    expect(xml("</tool:edit>")).toEqual(["</tool:edit>"]);
  });

  test("a call in a code span, a block quote or a fence is text, and one odd backtick affects no other line", () => {
    const call = "<tool:list_projects></tool:list_projects>";
    for (const quoted of [`\`${call}\``, `> ${call}`, `\`\`\`\n${call}\n\`\`\``, `~~~~\n\`\`\`\n${call}\n~~~~`]) {
      expect(xml(quoted)).toEqual([quoted]);
    }
    expect(xml(`an odd \` here\n${call}`)).toEqual(["an odd ` here\n", { list_projects: {} }]);
    expect(xml(`    \`\`\`\n${call}`)).toEqual(["    ```\n", { list_projects: {} }]);
  });

  test("a call in a fence that never closes is reported at the end, and not run", () => {
    const reply = "```\n<tool:list_projects></tool:list_projects>\n";
    expect(xml(reply)).toEqual([reply, { quoted: "fence" }]);
  });

  test("a value that holds its own closing tag is written in CDATA", () => {
    expect(xml(write("<param:content><![CDATA[a</param:content>]]]]><![CDATA[>b]]></param:content>"))).toEqual([
      { write_file: { content: "a</param:content>]]>b" } },
    ]);
  });
});

const tag = (name: string, inner: string, attributes = ""): string => `<${name}${attributes}>${inner}</${name}>`;
const named = (name: string): string => ` name="${name}"`;
const key = (name: string, value: string): string => tag("parameter", value, named(name));
const dsml = "｜DSML｜";

test("text is withheld only while it can still become a tag", () => {
  const scanner = new Scanner(must(syntax.grammar, "xml is text"), { tools, policy: "serial-all" });
  const shown = (piece: string): string =>
    scanner
      .feed(piece)
      .map((one) => (one.type === "text" ? one.text : ""))
      .join("");
  expect(["Hi\n", "<th", "i", "x", " <tool", ":wr", "ite", " it", "<"].map(shown)).toEqual([
    "Hi\n",
    "",
    "",
    "<thix",
    " ",
    "",
    "",
    "<tool:write it",
    "",
  ]);
  expect(scanner.finish("stopped")).toMatchObject([{ type: "text", text: "<" }]);
});

describe("what open models write", () => {
  const expected = { read_files: { project: "p", paths: ["a", "b"] } };
  const json = '{"project": "p", "paths": ["a", "b"]}';
  const invoke = tag("invoke", `\n${key("project", "p")}\n${key("paths", '["a","b"]')}\n`, named("read_files"));
  const typed = `<${dsml}invoke name="read_files">\n<${dsml}parameter name="project" string="true">p</${dsml}parameter>\n<${dsml}parameter name="paths" string="false">["a","b"]</${dsml}parameter>\n</${dsml}invoke>`;
  const functionTags =
    '<function=read_files>\n<parameter=project>\np\n</parameter>\n<parameter=paths>\n["a","b"]\n</parameter>\n</function>';
  const pairs = (prefix: string): string =>
    `<${prefix}tool_call>read_files\n<${prefix}arg_key>project</${prefix}arg_key>\n<${prefix}arg_value>p</${prefix}arg_value>\n<${prefix}arg_key>paths</${prefix}arg_key>\n<${prefix}arg_value>["a","b"]</${prefix}arg_value>\n</${prefix}tool_call>`;
  const list = `[{"name": "read_files", "arguments": ${json}}]`;
  test.each<[string, string, string]>([
    ["invoke", "invoke", `<function_calls>\n${invoke}\n</function_calls>`],
    ["MiniMax M2", "minimax", `<minimax:tool_call>\n${invoke}\n</minimax:tool_call>`],
    ["DeepSeek V3.2", "deepseek-v3.2", `<${dsml}function_calls>\n${typed}\n</${dsml}function_calls>`],
    ["DeepSeek V4", "deepseek-v4", `<${dsml}tool_calls>\n${typed}\n</${dsml}tool_calls>`],
    ["hermes", "hermes", `<tool_call>\n{"name": "read_files", "arguments": ${json}}\n</tool_call>`],
    [
      "hermes with the arguments first",
      "hermes",
      `<tool_call>{"parameters": ${json}, "name": "read_files"}</tool_call>`,
    ],
    [
      "hermes with arguments as a text",
      "hermes",
      `<tool_call>{"name": "read_files", "arguments": ${JSON.stringify(json)}}</tool_call>`,
    ],
    ["qwen-xml", "qwen-xml", `<tool_call>\n${functionTags}\n</tool_call>`],
    ["qwen-xml without its wrapper", "qwen-xml", functionTags],
    [
      "qwen-xml with a closing tag forgotten",
      "qwen-xml",
      `<tool_call>\n${functionTags.replace("p\n</parameter>", "p")}\n</tool_call>`,
    ],
    ["seed-oss", "seed-oss", `<seed:tool_call>\n${functionTags}\n</seed:tool_call>`],
    ["glm", "glm", pairs("")],
    ["longcat", "longcat", pairs("longcat_")],
    [
      "harmony, recipient in the channel",
      "harmony",
      `<|channel|>commentary to=functions.read_files <|constrain|>json<|message|>${json}<|call|>`,
    ],
    [
      "harmony, recipient in the role",
      "harmony",
      `<|start|>assistant to=functions.read_files<|channel|>commentary json<|message|>${json}<|call|>`,
    ],
    ["harmony without its last mark", "harmony", `<|channel|>commentary to=functions.read_files<|message|>${json}`],
    ["mistral to v7", "mistral", `[TOOL_CALLS]${list}`],
    ["mistral v11", "mistral", `[TOOL_CALLS]read_files${json}`],
    ["mistral v13", "mistral", `[TOOL_CALLS]read_files[CALL_ID]abc123def[ARGS]${json}`],
    ["tool-request", "tool-request", `[TOOL_REQUEST]{"name": "read_files", "arguments": ${json}}[END_TOOL_REQUEST]`],
    ["nemotron", "nemotron", `<TOOLCALL>${list}</TOOLCALL>`],
    ["granite", "granite", `<|tool_call|>${list}`],
    ["functools", "functools", `functools${list}`],
    [
      "cohere",
      "cohere",
      `<|START_ACTION|>[\n{"tool_call_id": "0", "tool_name": "read_files", "parameters": ${json}}\n]<|END_ACTION|>`,
    ],
  ])("%s", (_name, id, call) => {
    const fragments = outcome(id, `Hi ${call}`);
    expect(fragments).toEqual(["Hi ", expected]);
  });

  test("two calls in one wrapper are read, with reasoning before them", () => {
    const second = tag("invoke", "", named("list_projects"));
    expect(
      outcome("invoke", `<think>x</think>\n<function_calls>\n${invoke}\n${second}\n</function_calls>\nBye`),
    ).toEqual([{ reasoning: "x" }, "\n", expected, { list_projects: {} }, "\nBye"]);
  });

  test("a closing tag inside a value is data unless the call continues after it", () => {
    const value = "a </parameter> b </function> c";
    const call = `<tool_call>\n<function=write_file>\n<parameter=content>\n${value}\n</parameter>\n</function>\n</tool_call>`;
    expect(outcome("qwen-xml", call)).toEqual([{ write_file: { content: value } }]);
    const inJson = `<tool_call>{"name": "write_file", "arguments": {"content": "</tool_call>"}}</tool_call>`;
    expect(outcome("hermes", inJson)).toEqual([{ write_file: { content: "</tool_call>" } }]);
  });

  test("a value that seems to hold a whole parameter is an error, not two values", () => {
    const call =
      "<tool_call>\n<function=write_file>\n<parameter=content>\na\n</parameter>\n<parameter=content>\nb\n</parameter>\n</function>\n</tool_call>";
    expect(outcome("qwen-xml", call)).toEqual([{ error: "AMBIGUOUS_CLOSE" }]);
  });

  test("harmony's channels become reasoning, calls and text, without their marks", () => {
    const reply = `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>`;
    expect(outcome("harmony", reply)).toEqual([{ reasoning: "hm" }, "Hello"]);
  });

  test("a reply that begins in reasoning runs nothing there, and reports it when nothing else follows", () => {
    const thought = 'I call <tool_call>{"name": "list_projects", "arguments": {}}</tool_call>';
    expect(outcome("hermes", `${thought}</think>`, { startIn: "reasoning" })).toEqual([
      { reasoning: thought },
      { quoted: "reasoning" },
    ]);
  });

  test("prose about tags is shown as text at once", () => {
    for (const [id, prose] of [
      ["hermes", "The tag <tool_call> opens and </tool_call> closes."],
      ["qwen-xml", "Write <function=name> there, or <tool_call>."],
      ["glm", "<tool_call>tag is a tag"],
      ["mistral", "after [TOOL_CALLS] comes more"],
      ["xml", "The tag <tool:anything> is written so, and closed by </tool:anything>."],
      ["invoke", "<function_calls> is a tag"],
      ["functools", "from functools[x] and functools import reduce"],
    ] as const) {
      expect(outcome(id, prose)).toEqual([prose]);
    }
  });

  test.each([
    ["hermes", "<tool_call>{}</tool_call>", "MALFORMED_CALL"],
    ["hermes", '<tool_call>{"name": "list_projects", "arguments": {"a": }}</tool_call>', "MALFORMED_CALL"],
    ["hermes", '<tool_call>{"name": "list_projects", "arguments": {}', "TRUNCATED_CALL"],
    ["hermes", '<tool_call>{"name": "list_project", "arguments": {}}</tool_call>', "UNKNOWN_TOOL"],
    ["mistral", '[TOOL_CALLS]write_file{"path": "a", "path": "b"}', "DUPLICATE_PARAM"],
    ["mistral", '[TOOL_CALLS]list_projects["a"]', "TRUNCATED_CALL"],
    ["xml", "<tool:anything>\n</tool:anything>", "UNKNOWN_TOOL"],
    ["glm", "<tool_call>search_files\n<arg_key>limit</arg_key>\n<arg_value>many</arg_value>\n</tool_call>", "BAD_TYPE"],
    ["invoke", `<function_calls><invoke name="list_projects">`, "TRUNCATED_CALL"],
  ])("%s %s is %s", (id, reply, code) => {
    expect(outcome(id, reply)).toEqual([{ error: code }]);
  });
});
