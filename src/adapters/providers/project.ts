import { hash8 } from "../../core/base/hash.ts";
import type { ToolCallId } from "../../core/base/ids.ts";
import { mediaPlaceholder } from "../../core/message/media.ts";
import type {
  AssistantMessage,
  FileBlock,
  ImageBlock,
  MediaSource,
  Message,
  NativeExtras,
  OpaqueBlock,
  TextBlock,
  ThinkingBlock,
  ToolMessage,
  ToolUseBlock,
  UserContentBlock,
} from "../../core/message/types.ts";

/** Who is about to read a path. */
export interface Target {
  readonly api: string;
  readonly model: string;
  /** Turns a tool call's id into one that the wire accepts; equal ids give equal ids. */
  wireId(id: string): string;
  /** Whether a reply that ends in an item of the provider's own is continued by sending it back as it came. */
  readonly resumesPauses: boolean;
  /** Whether a text without a word is sent where it carries a signature. */
  readonly signedEmptyTexts: boolean;
}

export type AssistantWireBlock = TextBlock | ThinkingBlock | OpaqueBlock | (ToolUseBlock & { readonly wireId: string });

/** Bytes or an address: a provider does not know our blobs. */
type WireSource = { readonly source: Exclude<MediaSource, { readonly type: "blob" }> };
export type WireMediaBlock = (ImageBlock & WireSource) | (FileBlock & WireSource);
export type WireContentBlock = TextBlock | WireMediaBlock;

/** What answers one call. */
export interface WireResult {
  readonly wireId: string;
  readonly name: string;
  readonly content: readonly WireContentBlock[];
  readonly isError: boolean;
}

/** A path as every wire sees it: no notices, nothing foreign, nothing empty, calls with their results. */
export type Turn =
  | { readonly type: "user"; readonly content: readonly WireContentBlock[] }
  | { readonly type: "system"; readonly text: string }
  /** `results` has one entry for each call of `content`, in its order. */
  | {
      readonly type: "assistant";
      readonly content: readonly AssistantWireBlock[];
      readonly results: readonly WireResult[];
    };

/** What a model reads where a person or a failure cut its reply off. */
export const interruptedSuffix = "[interrupted by user]";
const unansweredText = "No result of this call was recorded.";
const continueText = "Continue.";
const nothingText = "(empty message)";

/**
 * Prepares a path for a provider. Providers reject empty blocks, foreign signatures, calls without results, results
 * without calls and paths that end with the assistant; none of these leaves here. What a prefix of the path gives is a
 * prefix of what the path gives, but for the repair of its end.
 */
export function projectPath(messages: readonly Message[], target: Target): readonly Turn[] {
  const turns: Turn[] = [];
  const uses = new Map<string, number>();
  let asked: ReadonlySet<string> = new Set();
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined) continue;
    switch (message.role) {
      case "user": {
        const content = message.content.filter((block) => !isBlank(block)).map(onWire);
        // A turn that vanished would leave two replies side by side.
        turns.push(content.length > 0 ? { type: "user", content } : text(nothingText));
        break;
      }
      case "system": {
        const text = message.content.flatMap((block) => (isBlank(block) ? [] : [block.text])).join("\n\n");
        if (text !== "") turns.push({ type: "system", text });
        break;
      }
      case "assistant": {
        asked = new Set(message.content.flatMap((block) => (block.type === "tool-use" ? [block.id] : [])));
        const turn = assistantTurn(message, resultsAfter(messages, at), target, uses);
        if (turn !== undefined) turns.push(turn);
        break;
      }
      case "tool":
        if (!asked.has(message.tool_call_id)) turns.push({ type: "user", content: orphanText(message) });
        break;
    }
  }
  return repairedEnds(turns, target);
}

function assistantTurn(
  message: AssistantMessage,
  results: readonly ToolMessage[],
  target: Target,
  uses: Map<string, number>,
): Turn | undefined {
  const sameModel = message.origin?.api === target.api && message.origin.model === target.model;
  const content: AssistantWireBlock[] = [];
  const answers: WireResult[] = [];
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        if (!isBlank(block) || (target.signedEmptyTexts && sameModel && block.native?.api === target.api))
          content.push(withOwnNative(block, target, sameModel));
        break;
      case "refusal":
        if (block.text.trim() !== "") content.push({ type: "text", text: block.text });
        break;
      case "thinking":
        // Signatures bind thinking to the model that wrote it; another one refuses or ignores it.
        if (sameModel) content.push(block);
        break;
      case "opaque":
        if (sameModel && block.api === target.api) content.push(block);
        break;
      case "tool-use": {
        const wireId = distinctWireId(block.id, target, uses);
        content.push({ ...withOwnNative(block, target, sameModel), wireId });
        const result = results.find((entry) => entry.tool_call_id === block.id);
        answers.push({
          wireId,
          name: block.name,
          content: result?.content.filter((part) => !isBlank(part)).map(onWire) ?? [
            { type: "text", text: unansweredText },
          ],
          isError: result === undefined || result.outcome !== "ok",
        });
        break;
      }
      case "notice":
        break;
    }
  }
  if (message.interrupted === true && answers.length === 0) content.push({ type: "text", text: interruptedSuffix });
  if (content.length === 0) return undefined;
  return { type: "assistant", content, results: answers };
}

/** The tool messages that belong to the assistant message at `at`: those before the next assistant message. */
function resultsAfter(messages: readonly Message[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next];
    if (message === undefined || message.role === "assistant") break;
    if (message.role === "tool") results.push(message);
  }
  return results;
}

function orphanText(message: ToolMessage): readonly WireContentBlock[] {
  return [
    { type: "text", text: `Result of ${message.tool_name}:` },
    ...message.content.filter((block) => !isBlank(block)).map(onWire),
  ];
}

function repairedEnds(turns: readonly Turn[], target: Target): readonly Turn[] {
  const first = turns.find((turn) => turn.type !== "system");
  const opening: readonly Turn[] = first === undefined || first.type === "assistant" ? [text(nothingText)] : [];
  const last = turns.findLast((turn) => turn.type !== "system");
  // A server tool's pause is continued by sending its own blocks back as they came.
  const paused = target.resumesPauses && last?.type === "assistant" && last.content.at(-1)?.type === "opaque";
  const closing: readonly Turn[] =
    last?.type === "assistant" && last.results.length === 0 && !paused ? [text(continueText)] : [];
  return [...opening, ...turns, ...closing];
}

function text(said: string): Turn {
  return { type: "user", content: [{ type: "text", text: said }] };
}

function isBlank(block: UserContentBlock): boolean {
  return block.type === "text" && block.text.trim() === "";
}

/** Whoever sends fills blobs in before; one that is left is told in words. */
function onWire(block: UserContentBlock): WireContentBlock {
  if (block.type === "text") return block;
  const { source } = block;
  return source.type === "blob" ? mediaPlaceholder(block) : { ...block, source };
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

/** Local servers number their calls from zero in every reply; on the wire an id may stand for one call only. */
function distinctWireId(id: ToolCallId, target: Target, uses: Map<string, number>): string {
  const wireId = target.wireId(id);
  const count = (uses.get(wireId) ?? 0) + 1;
  uses.set(wireId, count);
  return count === 1 ? wireId : target.wireId(`${id}#${count}`);
}

/** Ids as Anthropic and OpenAI take them: 1 to 64 letters, digits, `_` and `-`. */
export function plainWireId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  return `${id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 48)}_${hash8(id)}`;
}

/** Ids as Mistral takes them: exactly 9 letters and digits. */
export function nineCharacterWireId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : `c${hash8(id)}`;
}
