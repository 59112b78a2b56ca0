import { expect, test } from "vitest";
import type { ToolCallId } from "../../core/base/ids.ts";
import type { Message } from "../../core/message/types.ts";
import { noUsage } from "../../core/message/usage.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../core/model/assemble.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { LanguageModel } from "../../core/port/language-model.ts";
import { encodeRequestFor } from "../../core/syntax/write/encode-request.ts";
import { syntaxes } from "../../core/syntax/registry.ts";
import { syntaxReader } from "../../core/syntax/syntax-reader.ts";
import { toolDefinition } from "../../core/tool/base/definitions.ts";
import { documentFeatures, toolSpecs } from "../../core/tool/registry.ts";
import { speakInText } from "./speak-in-text.ts";

const tools = toolSpecs({ ...documentFeatures, blocks: false }).map(toolDefinition);
const patch = "@@ -1 +1 @@\n-a\n+</param:patch> ^^^ ``` \u{1f600}\n";
const asked: ModelRequest[] = [];
const model: LanguageModel = {
  info: { id: "t/m", name: "M", contextTokensMax: 1, outputTokensMax: 1, tools: true, thinking: true, local: true },
  api: "scripted",
  async *stream(request): AsyncGenerator<StreamPart> {
    asked.push(request);
    yield { type: "thinking-start", index: 0 };
    yield { type: "thinking-delta", index: 0, text: "Which line?" };
    yield { type: "thinking-end", index: 0 };
    yield { type: "text-start", index: 1 };
    yield { type: "text-delta", index: 1, text: "Now I write." };
    yield { type: "text-end", index: 1 };
    for (const [at, [name, parameters]] of [
      ["canvas_apply_patch", { lease_id: "l", patch }] as const,
      ["canvas_read_all", { lease_id: "l" }] as const,
    ].entries()) {
      const index = at + 2;
      yield { type: "tool-call-start", index, id: `c${at}`, name };
      yield { type: "tool-call-delta", index, text: JSON.stringify(parameters) };
      yield { type: "tool-call-end", index };
    }
    yield { type: "finished", reason: "tool-use", usage: noUsage };
  },
};

const id = (name: string): ToolCallId => name as ToolCallId;
const reply = {
  role: "assistant",
  content: [
    { type: "text", text: "I look." },
    { type: "tool-use", id: id("text-1"), name: "canvas_check_out", parameters: {} },
    { type: "tool-use", id: id("text-2"), name: "canvas_read_all", parameters: { lease_id: "l" } },
  ],
} as const;
const history: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: "Change it." }] },
  reply,
  ...["text-1", "text-2"].map((name, at): Message => {
    const tool_name = at === 0 ? "canvas_check_out" : "canvas_read_all";
    const content = [{ type: "text", text: '{"text":"a </result> b ^^^ [/TOOL_RESULTS]"}' }] as const;
    return { role: "tool", tool_call_id: id(name), tool_name, content, outcome: "ok" };
  }),
  { role: "user", content: [{ type: "text", text: "Hurry." }] },
];
const request: ModelRequest = {
  model: "m",
  system: "Be brief.",
  messages: history,
  tools,
  maxTokens: 9,
  thinking: "off",
};

test.each(syntaxes.map((syntax) => [syntax.id, syntax] as const))(
  "%s: speakInText follows the prompt, reads calls from the history, and writes calls that parse back",
  async (_id, syntax) => {
    asked.length = 0;
    const reader = syntaxReader(syntax, { tools, policy: "serial-all", callIdPrefix: "x" });
    let assembly = emptyAssembly;
    // Where a call must begin its reply, no text can come before it.
    const isMute = syntax.grammar?.openings.some(({ at }) => at === "reply-start") === true;
    const messages = isMute ? history.with(1, { ...reply, content: [reply.content[1], reply.content[2]] }) : history;
    const taught = encodeRequestFor(syntax, { ...request, messages }, tools, "serial-all");
    for await (const part of speakInText(model).stream(taught, new AbortController().signal)) {
      for (const read of reader.read(part)) assembly = assemble(assembly, read);
    }
    expect(asked[0]?.tools.map((tool) => tool.name)).toEqual(tools.map((tool) => tool.name));
    expect(
      asked[0]?.messages.map((message) =>
        message.content
          .map((block) =>
            block.type === "text"
              ? block.text.trim()
              : block.type === "tool-use"
                ? [block.id, block.parameters]
                : block.type,
          )
          .filter((block) => block !== ""),
      ),
    ).toEqual([
      ["Change it."],
      [...(isMute ? [] : ["I look."]), ["text-1", {}], ["text-2", { lease_id: "l" }]],
      ['{"text":"a </result> b ^^^ [/TOOL_RESULTS]"}'],
      ['{"text":"a </result> b ^^^ [/TOOL_RESULTS]"}'],
      ["Hurry."],
    ]);
    const content = assembledMessage(assembly, { api: "a", provider: "t", model: "m" })?.content ?? [];
    expect(content.flatMap((block) => (block.type === "thinking" ? [block.text] : []))).toEqual(["Which line?"]);
    expect(
      content.flatMap((block) =>
        block.type === "tool-use" ? [[block.name, block.parameters, block.argumentsError]] : [],
      ),
    ).toEqual([
      ["canvas_apply_patch", { lease_id: "l", patch }, undefined],
      ["canvas_read_all", { lease_id: "l" }, undefined],
    ]);
  },
);
