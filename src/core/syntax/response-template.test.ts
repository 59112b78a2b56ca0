import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import type { Json } from "../base/json.ts";
import { importResponseTemplate } from "./response-template.ts";
import { scan } from "./scan.ts";
import { summary, tools } from "./base/syntax.test-support.ts";
import { writeCalls } from "./write/write-calls.ts";

const thinking = { open: "<think>", close: "</think>", content: "text" };
const content = { close: "<|im_end|>", content: "text" };
const templates: { readonly [model: string]: Json } = {
  json: {
    start_anchor: "<|im_start|>assistant\n",
    fields: {
      thinking,
      tool_calls: {
        open: "<tool_call>",
        close: "</tool_call>",
        repeats: true,
        content: "json",
        transform: { type: "function", function: "{content}" },
      },
      content,
    },
  },
  tags: {
    start_anchor: "<|im_start|>assistant\n",
    fields: {
      thinking,
      tool_calls: {
        open_pattern: String.raw`<tool_call>\s*<function=(?P<name>\w+)>`,
        close: "</tool_call>",
        repeats: true,
        content: "xml-inline",
        content_args: { tag_pattern: String.raw`<parameter=(?P<key>\w+)>\s*(?P<value>.*?)\s*</parameter>` },
        transform: { type: "function", function: { name: "{name}", arguments: "{content}" } },
      },
      content,
    },
  },
  list: {
    start_anchor: "x",
    fields: {
      tool_calls: {
        open: "<|START_ACTION|>",
        close: "<|END_ACTION|>",
        content: "json",
        transform_each: true,
        transform: { type: "function", function: { name: "{tool_name}", arguments: "{parameters}" } },
      },
      content: {},
    },
  },
  named: {
    start_anchor: "x",
    fields: {
      tool_calls: {
        open_pattern: String.raw`<\|call\|>(?P<name>\w+)\s*`,
        close: "<|end|>",
        content: "json",
        transform: { type: "function", function: { name: "{name}", arguments: "{content}" } },
      },
      content: {},
    },
  },
};

const calls = [
  { name: "write_file", parameters: { path: " a", content: "x\n</parameter>\n</tool_call> ]]> " } },
  { name: "search_files", parameters: { regex: "true", limit: 5 } },
] as const;

describe("importResponseTemplate", () => {
  test.each(Object.entries(templates))(
    "%s: calls written by an imported syntax are read back, with reasoning and text around them",
    (id, template) => {
      const imported = importResponseTemplate(id, template);
      if (!imported.ok) throw new Error(imported.error.message);
      const syntax = imported.value;
      const written = writeCalls(syntax, calls, tools);
      const text = written.ok ? written.value : "";
      const grammar = must(syntax.grammar, "it is text");
      const read = summary(scan(grammar, `Hi ${text}`, { tools, policy: "serial-all" })).filter(
        (one) => typeof one !== "string" || one.trim() !== "",
      );
      expect(read).toEqual(["Hi ", ...calls.map((call) => ({ [call.name]: call.parameters }))]);
      const cut = scan(grammar, `Hi ${text}`.slice(0, -1), { tools, policy: "serial-all" }, "cut");
      expect(cut.filter((one) => one.type === "call-end").length).toBeLessThanOrEqual(calls.length);
    },
  );

  test("an imported syntax ignores text between a template's tags", () => {
    const imported = importResponseTemplate("tags", must(templates["tags"], "there is one"));
    if (!imported.ok) throw new Error(imported.error.message);
    const reply = "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>";
    const grammar = must(imported.value.grammar, "it is text");
    expect(summary(scan(grammar, reply, { tools, policy: "serial-all" }))).toEqual([{ write_file: { path: "a" } }]);
  });

  test("an imported syntax hides the end-of-message mark and reads thinking as reasoning", () => {
    const imported = importResponseTemplate("json", must(templates["json"], "there is one"));
    if (!imported.ok) throw new Error(imported.error.message);
    const grammar = must(imported.value.grammar, "it is text");
    expect(summary(scan(grammar, "<think>hm</think>Hello<|im_end|>", { tools, policy: "serial-all" }))).toEqual([
      { reasoning: "hm" },
      "Hello",
    ]);
  });

  test.each<[string, Json]>([
    ["fields: the template has none", {}],
    ["fields.tool_calls: the template has no tool calls", { fields: { content: {} } }],
    [
      "cannot be read from",
      {
        fields: {
          tool_calls: {
            open_pattern: "<a>(?=x)",
            close: "</a>",
            content: "json",
            transform: { function: { name: "{name}", arguments: "{content}" } },
          },
        },
      },
    ],
    [
      "its content is",
      {
        fields: {
          tool_calls: { open: "<a>", close: "</a>", content: "kv-lines", transform: { function: "{content}" } },
        },
      },
    ],
    ...[
      { open: "{constructor}", close: "</a>", content: "json", transform: { function: "{content}" } },
      { open: "<a>", close: "{name}", content: "json", transform: { function: "{content}" } },
      {
        open_pattern: String.raw`\{valueOf\}(?P<name>\w+)`,
        content: "json",
        transform: { function: { name: "{name}", arguments: "{content}" } },
      },
    ].map((calls): [string, Json] => ["has a word in braces", { fields: { tool_calls: calls } }]),
    [
      "cannot be read from",
      {
        fields: {
          tool_calls: {
            open_pattern: String.raw`<call=(?P<name>\w+)>`,
            close: "</call>",
            content: "xml-inline",
            content_args: { tag_pattern: String.raw`<p=(?P<key>\w+)>(?P<value>.*?)(?=</p>)` },
            transform: { function: { name: "{name}", arguments: "{content}" } },
          },
        },
      },
    ],
    ["fields.content: the mark", { fields: { tool_calls: {}, content: { close: "{toString}" } } }],
  ])("importResponseTemplate refuses an unreadable template: %s", (why, template) => {
    const imported = importResponseTemplate("x", template);
    expect(imported.ok ? "" : imported.error.message).toContain(why);
  });
});
