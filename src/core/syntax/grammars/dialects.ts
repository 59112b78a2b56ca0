import * as v from "valibot";
import type { Syntax } from "../base/syntax.ts";
import { compileDialect } from "./compile-dialect.ts";
import { dialectSchema, type DialectData } from "./dialect.ts";

const vllm = (name: string): string =>
  `https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/${name}_tool_parser.py`;
const sglang = (name: string): string =>
  `https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/${name}.py`;
const template = (name: string): string =>
  `https://github.com/ggml-org/llama.cpp/blob/master/models/templates/${name}.jinja`;

const perValue = "Write each value between its tags exactly as it is; lists and objects are JSON.";
const inTags = `Call a tool by writing its tags into your reply, several calls inside one pair of outer tags. ${perValue}`;
const inPairs = `Call a tool by writing its name and pairs of key and value between the tags. Write each value exactly as it is; lists and objects are JSON.`;
const onLines = `Call a tool by writing its tags into your reply. Write each value on its own lines between its tags, exactly as it is; lists and objects are JSON.`;
const oneObject = "Call a tool by writing one JSON object with its name and its arguments between the tags.";
const listed =
  "Call tools by writing a JSON list of objects, each with a tool's name and its arguments, behind the mark.";
const between = "Call tools between the marks, each with its name and its arguments as JSON.";

/** What several rows have in common. */
type CommonData = Omit<DialectData, "id" | "title" | "models" | "sources">;

const named = { name: "name", arguments: "arguments" };
const functionResults: DialectData["results"] = [
  '<function_results>\n<result>\n<tool_name>{name}</tool_name>\n<output outcome="{outcome}">\n',
  "\n</output>\n</result>\n</function_results>",
];

/** `<invoke name="NAME">` with a `<parameter name="KEY">` for each value, several in one wrapper. */
const invoked = (wrapper: string, mark = "", isTyped = false): CommonData => ({
  calls: "tags",
  section: [`<${mark}${wrapper}>\n`, `\n</${mark}${wrapper}>`],
  call: [`<${mark}invoke name="{name}">\n`, `</${mark}invoke>`],
  value: [`<${mark}parameter name="{key}"${isTyped ? ' string="true"' : ""}>`, `</${mark}parameter>\n`],
  ...(isTyped ? { typed_value: `<${mark}parameter name="{key}" string="false">`, json_body: true } : {}),
  results: functionResults,
  prompt: inTags,
});

/** `<tool_call>NAME` with pairs of key and value; the tags carry a prefix in some models. */
const paired = (prefix = "", suffix = "\n"): CommonData => ({
  calls: "tags",
  call: [`<${prefix}tool_call>{name}${suffix}`, `</${prefix}tool_call>`],
  value: [`<${prefix}arg_key>{key}</${prefix}arg_key>\n<${prefix}arg_value>`, `</${prefix}arg_value>\n`],
  prompt: inPairs,
});

/** `<function=NAME>` with `<parameter=KEY>` lines, each in an element of its own. */
const functions = (wrapper: string): CommonData => ({
  calls: "tags",
  section: [`<${wrapper}>\n`, `\n</${wrapper}>`],
  section_each: true,
  bare_calls: true,
  call: ["<function={name}>\n", "</function>"],
  value: ["<parameter={key}>\n", "\n</parameter>\n"],
  infer_close: true,
  prompt: onLines,
});

const deepseekMark = (name: string): string => `<｜tool▁${name}｜>`;
const deepseekResults: DialectData["results"] = [deepseekMark("output▁begin"), deepseekMark("output▁end")];
const plamo = (name: string): string => `<|plamo:${name}:plamo|>`;

/** Every dialect that is a variation of another; one row each, as a user's file would describe it. */
export const dialectRows: readonly DialectData[] = [
  {
    id: "invoke",
    title: "Invoke",
    models: "Claude (text form)",
    sources: [sglang("deepseekv32_detector")],
    ...invoked("function_calls"),
    call: ['<{prefix}invoke name="{name}">\n', "</{prefix}invoke>"],
    value: ['<{prefix}parameter name="{key}">', "</{prefix}parameter>\n"],
    prefixes: ["", "antml:"],
  },
  {
    id: "minimax",
    title: "MiniMax M2",
    models: "MiniMax M2, M2.1",
    sources: [vllm("minimax_m2"), template("unsloth-MiniMax-M2")],
    ...invoked("minimax:tool_call"),
  },
  {
    id: "deepseek-v3.2",
    title: "DeepSeek V3.2",
    models: "DeepSeek V3.2",
    sources: [sglang("deepseekv32_detector"), template("DeepSeek-V3.2")],
    ...invoked("function_calls", "｜DSML｜", true),
  },
  {
    id: "deepseek-v4",
    title: "DeepSeek V4",
    models: "DeepSeek V4, V4-0731",
    sources: [sglang("deepseekv4_detector"), vllm("deepseekv4")],
    ...invoked("tool_calls", "｜DSML｜", true),
  },
  {
    id: "deepseek-v4.1",
    title: "DeepSeek V4.1",
    models: "DeepSeek V4.1",
    sources: [sglang("deepseekv41_detector"), vllm("deepseekv41_engine")],
    ...invoked(" calls", "｜DSML｜", true),
    call: ['<｜DSML｜ invoke name="{name}">\n', "</｜DSML｜ invoke>"],
    value: ['<｜DSML｜ parameter name="{key}" string="true">', "</｜DSML｜ parameter>\n"],
    typed_value: '<｜DSML｜ parameter name="{key}" string="false">',
    results: ["<tool_result>", "</tool_result>"],
  },
  {
    id: "gigachat3.5",
    title: "GigaChat 3.5",
    models: "GigaChat 3.5",
    sources: [sglang("gigachat35_detector"), template("GigaChat3.5")],
    ...invoked("tool_calls", "｜GCML｜", true),
  },
  {
    id: "dots",
    title: "dots",
    models: "dots",
    sources: [sglang("dots_detector"), vllm("dots")],
    ...invoked("dots_function_call"),
  },
  {
    id: "step3",
    title: "Step 3",
    models: "Step 3",
    sources: [sglang("step3_detector"), vllm("step3")],
    ...invoked("tool_calls"),
    section: ["<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"],
    call: [
      '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">\n',
      "</steptml:invoke><｜tool_call_end｜>",
    ],
    value: ['<steptml:parameter name="{key}">', "</steptml:parameter>\n"],
    results: ["<tool_response>\n", "\n</tool_response>"],
  },
  {
    id: "minicpm5",
    title: "MiniCPM 5",
    models: "MiniCPM 5",
    sources: [sglang("minicpm5_detector"), vllm("minicpm5xml")],
    calls: "tags",
    call: ['<function name="{name}">', "</function>"],
    value: ['<param name="{key}">', "</param>"],
    prompt: `Call a tool by writing its tags into your reply. ${perValue}`,
  },
  {
    id: "hermes",
    title: "Hermes",
    models: "Qwen 2.5 and 3, Hermes 2 and 3, Ernie 4.5, many others",
    sources: [sglang("hermes_detector"), vllm("hermes"), vllm("ernie45")],
    calls: "json",
    call: ["<tool_call>\n", "\n</tool_call>"],
    keys: named,
    text_marks: ["<response>\n", "\n</response>"],
    prompt: oneObject,
  },
  {
    id: "qwen-xml",
    title: "Qwen XML",
    models: "Qwen3-Coder, Qwen 3.5 and later, MiMo, Nemotron 3, Step 3.5",
    sources: [sglang("qwen3_coder_detector"), vllm("qwen3coder")],
    ...functions("tool_call"),
  },
  {
    id: "glm",
    title: "GLM",
    models: "GLM 4.5 to 5, Ling 3, Laguna (Poolside), HyperCLOVA X SEED Think 32B",
    sources: [
      sglang("glm47_moe_detector"),
      sglang("poolside_v1_detector"),
      vllm("hyperclovax_seed_think"),
      template("GLM-4.6"),
    ],
    ...paired(),
  },
  {
    id: "glm-5.3-flash",
    title: "GLM 5.3 Flash",
    models: "GLM 5.3 Flash",
    sources: [sglang("glm53_flash_detector")],
    ...paired(),
    json_call: "<tool_call>{name}>",
  },
  {
    id: "hy3",
    title: "Hy3",
    models: "Hunyuan 3 (without a suffix in its marks)",
    sources: [vllm("hy_v3")],
    ...paired("", "<tool_sep>\n"),
    section: ["<tool_calls>\n", "\n</tool_calls>"],
  },
  {
    id: "hy4",
    title: "Hy4",
    models: "Hunyuan 4 (without a suffix in its marks)",
    sources: [vllm("hy_v4")],
    ...paired(),
    section: ["<tool_calls>\n", "\n</tool_calls>"],
  },
  {
    id: "solar-open2",
    title: "Solar Open 2",
    models: "Solar Open 2",
    sources: [vllm("solar_open2")],
    calls: "tags",
    call: ["<|tool_call:start|>{name}\n", "<|tool_call:end|>"],
    value: ["<|tool_arg:start|>{key}<|tool_arg:value|>", "<|tool_arg:end|>\n"],
    prompt: inPairs,
  },
  {
    id: "minimax-m3",
    title: "MiniMax M3",
    models: "MiniMax M3",
    sources: [sglang("minimax_m3"), vllm("minimax_m3")],
    calls: "tags",
    section: ["]<]minimax[>[<tool_call>\n", "\n]<]minimax[>[</tool_call>"],
    call: [']<]minimax[>[<invoke name="{name}">', "]<]minimax[>[</invoke>"],
    value: ["]<]minimax[>[<{key}>", "]<]minimax[>[</{key}>"],
    nested_item: "item",
    reasoning: ["<mm:think>", "</mm:think>"],
    prompt: inTags,
  },
  {
    id: "seed-oss",
    title: "Seed OSS",
    models: "Seed OSS",
    sources: [vllm("seed_oss"), template("ByteDance-Seed-OSS")],
    ...functions("seed:tool_call"),
    reasoning: ["<seed:think>", "</seed:think>"],
  },
  {
    id: "longcat",
    title: "LongCat",
    models: "LongCat",
    sources: [sglang("longcat_detector"), vllm("longcat")],
    ...paired("longcat_"),
    reasoning: ["<longcat_think>", "</longcat_think>"],
  },
  {
    id: "tool-request",
    title: "Tool request",
    models: "LM Studio's default",
    sources: ["https://lmstudio.ai/docs/advanced/tool-use"],
    calls: "json",
    call: ["[TOOL_REQUEST]\n", "\n[END_TOOL_REQUEST]"],
    keys: named,
    prompt: oneObject,
  },
  {
    id: "nemotron",
    title: "Nemotron",
    models: "Nemotron Nano 2, Llama Nemotron",
    sources: [vllm("nemotron_json"), template("NVIDIA-Nemotron-Nano-v2")],
    calls: "json",
    call: ["<TOOLCALL>", "</TOOLCALL>"],
    keys: named,
    list: true,
    prompt: listed,
  },
  {
    id: "tool-calls-list",
    title: "List of tool calls",
    models: "Jamba, Apriel, Hunyuan A13B",
    sources: [vllm("jamba"), vllm("hunyuan_a13b"), template("Apriel-1.6-15b-Thinker-fixed")],
    calls: "json",
    call: ["<tool_calls>", "</tool_calls>"],
    keys: named,
    list: true,
    prompt: listed,
  },
  {
    id: "functools",
    title: "Functools",
    models: "Phi 4 mini, Firefunction",
    sources: [vllm("phi4mini"), template("llama-cpp-microsoft-Phi-4-mini-instruct")],
    calls: "json",
    call: ["functools", ""],
    keys: named,
    list: true,
    prompt: listed,
  },
  {
    id: "granite",
    title: "Granite",
    models: "Granite 3",
    sources: [vllm("granite")],
    calls: "json",
    call: ["<|tool_call|>", ""],
    keys: named,
    list: true,
    prompt: listed,
  },
  {
    id: "cohere",
    title: "Cohere Command",
    models: "Command R7B, Command A, Command 4",
    sources: [sglang("cohere_command4_detector"), vllm("cohere_command")],
    calls: "json",
    call: ["<|START_ACTION|>", "<|END_ACTION|>"],
    keys: { name: "tool_name", arguments: "parameters" },
    list: true,
    text_marks: ["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"],
    reasoning: ["<|START_THINKING|>", "<|END_THINKING|>"],
    prompt: listed,
  },
  {
    id: "pangu",
    title: "Pangu",
    models: "openPangu",
    sources: [vllm("pangu"), vllm("openpangu_v2")],
    calls: "json",
    call: ["<|tool_call_start|>", "<|tool_call_end|>"],
    also: [["[unused11]", "[unused12]"]],
    keys: named,
    list: true,
    reasoning: ["[unused16]", "[unused17]"],
    prompt: listed,
  },
  {
    id: "gigachat3",
    title: "GigaChat 3",
    models: "GigaChat 3",
    sources: [sglang("gigachat3_detector"), template("GigaChat3-10B-A1.8B")],
    calls: "json",
    call: ["<|function_call|>", ""],
    also: [["<|message_sep|>function call<|role_sep|>\n", ""]],
    keys: named,
    prompt: "Call a tool by writing the mark and one JSON object with its name and its arguments.",
  },
  {
    id: "intern-s1",
    title: "Intern S1",
    models: "Intern S1, InternLM 2 and 3",
    sources: [vllm("intern_s1"), sglang("internlm_detector")],
    calls: "json",
    call: ["<|action_start|><|plugin|>\n", "<|action_end|>"],
    keys: { name: "name", arguments: "parameters" },
    prompt: oneObject,
  },
  {
    id: "hyperclova",
    title: "HyperCLOVA X",
    models: "HyperCLOVA X SEED Think 14B",
    sources: [vllm("hyperclovax_seed_think_14b")],
    calls: "json",
    call: ["-> tool/function_call\n", "<|im_end|>"],
    keys: named,
    list: true,
    prompt: listed,
  },
  {
    id: "xlam",
    title: "xLAM",
    models: "xLAM",
    sources: [vllm("xlam")],
    calls: "json",
    call: ["", ""],
    also: [
      ["<tool_call>", "</tool_call>"],
      ["[TOOL_CALLS]", ""],
    ],
    keys: named,
    list: true,
    prompt:
      "Call tools by answering with nothing but a JSON list of objects, each with a tool's name and its arguments.",
  },
  {
    id: "apertus",
    title: "Apertus",
    models: "Apertus",
    sources: [sglang("apertus2509_detector"), vllm("apertus")],
    calls: "json",
    call: ["<|tools_prefix|>", "<|tools_suffix|>"],
    list: true,
    name_is_key: true,
    reasoning: ["<|inner_prefix|>", "<|inner_suffix|>"],
    prompt:
      "Call tools by writing a JSON list of objects behind the mark; each has the tool's name as its only key and the arguments as its value.",
  },
  {
    id: "inkling",
    title: "Inkling",
    models: "Inkling",
    sources: [sglang("inkling_detector"), vllm("inkling")],
    calls: "json",
    call: ["<|message_model|>{name}<|content_invoke_tool_json|>", "<|end_message|>"],
    also: [["<|content_invoke_tool_json|>", "<|end_message|>"]],
    keys: { name: "name", arguments: "args" },
    text_marks: ["<|message_model|>", "<|content_text|>", "<|end_message|>", "<|content_model_end_sampling|>"],
    reasoning: ["<|content_thinking|>", "<|end_message|>"],
    between: "",
    results: ["<|message_tool|>{name}<|content_text|>", "<|end_message|>"],
    prompt: "Call a tool by its name and one JSON object with its name and its arguments, between the marks.",
  },
  {
    id: "plamo3",
    title: "PLaMo 3",
    models: "PLaMo 3",
    sources: [vllm("plamo3")],
    calls: "json",
    section: [plamo("begin_tool_requests"), plamo("end_tool_requests")],
    call: [
      `${plamo("begin_tool_request")}${plamo("begin_tool_name")}{name}${plamo("end_tool_name")}${plamo("begin_tool_arguments")}`,
      `${plamo("end_tool_arguments")}${plamo("end_tool_request")}`,
    ],
    between: "",
    prompt: between,
  },
  {
    id: "deepseek-v3",
    title: "DeepSeek V3",
    models: "DeepSeek V3, R1",
    sources: [sglang("deepseekv3_detector"), template("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B")],
    calls: "json",
    section: [deepseekMark("calls▁begin"), deepseekMark("calls▁end")],
    call: [
      `${deepseekMark("call▁begin")}function${deepseekMark("sep")}{name}\n\`\`\`json\n`,
      `\n\`\`\`${deepseekMark("call▁end")}`,
    ],
    results: deepseekResults,
    prompt: between,
  },
  {
    id: "deepseek-v3.1",
    title: "DeepSeek V3.1",
    models: "DeepSeek V3.1",
    sources: [sglang("deepseekv31_detector"), template("deepseek-ai-DeepSeek-V3.1")],
    calls: "json",
    section: [deepseekMark("calls▁begin"), deepseekMark("calls▁end")],
    call: [`${deepseekMark("call▁begin")}{name}${deepseekMark("sep")}`, deepseekMark("call▁end")],
    between: "",
    results: deepseekResults,
    prompt: between,
  },
];

/** The dialects of the table, compiled. */
export const dialects: readonly Syntax[] = dialectRows.map((row) => compileDialect(v.parse(dialectSchema, row)));
