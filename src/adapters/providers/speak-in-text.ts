import type { ToolCallId } from "../../core/base/ids.ts";
import { isNonEmpty } from "../../core/base/non-empty.ts";
import type {
  AssistantContentBlock,
  AssistantMessage,
  Message,
  ToolMessage,
  ToolUseBlock,
} from "../../core/message/types.ts";
import { toolOutcomes } from "../../core/message/types.ts";
import { readToolArguments } from "../../core/model/assemble.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { LanguageModel } from "../../core/port/language-model.ts";
import { promptSection } from "../../core/syntax/write/prompt.ts";
import { syntaxes } from "../../core/syntax/registry.ts";
import { scan } from "../../core/syntax/scan.ts";
import type { Action } from "../../core/syntax/base/grammar.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import type { SyntaxTool } from "../../core/syntax/base/tools.ts";
import { writeCalls, type CallToWrite } from "../../core/syntax/write/write-calls.ts";
import { toolDefinition } from "../../core/tool/base/definitions.ts";
import { allFeatures, toolSpecs } from "../../core/tool/registry.ts";

/** How a prompt asks for calls. */
interface Taught {
  readonly syntax: Syntax;
  readonly tools: readonly SyntaxTool[];
}

/**
 * Wraps a model with native calls so that it follows its prompt. Where the prompt teaches a syntax, calls and results in
 * the history are read from text, and the model's own calls and thoughts are written into its text. For authors without a
 * provider, and for simulated servers.
 */
export function speakInText(model: LanguageModel, known: readonly Syntax[] = syntaxes): LanguageModel {
  return {
    ...model,
    stream(request, signal) {
      const taught = taughtBy(request.system, known);
      return taught === null
        ? model.stream(request, signal)
        : written(taught, model.stream({ ...request, ...withNativeCalls(taught, request.messages) }, signal));
    },
  };
}

/** The syntax whose rules and example a prompt contains, and the tools that it names; null when it teaches none. */
function taughtBy(system: string, known: readonly Syntax[]): Taught | null {
  const tools: readonly SyntaxTool[] = toolSpecs(allFeatures)
    .filter(({ name }) => system.includes(`\n\n## ${name}\n`))
    .map((spec) => ({ ...toolDefinition(spec), access: spec.access }));
  const [example] = tools;
  if (example === undefined) return null;
  const syntax = known.find((one) => {
    const section = promptSection(one, [example], "serial-one");
    const tool = section.slice(section.indexOf("\n\n## "));
    return one.tier !== "native" && system.includes(one.explanation) && system.includes(tool);
  });
  return syntax === undefined ? null : { syntax, tools };
}

/** Returns the history and the tools as a request with native calls. */
function withNativeCalls(taught: Taught, messages: readonly Message[]): Pick<ModelRequest, "messages" | "tools"> {
  const { syntax, tools } = taught;
  const read: Message[] = [];
  let open: readonly ToolUseBlock[] = [];
  let count = 0;
  for (const message of messages) {
    if (message.role === "assistant") {
      const reply = replyOf(taught, message, count);
      open = reply.content.filter((block) => block.type === "tool-use");
      count += open.length;
      read.push(reply);
    } else if (message.role === "user") {
      const first = message.content.find((block) => block.type === "text");
      const { results, rest } = resultsIn(syntax, first?.text ?? "", open);
      const content = message.content.flatMap((block) =>
        block !== first ? [block] : rest === "" ? [] : [{ type: "text", text: rest } as const],
      );
      read.push(...results);
      if (isNonEmpty(content)) read.push({ role: "user", content });
      open = [];
    } else read.push(message);
  }
  return { messages: read, tools };
}

function replyOf({ syntax, tools }: Taught, message: AssistantMessage, before: number): AssistantMessage {
  if (syntax.grammar === null) return message;
  const content: AssistantContentBlock[] = [];
  for (const fragment of scan(syntax.grammar, textOf(message), { tools, policy: "serial-all" })) {
    if (fragment.type === "text") content.push({ type: "text", text: fragment.text });
    if (fragment.type !== "call-end" && fragment.type !== "call-error") continue;
    const id = `text-${before + fragment.call + 1}` as ToolCallId;
    const parameters = fragment.type === "call-end" ? fragment.parameters : {};
    content.push({ type: "tool-use", id, name: fragment.name, parameters });
  }
  return isNonEmpty(content) ? { ...message, content } : message;
}

/** The results at the beginning of a text, one for each call, and the text behind them. */
function resultsIn(
  { results: { open, close } }: Syntax,
  text: string,
  calls: readonly ToolUseBlock[],
): { readonly results: readonly ToolMessage[]; readonly rest: string } {
  const parts = open.split(/\{(name|outcome)\}/);
  const pattern = parts
    .map((part, at) => (at % 2 === 1 ? `(?<${part}>[^\\s"<>|]+)` : part.replaceAll(/[^\w\s]/gu, "\\$&")))
    .join("");
  const opening = new RegExp(`\\s*${pattern}`, "y");
  const mark = close.trim();
  const results: ToolMessage[] = [];
  let at = 0;
  for (const call of calls) {
    opening.lastIndex = at;
    const found = opening.exec(text);
    if (found === null) break;
    const begin = opening.lastIndex;
    const end = close === "" ? endOf(text, begin, opening) : text.indexOf(close, begin);
    if (end < 0) break;
    const said = text
      .slice(begin, end)
      .replaceAll(mark === "" ? "\0" : `${mark.charAt(0)}\\${mark.slice(1)}`, () => mark);
    results.push({
      role: "tool",
      tool_call_id: call.id,
      tool_name: call.name,
      content: [{ type: "text", text: said }],
      outcome: toolOutcomes.find((outcome) => outcome === found.groups?.["outcome"]) ?? "ok",
    });
    at = end + close.length;
  }
  return { results, rest: text.slice(at).trim() };
}

/** The end of a result without an end mark: the start of the next result. */
function endOf(text: string, begin: number, opening: RegExp): number {
  const next = text.slice(begin).search(new RegExp(opening.source));
  return next < 0 ? text.length : begin + next;
}

function textOf(message: Message): string {
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** Whether a call must be the first thing in a reply. */
function beginsReply({ grammar }: Syntax): boolean {
  const isCall = (action: Action): boolean => action.type === "begin" || action.type === "meant";
  return grammar?.openings.some((opening) => opening.at === "reply-start" && opening.do?.some(isCall)) === true;
}

/** Writes a reply as one text: thoughts between the syntax's own marks, calls at the end. */
async function* written(taught: Taught, parts: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart, void, undefined> {
  const [thinks, thought] = thoughtMarks(taught.syntax);
  const mayNotSpeak = beginsReply(taught.syntax);
  const text = (said: string): StreamPart => ({ type: "text-delta", index: 0, text: said });
  const argumentsByIndex = new Map<number, { readonly name: string; json: string }>();
  let held = "";
  yield { type: "text-start", index: 0 };
  for await (const part of parts) {
    switch (part.type) {
      case "thinking-start":
        yield text(thinks);
        break;
      case "thinking-delta":
        yield text(part.text);
        break;
      case "thinking-end":
        yield text(`${thought}\n`);
        break;
      case "text-delta":
        // Where a call must begin its reply, earlier words would turn it into text.
        if (mayNotSpeak) held += part.text;
        else yield text(part.text);
        break;
      case "tool-call-start":
        argumentsByIndex.set(part.index, { name: part.name, json: "" });
        break;
      case "tool-call-delta": {
        const call = argumentsByIndex.get(part.index);
        if (call !== undefined) call.json += part.text;
        break;
      }
      case "finished": {
        const calls = [...argumentsByIndex.values()].map(({ name, json }) => ({ name, ...readToolArguments(json) }));
        if (calls.length === 0 && held !== "") yield text(held);
        if (calls.length > 0) for (const piece of pieces(taught, calls, !mayNotSpeak)) yield text(piece);
        yield { type: "text-end", index: 0 };
        yield { ...part, reason: part.reason === "tool-use" ? "end-turn" : part.reason };
        break;
      }
      case "failed":
      case "response-started":
        yield part;
        break;
      case "text-start":
      case "text-end":
      case "tool-call-end":
      case "refusal":
      case "opaque":
        break;
    }
  }
}

const pieceUnits = 12;

function pieces({ syntax, tools }: Taught, calls: readonly CallToWrite[], isBehindText: boolean): readonly string[] {
  const text = writeCalls(syntax, calls, tools);
  const said = text.ok ? `${isBehindText ? "\n" : ""}${text.value}` : `I cannot write this call: ${text.error.message}`;
  // Cuts between characters: half a surrogate pair would not survive on a wire.
  return said.match(new RegExp(`[\\s\\S]{1,${pieceUnits}}`, "gu")) ?? [];
}

/** The marks around a thought: the first that the grammar reads as such. */
function thoughtMarks({ grammar }: Syntax): readonly [open: string, close: string] {
  for (const { on, to } of grammar?.openings ?? []) {
    const state = grammar?.states[to];
    const [open] = on;
    const close = state?.type === "reasoning" ? state.ends[0]?.on[0] : undefined;
    if (typeof open === "string" && typeof close === "string") return [open, close];
  }
  // Each channel has a header.
  return ["<|channel|>analysis<|message|>", "<|end|>"];
}
