import { hash8 } from "../../../core/base/hash.ts";
import type { ToolCallId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { isNonEmpty, type NonEmptyArray } from "../../../core/base/non-empty.ts";
import { withPlainSources } from "../../../core/message/citations.ts";
import { mediaPlaceholder } from "../../../core/message/media.ts";
import type {
  AssistantMessage,
  FileBlock,
  ImageBlock,
  MediaSource,
  Message,
  NativeExtras,
  OpaqueBlock,
  RefusalBlock,
  TextBlock,
  ThinkingBlock,
  ToolMessage,
  ToolUseBlock,
  UserContentBlock,
} from "../../../core/message/types.ts";
import { withoutBinding } from "../../../core/message/without-binding.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { textAt } from "./json-read.ts";

/** The reader of a path. */
export interface Target {
  readonly api: string;
  readonly model: string;
  /** Turns a tool call's id into an id that the wire accepts; equal ids give equal ids. */
  wireId(id: string): string;
  /** Whether a reply that ends in an item of the provider's own is continued by sending it back unchanged. */
  readonly resumesPauses: boolean;
  /** Whether an empty text is sent when it carries a signature. */
  readonly signedEmptyTexts: boolean;
  /** Whether a path must begin with a person's or a tool's message. */
  readonly opensWithUser: boolean;
  /** Whether the path came from a client of the format, which is responsible for its empty messages and its ends. */
  readonly fromSameFormat: boolean;
  /** Whether the model sees images; if not, a text describes each. */
  readonly images: boolean;
  /** Whether the path ends with the beginning of the reply; if not, a person's words close it. */
  readonly isPrefill?: boolean;
}

type WireCall = ToolUseBlock & { readonly wireId: string };
export type AssistantWireBlock = TextBlock | ThinkingBlock | RefusalBlock | OpaqueBlock | WireCall;

/** Bytes or an address: a provider does not know Heddle's blobs. */
type WireSource = { readonly source: Exclude<MediaSource, { readonly type: "blob" }> };
export type WireMediaBlock = (ImageBlock & WireSource) | (FileBlock & WireSource);
/** An opaque block here belongs to the format itself. */
export type WireContentBlock = TextBlock | WireMediaBlock | OpaqueBlock;

/** Returns an instruction as one text. */
export function instructionText(turn: Extract<Turn, { readonly type: "system" }>): string {
  return turn.blocks.map((block) => block.text).join("\n\n");
}

/** The answer to one call. */
export interface WireResult {
  readonly wireId: string;
  readonly name: string;
  readonly content: readonly WireContentBlock[];
  readonly isError: boolean;
  /** What the format's own client said beside the content. */
  readonly extras: JsonObject | undefined;
}

/**
 * A path for any wire: no notices, nothing foreign, nothing empty, calls with their results. `extras` is what a message of
 * the same format holds besides its content.
 */
export type Turn =
  | { readonly type: "user"; readonly content: readonly WireContentBlock[]; readonly extras: JsonObject | undefined }
  /** `role` is the role that a client of the same format gave it. */
  | {
      readonly type: "system";
      readonly blocks: NonEmptyArray<TextBlock>;
      readonly role: string | undefined;
      readonly extras: JsonObject | undefined;
    }
  /** `results` has one entry for each call of `content`, in its order. */
  | {
      readonly type: "assistant";
      readonly content: readonly AssistantWireBlock[];
      readonly results: readonly WireResult[];
      readonly extras: JsonObject | undefined;
    };

/** Tells a model that a person or a failure cut its reply off. */
export const interruptedSuffix = "[interrupted by user]";
const unansweredText = "No result of this call was recorded.";
const continueText = "Continue.";
/** Replaces an empty message: dropping it would make two messages of the other side adjacent. */
export const nothingText = "(empty message)";
const foreignText = "[content that only another provider can read]";

/**
 * Prepares a path for a provider. Providers reject empty blocks, foreign signatures, calls without results, results without
 * calls and paths that end with the assistant; the result has none of these. The projection of a prefix is a prefix of the
 * path's projection, except for the repair of its end.
 */
export function projectPath(messages: readonly Message[], target: Target): readonly Turn[] {
  const turns: Turn[] = [];
  const taken = new Set<string>();
  let asked: ReadonlySet<string> = new Set();
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined) continue;
    switch (message.role) {
      case "user": {
        const content = wireContent(message.content, target);
        // Dropping the message would make two replies adjacent.
        const extras = extrasOf(message.native, target);
        turns.push(content.length > 0 ? { type: "user", content, extras } : text(nothingText));
        break;
      }
      case "system": {
        const blocks = message.content.flatMap((block) =>
          isLeftOut(block, target) ? [] : [withNativeOf(block, target)],
        );
        const extras = extrasOf(message.native, target);
        // Older messages keep the role with their first text.
        const role = textAt(extras, "role") ?? textAt(extrasOf(message.content[0].native, target), "role");
        if (isNonEmpty(blocks)) turns.push({ type: "system", blocks, role, extras });
        break;
      }
      case "assistant": {
        asked = new Set(message.content.flatMap((block) => (block.type === "tool-use" ? [block.id] : [])));
        const turn = assistantTurn(message, resultsAfter(messages, at), target, taken);
        if (turn !== undefined) turns.push(turn);
        break;
      }
      case "tool":
        if (!asked.has(message.tool_call_id))
          turns.push({ type: "user", content: orphanText(message, target), extras: undefined });
        break;
    }
  }
  return target.fromSameFormat ? turns : repairedEnds(turns, target);
}

function assistantTurn(
  message: AssistantMessage,
  results: readonly ToolMessage[],
  target: Target,
  taken: Set<string>,
): Turn | undefined {
  const sameModel = message.origin?.api === target.api && message.origin.model === target.model;
  const content: AssistantWireBlock[] = [];
  const answers: WireResult[] = [];
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        if (!isLeftOut(block, target) || (target.signedEmptyTexts && sameModel && block.native?.api === target.api))
          content.push(spokenText(block, target, sameModel));
        break;
      case "refusal":
        if (block.text.trim() !== "") content.push(withOwnNative(block, target, sameModel));
        break;
      case "thinking":
        // A signature binds thinking to the model that wrote it; another model refuses or ignores it.
        if (sameModel && block.unsent !== true) content.push(block);
        break;
      case "opaque":
        if (sameModel && block.api === target.api) content.push(block);
        break;
      case "tool-use": {
        const wireId = distinctWireId(block.id, target, taken);
        content.push({ ...withOwnNative(block, target, sameModel), wireId });
        const result = results.find((entry) => entry.tool_call_id === block.id);
        answers.push({
          wireId,
          name: block.name,
          content:
            result === undefined ? [{ type: "text", text: unansweredText }] : wireContent(result.content, target),
          isError: result === undefined || result.outcome !== "ok",
          extras: extrasOf(result?.native, target),
        });
        break;
      }
      case "notice":
        break;
    }
  }
  if (message.interrupted === true && answers.length === 0) content.push({ type: "text", text: interruptedSuffix });
  if (content.length === 0) return undefined;
  const extras = sameModel ? extrasOf(message.native, target) : undefined;
  return { type: "assistant", content, results: answers, extras };
}

/** The tool messages of the assistant message at `at`: those before the next assistant message. */
function resultsAfter(messages: readonly Message[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next];
    if (message === undefined || message.role === "assistant") break;
    if (message.role === "tool") results.push(message);
  }
  return results;
}

function orphanText(message: ToolMessage, target: Target): readonly WireContentBlock[] {
  return [{ type: "text", text: `Result of ${message.tool_name}:` }, ...wireContent(message.content, target)];
}

function repairedEnds(turns: readonly Turn[], target: Target): readonly Turn[] {
  const first = turns.find((turn) => turn.type !== "system");
  const unopened = first === undefined || (first.type === "assistant" && target.opensWithUser);
  const opening: readonly Turn[] = unopened ? [text(nothingText)] : [];
  const last = turns.findLast((turn) => turn.type !== "system");
  // A server tool's pause is continued by sending its own blocks back unchanged.
  const paused = target.resumesPauses && last?.type === "assistant" && last.content.at(-1)?.type === "opaque";
  const closing: readonly Turn[] =
    last?.type === "assistant" && last.results.length === 0 && !paused && target.isPrefill !== true
      ? [text(continueText)]
      : [];
  return [...opening, ...turns, ...closing];
}

function text(said: string): Turn {
  return { type: "user", content: [{ type: "text", text: said }], extras: undefined };
}

/** Providers refuse empty texts. */
function isLeftOut(block: UserContentBlock, target: Target): boolean {
  return block.type === "text" && block.text.trim() === "" && !target.fromSameFormat;
}

/** Content from a person or a tool in a form that the target can read. */
function wireContent(content: readonly UserContentBlock[], target: Target): readonly WireContentBlock[] {
  return content.flatMap((block) => (isLeftOut(block, target) ? [] : [onWire(block, target)]));
}

function onWire(block: UserContentBlock, target: Target): WireContentBlock {
  switch (block.type) {
    case "text":
      return withNativeOf(block, target);
    case "opaque":
      return block.api === target.api ? block : { type: "text", text: foreignText };
    case "image":
    case "file": {
      // The sender fills blobs in before this; a text describes any blob that is left.
      const { source } = block;
      const seen = block.type === "file" || target.images;
      if (source.type === "blob" || !seen) return mediaPlaceholder(block);
      const written =
        source.type === "base64" && !target.fromSameFormat ? { ...source, data: plainBase64(source.data) } : source;
      return { ...withNativeOf(block, target), source: written };
    }
  }
}

/** Google's clients encode bytes in base64url without padding, which other providers do not read. */
function plainBase64(data: string): string {
  if (!/[-_]/.test(data) && data.length % 4 === 0) return data;
  const plain = data.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "");
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}

/** What a message of the target's own format holds besides its content. */
function extrasOf(native: NativeExtras | undefined, target: Target): JsonObject | undefined {
  return native?.api === target.api ? native.data : undefined;
}

/** Extras of people's and tools' content depend on the format only, whichever model reads it. */
function withNativeOf<Block extends TextBlock | ImageBlock | FileBlock>(block: Block, target: Target): Block {
  return withOwnNative(block, target, true);
}

function withOwnNative<Block extends { readonly native?: NativeExtras }>(
  block: Block,
  target: Target,
  sameModel: boolean,
): Block {
  if (block.native === undefined || (sameModel && block.native.api === target.api)) return block;
  const { native: _foreign, ...rest } = block;
  return rest as Block;
}

/** A text of another model's reply; its sources follow as plain links, since no other API reads them. */
function spokenText(block: TextBlock, target: Target, sameModel: boolean): TextBlock {
  const own = withOwnNative(block, target, sameModel);
  return own === block ? block : { ...own, text: withPlainSources(block) };
}

/** Local servers number their calls from zero in every reply, but on the wire an id must name one call only. */
function distinctWireId(id: ToolCallId, target: Target, taken: Set<string>): string {
  let wireId = target.wireId(id);
  if (target.fromSameFormat) return wireId;
  for (let n = 2; taken.has(wireId); n += 1) wireId = target.wireId(`${id}_${n}`);
  taken.add(wireId);
  return wireId;
}

/**
 * Returns the request without everything that binds a history to the model that wrote it: thinking, signatures, items of a
 * provider's own. Used for the one retry after a provider found the history broken; the words of people and tools are all
 * kept.
 */
export function safeRequest({ prefill: _refused, ...request }: ModelRequest): ModelRequest {
  return { ...request, messages: request.messages.map(withoutBinding) };
}

/** Ids as Anthropic and OpenAI accept them: 1 to 64 letters, digits, `_` and `-`. */
export function plainWireId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  return `${id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 48)}_${hash8(id)}`;
}

/** Ids as Mistral accepts them: exactly 9 letters and digits. */
export function nineCharacterWireId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : `c${hash8(id)}`;
}
