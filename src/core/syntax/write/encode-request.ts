import { coalesceTextOnlyAdjacent } from "../../message/coalesce.ts";
import { isNonEmpty } from "../../base/non-empty.ts";
import type {
  AssistantContentBlock,
  AssistantMessage,
  Message,
  TextBlock,
  ToolMessage,
  ToolUseBlock,
  UserContentBlock,
} from "../../message/types.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { CallPolicy } from "../../forest/run-rules.ts";
import { promptSection } from "./prompt.ts";
import type { Syntax } from "../base/syntax.ts";
import { filled } from "../base/registers.ts";
import type { SyntaxTool } from "../base/tools.ts";
import { writeCalls } from "./write-calls.ts";

/** Returns the key under which a block stores data that only a syntax reads: the text of a malformed call. */
export function nativeApi(syntax: Syntax): string {
  return `syntax/${syntax.id}`;
}

/**
 * Encodes a request for a model that calls tools in its text: the tools become a part of the system prompt, the
 * calls and results of the history become text in this syntax. A request of a native syntax is returned unchanged.
 */
export function encodeRequestFor(
  syntax: Syntax,
  request: ModelRequest,
  tools: readonly SyntaxTool[],
  policy: CallPolicy,
): ModelRequest {
  if (syntax.tier === "native") return request;
  const section = promptSection(syntax, tools, policy);
  const system = [request.system, section].filter((part) => part !== "").join("\n\n");
  return { ...request, system, messages: encodeHistory(syntax, request.messages, tools), tools: [] };
}

/** Returns a history without tool calls and tool messages, which become text of the assistant and of the user. */
export function encodeHistory(
  syntax: Syntax,
  messages: readonly Message[],
  tools: readonly SyntaxTool[],
): readonly Message[] {
  const encoded: Message[] = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined) break;
    if (message.role === "assistant") encoded.push(encodeReply(syntax, message, tools));
    else if (message.role === "tool") {
      const results: ToolMessage[] = [message];
      for (let next = messages[at + 1]; next?.role === "tool"; next = messages[at + 1]) {
        results.push(next);
        at += 1;
      }
      encoded.push(...encodeResults(syntax, results));
    } else encoded.push(message);
  }
  return coalesceTextOnlyAdjacent(encoded);
}

/** Joins adjacent text and calls into one text, so that a call that must begin a line does. */
function encodeReply(syntax: Syntax, message: AssistantMessage, tools: readonly SyntaxTool[]): AssistantMessage {
  if (!message.content.some((block) => block.type === "tool-use")) return message;
  const content: AssistantContentBlock[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") content.push({ type: "text", text });
    text = "";
  };
  let calls: ToolUseBlock[] = [];
  const flushCalls = (): void => {
    if (calls.length > 0) text = onNewLine(text, writtenCalls(syntax, calls, tools));
    calls = [];
  };
  for (const block of message.content) {
    if (block.type === "tool-use") {
      const raw = rawOf(syntax, block);
      if (raw === undefined) calls.push(block);
      else {
        flushCalls();
        text = onNewLine(text, raw);
      }
    } else {
      flushCalls();
      if (block.type === "text") text = onNewLine(text, block.text);
      else {
        flush();
        content.push(block);
      }
    }
  }
  flushCalls();
  flush();
  return isNonEmpty(content) ? { ...message, content } : message;
}

function onNewLine(text: string, next: string): string {
  return text === "" || next === "" || text.endsWith("\n") || next.startsWith("\n") ? text + next : `${text}\n${next}`;
}

/** Returns a malformed call as the model wrote it. */
function rawOf(syntax: Syntax, block: ToolUseBlock): string | undefined {
  if (block.argumentsError === undefined || block.native?.api !== nativeApi(syntax)) return undefined;
  const { raw } = block.native.data;
  return typeof raw === "string" ? raw : undefined;
}

function writtenCalls(syntax: Syntax, calls: readonly ToolUseBlock[], tools: readonly SyntaxTool[]): string {
  const written = writeCalls(syntax, calls, tools);
  if (written.ok) return written.value;
  // A call that the syntax cannot express is described in words, which nothing parses as a call.
  return calls
    .map(({ name, parameters }) => `(Called ${name} with ${JSON.stringify(parameters)}.)`)
    .join("\n")
    .toWellFormed();
}

/** Encodes the results of a round as one user message; images and files stay between the texts. */
function encodeResults(syntax: Syntax, results: readonly ToolMessage[]): readonly Message[] {
  const content: UserContentBlock[] = [];
  const add = (text: string): void => {
    const last = content.at(-1);
    if (last?.type === "text") content[content.length - 1] = { type: "text", text: last.text + text };
    else content.push({ type: "text", text } satisfies TextBlock);
  };
  for (const [index, result] of results.entries()) {
    const { open, close } = syntax.results;
    add(`${index === 0 ? "" : "\n"}${filled(open, { name: result.tool_name, outcome: result.outcome })}`);
    for (const block of result.content) {
      if (block.type === "text") add(withoutMark(block.text, close.trim()));
      else content.push(block);
    }
    add(close);
  }
  return isNonEmpty(content) ? [{ role: "user", content }] : [];
}

/** Breaks the end mark inside a result, so that a result cannot end itself early. */
function withoutMark(text: string, mark: string): string {
  return mark === "" ? text : text.replaceAll(mark, () => `${mark.charAt(0)}\\${mark.slice(1)}`);
}
