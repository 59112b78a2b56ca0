import { expect, test } from "vitest";
import type { SyntaxTool } from "./base/tools.ts";
import { recogniseSyntax } from "./recognise.ts";
import { syntaxes } from "./registry.ts";
import { writeCalls } from "./write/write-calls.ts";

const tool: SyntaxTool = {
  name: "look",
  description: "",
  inputSchema: { type: "object", properties: { at: { type: "string" }, deep: { type: "integer" } } },
};

/** Templates as model makers write them: marks in texts, in pieces, with variables, beside other marks. */
const templates: readonly (readonly [string, string])[] = [
  [
    "hermes",
    `{%- if tools %}{{- '<|im_start|>system\\n# Tools\\n<tools>' }}{{- "\\n</tools>\\n\\nFor each call:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args>}\\n</tool_call><|im_end|>\\n" }}{%- endif %}`,
  ],
  [
    "qwen-xml",
    `{{- '<tool_call>\\n<function=' + call.name + '>\\n' }}{% for k, v in args %}{{- '<parameter=' + k + '>\\n' }}{{ v }}{{- '\\n</parameter>\\n' }}{% endfor %}{{- '</function>\\n</tool_call>' }} "name" "arguments"`,
  ],
  [
    "glm",
    "<|system|>\n<tool_call>{function-name}\n<arg_key>{k}</arg_key>\n<arg_value>{v}</arg_value>\n</tool_call>{{ '\\n<tool_call>' + tc.name }}",
  ],
  [
    "deepseek-v3.2",
    `{%- set dsml_token = "｜DSML｜" -%}<{{ dsml_token }}function_calls>\n<{{ dsml_token }}invoke name="{{ name }}">\n<{{ dsml_token }}parameter name="{{ key }}" string="{{ 'true' if t else 'false' }}">v</{{ dsml_token }}parameter></{{ dsml_token }}invoke></{{ dsml_token }}function_calls>`,
  ],
  [
    "minimax",
    `{%- set begin = '<minimax:tool_call>' -%}{%- set end = '</minimax:tool_call>' -%}{{- '\\n' ~ begin ~ '\\n' }}{{- '<invoke name="' + call.name + '">\\n' }}{{- '<parameter name="' + k + '">' }}{{- '</parameter>' }}{{- '</invoke>' ~ '\\n' }}{{- end }}`,
  ],
  [
    "kimi-k2",
    "<|tool_calls_section_begin|>{% for c in calls %}<|tool_call_begin|>{{ c.id }}<|tool_call_argument_begin|>{{ a }}<|tool_call_end|>{% endfor %}<|tool_calls_section_end|> functions.x",
  ],
  ["llama3-json", `<|eot_id|>{{- '{"name": "' + name + '", ' }}{{- '"parameters": ' }}{{- "<|python_tag|>" + name }}`],
  ["pythonic", "{{ '<|python_start|>' }}{{ '<|python_end|>' }}<|eot|>"],
];

test.each(templates)("15.9 the chat template of a model that writes %s is recognised", (id, template) => {
  expect(recogniseSyntax(template, syntaxes)?.id).toBe(id);
});

test("15.9 every syntax with marks is recognised from a template that holds a call in it", () => {
  // Marks that another syntax has too, or none at all.
  const alike = new Set(["glm-5.3-flash", "llama3-json", "pythonic", "xlam"]);
  for (const syntax of syntaxes.filter(({ id, tier }) => tier === "model" && !alike.has(id))) {
    const written = writeCalls(syntax, [{ name: "look", parameters: { at: "x", deep: 1 } }], [tool]);
    expect([syntax.id, recogniseSyntax(`{{ a }}${written.ok ? written.value : ""}`, syntaxes)?.id]).toEqual([
      syntax.id,
      syntax.id,
    ]);
  }
});

test.each([
  ["an empty template", ""],
  ["a plain chat", "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"],
  ["half of the marks", "<tool_call>{{ x }}</tool_call>"],
  ["a very long text", "<".repeat(1_000_000)],
])("15.9 %s is not recognised", (_what, template) => {
  expect(recogniseSyntax(template, syntaxes)).toBeNull();
});
