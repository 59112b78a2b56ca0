import type { ToolCallId } from "../base/ids.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import { repeatedKey } from "../base/repeated-key.ts";
import { isBoundedJsonObject, messageJsonDepthMax } from "../message/json-bounds.ts";
import type { AssistantContentBlock, AssistantMessage, NativeExtras, ToolUseBlock } from "../message/types.ts";
import type { ModelFailure } from "./failure.ts";
import type { StopReason, StreamPart } from "./stream-part.ts";
import type { Usage } from "../message/usage.ts";

/** One block of a reply as far as it has arrived; `complete` after its `-end` part. */
export type AssemblyBlock =
  | {
      readonly type: "text";
      readonly index: number;
      readonly text: string;
      readonly complete: boolean;
      readonly native?: NativeExtras;
    }
  | {
      readonly type: "thinking";
      readonly index: number;
      readonly text: string;
      readonly complete: boolean;
      readonly signature?: string;
      readonly redacted?: string;
      readonly unsent?: true;
      readonly native?: NativeExtras;
    }
  | {
      readonly type: "tool-call";
      readonly index: number;
      /** Distinct among the calls of this reply. */
      readonly id: ToolCallId;
      readonly name: string;
      readonly json: string;
      readonly complete: boolean;
      readonly argumentsError?: string;
      /** Names of the people who changed the arguments while they streamed. */
      readonly editedBy?: string;
      readonly native?: NativeExtras;
    }
  | {
      readonly type: "refusal";
      readonly index: number;
      readonly text: string;
      readonly complete: true;
      readonly native?: NativeExtras;
    }
  | {
      readonly type: "opaque";
      readonly index: number;
      readonly api: string;
      readonly raw: JsonObject;
      readonly complete: true;
    };

/** How a reply ended, or `open`. */
type AssemblyEnd =
  | { readonly type: "open" }
  | { readonly type: "finished"; readonly reason: StopReason; readonly usage: Usage; readonly native?: NativeExtras }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** A reply being put together from its parts. */
export interface Assembly {
  /** In order of arrival. */
  readonly blocks: readonly AssemblyBlock[];
  readonly end: AssemblyEnd;
}

/** A reply before its first part. */
export const emptyAssembly: Assembly = { blocks: [], end: { type: "open" } };

/** Adds one part. Parts after the end, and parts of a block that never opened, are ignored. */
export function assemble(assembly: Assembly, part: StreamPart): Assembly {
  if (assembly.end.type !== "open") return assembly;
  switch (part.type) {
    case "response-started":
      return assembly;
    case "text-start":
      return opened(assembly, { type: "text", index: part.index, text: "", complete: false });
    case "thinking-start":
      return opened(assembly, { type: "thinking", index: part.index, text: "", complete: false });
    case "tool-call-start":
      return opened(assembly, {
        type: "tool-call",
        index: part.index,
        id: distinctId(assembly, part.id),
        name: part.name,
        json: "",
        complete: false,
      });
    case "text-delta":
    case "thinking-delta":
    case "tool-call-delta":
      return lengthened(assembly, part);
    case "text-end":
      return changed(assembly, part.index, (block) =>
        block.type === "text" ? { ...block, complete: true, ...nativeOf(part) } : block,
      );
    case "tool-call-end":
      return changed(assembly, part.index, (block) =>
        block.type === "tool-call" ? { ...block, complete: true, ...problemOf(part), ...nativeOf(part) } : block,
      );
    case "thinking-end":
      return changed(assembly, part.index, (block) =>
        block.type === "thinking"
          ? {
              ...block,
              complete: true,
              ...(part.signature === undefined ? {} : { signature: part.signature }),
              ...(part.redacted === undefined ? {} : { redacted: part.redacted }),
              ...(part.native === undefined ? {} : { native: part.native }),
            }
          : block,
      );
    case "refusal":
      // A refusal streams too: further parts of the same index continue it.
      return assembly.blocks.some((block) => block.index === part.index)
        ? changed(assembly, part.index, (block) =>
            block.type === "refusal" ? { ...block, text: block.text + part.text, ...nativeOf(part) } : block,
          )
        : opened(assembly, { type: "refusal", index: part.index, text: part.text, complete: true, ...nativeOf(part) });
    case "opaque":
      return opened(assembly, { type: "opaque", index: part.index, api: part.api, raw: part.raw, complete: true });
    case "finished":
      return { ...assembly, end: { type: "finished", reason: part.reason, usage: part.usage, ...nativeOf(part) } };
    case "failed":
      return { ...assembly, end: { type: "failed", failure: part.failure } };
  }
}

type Origin = NonNullable<AssistantMessage["origin"]>;

/** A reply as a message, and the part of the stream that each of its content blocks is. */
export interface AssembledReply {
  readonly message: AssistantMessage;
  /** The part's index, one for each content block. */
  readonly parts: readonly number[];
}

/** A content block and the index of its part. */
interface Assembled {
  readonly part: number;
  readonly block: AssistantContentBlock;
}

/**
 * Returns the whole reply as a message, or null when it is empty. Leaves out a tool call that was never closed: it must
 * not run.
 */
export function assembledReply(assembly: Assembly, origin: Origin): AssembledReply | null {
  const kept = assembly.blocks.flatMap((block) =>
    block.type === "tool-call" && !block.complete ? [] : assembledBlock(block),
  );
  return replyOf(kept, {
    role: "assistant",
    origin,
    ...(assembly.end.type === "finished" ? nativeOf(assembly.end) : {}),
  });
}

/** Returns the message of `assembledReply`. */
export function assembledMessage(assembly: Assembly, origin: Origin): AssistantMessage | null {
  return assembledReply(assembly, origin)?.message ?? null;
}

/**
 * Returns what can be kept of an interrupted reply: its text without trailing blanks, its complete thinking, its complete
 * tool calls. Null when nothing can be kept.
 */
export function partialReply(assembly: Assembly, origin: Origin): AssembledReply | null {
  const kept = withoutTrailingBlanks(
    assembly.blocks.flatMap((block) => (block.complete || block.type === "text" ? assembledBlock(block) : [])),
  );
  const usable = kept.some(({ block }) => block.type !== "thinking");
  return usable ? replyOf(kept, { role: "assistant", interrupted: true, origin }) : null;
}

/** Returns the message of `partialReply`. */
export function partialMessage(assembly: Assembly, origin: Origin): AssistantMessage | null {
  return partialReply(assembly, origin)?.message ?? null;
}

function assembledBlock(from: AssemblyBlock): readonly Assembled[] {
  return contentOf(from).map((block) => ({ part: from.index, block }));
}

function replyOf(kept: readonly Assembled[], fields: Omit<AssistantMessage, "content">): AssembledReply | null {
  const content = kept.map(({ block }) => block);
  if (!isNonEmpty(content)) return null;
  return { message: { ...fields, content }, parts: kept.map(({ part }) => part) };
}

const sendAgain = "The call was not run: send it again with arguments that are a JSON object.";

/**
 * Reads the arguments of a tool call as they arrived. Blank text and `null` give an empty object: some servers write them for
 * a call without arguments, and a call that lacks a required argument is refused by its tool's schema.
 */
export function readToolArguments(json: string): Pick<ToolUseBlock, "parameters" | "rawParameters" | "argumentsError"> {
  if (json.trim() === "") return { parameters: {} };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : "unreadable";
    return {
      parameters: {},
      rawParameters: json,
      argumentsError: `The arguments are not valid JSON: ${why}. ${sendAgain}`,
    };
  }
  if (value === null) return { parameters: {}, rawParameters: json };
  if (isJsonObject(value)) {
    if (!isBoundedJsonObject(value)) {
      const argumentsError = `The arguments hold a number out of range, or nest more than ${messageJsonDepthMax} deep. ${sendAgain}`;
      return { parameters: {}, rawParameters: json, argumentsError };
    }
    const twice = repeatedKey(json);
    if (twice === undefined) return { parameters: value, rawParameters: json };
    const argumentsError = `The arguments have the key ${JSON.stringify(twice)} twice in one object. ${sendAgain}`;
    return { parameters: {}, rawParameters: json, argumentsError };
  }
  return {
    parameters: {},
    rawParameters: json,
    argumentsError: `The arguments are JSON, but not an object. ${sendAgain}`,
  };
}

function contentOf(block: AssemblyBlock): readonly AssistantContentBlock[] {
  switch (block.type) {
    case "text":
      return block.text === "" && block.native === undefined
        ? []
        : [{ type: "text", text: block.text, ...nativeOf(block) }];
    case "thinking":
      return block.text === "" &&
        block.signature === undefined &&
        block.redacted === undefined &&
        block.native === undefined
        ? []
        : [
            {
              type: "thinking",
              text: block.text,
              ...(block.signature === undefined ? {} : { signature: block.signature }),
              ...(block.redacted === undefined ? {} : { redacted: block.redacted }),
              ...(block.unsent === undefined ? {} : { unsent: block.unsent }),
              ...nativeOf(block),
            },
          ];
    case "tool-call":
      return [
        {
          type: "tool-use",
          id: block.id,
          name: block.name,
          ...readToolArguments(block.json),
          ...problemOf(block),
          ...(block.editedBy === undefined ? {} : { editedBy: block.editedBy }),
          ...nativeOf(block),
        },
      ];
    case "refusal":
      return block.text === "" ? [] : [{ type: "refusal", text: block.text, ...nativeOf(block) }];
    case "opaque":
      return [{ type: "opaque", api: block.api, raw: block.raw }];
  }
}

function nativeOf(block: { readonly native?: NativeExtras }): { readonly native?: NativeExtras } {
  return block.native === undefined ? {} : { native: block.native };
}

function problemOf(block: { readonly argumentsError?: string }): { readonly argumentsError?: string } {
  return block.argumentsError === undefined ? {} : { argumentsError: block.argumentsError };
}

/** Returns the content without blank texts at the end, and without trailing blanks in the last text. */
function withoutTrailingBlanks(content: readonly Assembled[]): readonly Assembled[] {
  const end = content.findLastIndex(({ block }) => block.type !== "text" || block.text.trim() !== "") + 1;
  const last = content[end - 1];
  if (last?.block.type !== "text") return content.slice(0, end);
  return [...content.slice(0, end - 1), { ...last, block: { ...last.block, text: last.block.text.trimEnd() } }];
}

/** A block that was announced before others may arrive after them; it keeps its place. */
function opened(assembly: Assembly, block: AssemblyBlock): Assembly {
  const { blocks } = assembly;
  const at = blocks.findLastIndex((other) => other.index <= block.index) + 1;
  return { ...assembly, blocks: [...blocks.slice(0, at), block, ...blocks.slice(at)] };
}

type DeltaPart = Extract<StreamPart, { readonly type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

/** Adds a text to its block. Nearly all parts of a reply are such, so that this copies no more than it must. */
function lengthened(assembly: Assembly, part: DeltaPart): Assembly {
  const { blocks, end } = assembly;
  let at = blocks.length - 1;
  while (at >= 0 && blocks[at]?.index !== part.index) at -= 1;
  const block = blocks[at];
  const longer = block === undefined ? undefined : longerBlock(block, part);
  if (longer === undefined) return assembly;
  const next = blocks.slice();
  next[at] = longer;
  return { blocks: next, end };
}

/** Undefined where the block does not grow by such a part. */
function longerBlock(block: AssemblyBlock, { type, text }: DeltaPart): AssemblyBlock | undefined {
  switch (block.type) {
    case "text":
      return type === "text-delta" ? { ...block, text: block.text + text } : undefined;
    case "thinking":
      return type === "thinking-delta" ? { ...block, text: block.text + text } : undefined;
    case "tool-call":
      return type === "tool-call-delta" ? { ...block, json: block.json + text } : undefined;
    case "refusal":
    case "opaque":
      return undefined;
  }
}

function changed(assembly: Assembly, index: number, change: (block: AssemblyBlock) => AssemblyBlock): Assembly {
  // The newest block is nearly always the one that grows, so the search starts there.
  const at = assembly.blocks.findLastIndex((block) => block.index === index);
  const block = assembly.blocks[at];
  return block === undefined ? assembly : { ...assembly, blocks: assembly.blocks.with(at, change(block)) };
}

/** Some servers give two calls of one reply the same id, which would make their results indistinguishable. */
function distinctId(assembly: Assembly, id: string): ToolCallId {
  const taken = new Set(assembly.blocks.flatMap((block) => (block.type === "tool-call" ? [String(block.id)] : [])));
  let candidate = id;
  for (let n = 2; taken.has(candidate); n += 1) candidate = `${id}_${n}`;
  return candidate as ToolCallId;
}
