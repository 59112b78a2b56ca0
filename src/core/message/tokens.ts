import { refusal, type Refusal } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { ContentBlock, FileBlock, ImageBlock, MediaSource, Message } from "./types.ts";

/** The limits of a model, in tokens. */
export interface TokenCaps {
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  /** Limit of input and output together, for a model that bounds their sum. */
  readonly totalTokensMax?: number;
}

/** Cautious limits for a model whose limits are unknown: 8,192 tokens of input and of output. */
export const unknownModelCaps: TokenCaps = { inputTokensMax: 8_192, outputTokensMax: 8_192 };

/** The estimate for an image, and for a file of unknown size, in tokens: a screenshot on the large models. */
const mediaTokens = 1_600;

/**
 * Estimates the input of a request in tokens, with the system prompt: 0.3 for each UTF-16 unit of the messages as
 * JSON, rounded down. An image counts 1,600; a file counts by its size.
 */
export function estimateInputTokens(messages: readonly Message[], systemPrompt = ""): number {
  const units = messages.reduce(
    (sum, message) => sum + JSON.stringify(withoutBytes(message)).length,
    systemPrompt.length,
  );
  const blocks = messages.flatMap((message): readonly ContentBlock[] => message.content);
  const media = blocks.reduce((sum, block) => sum + tokensOfMedia(block), 0);
  return Math.floor(units * 0.3 + media);
}

function withoutBytes(message: Message): object {
  const content: readonly ContentBlock[] = message.content;
  return content.some(hasBytes)
    ? { ...message, content: content.map((block) => (hasBytes(block) ? emptied(block) : block)) }
    : message;
}

function hasBytes(block: ContentBlock): block is ImageBlock | FileBlock {
  return (block.type === "image" || block.type === "file") && block.source.type === "base64";
}

function emptied(block: ImageBlock | FileBlock): ImageBlock | FileBlock {
  return { ...block, source: { type: "base64", data: "" } };
}

function tokensOfMedia(block: ContentBlock): number {
  if (block.type === "image") return mediaTokens;
  if (block.type !== "file") return 0;
  const bytes = sizeOf(block.source);
  if (bytes === null) return mediaTokens;
  // A page of a non-text document has some 50 kB and costs about as much as an image.
  return block.mediaType.startsWith("text/") ? bytes * 0.3 : Math.max(mediaTokens, (bytes / 50_000) * mediaTokens);
}

/** Returns the size in bytes; null when only the provider knows it. */
function sizeOf(source: MediaSource): number | null {
  if (source.type === "base64") return source.data.length * 0.75;
  return source.type === "blob" ? source.size : null;
}

/**
 * Returns how many output tokens to request: a whole number, at most `requested` and what the limits leave
 * beside the estimated input, and at least 1 for any arguments.
 */
export function clampMaxTokens(requested: number, caps: TokenCaps, estimatedInput: number): number {
  return Math.max(1, tokensLeft(requested, caps, estimatedInput));
}

/**
 * Does the same as `clampMaxTokens`, but refuses with CONTEXT_FULL and the figures when the estimated input leaves no
 * room for an answer. A `requested` that is not a number of at least 1 is INVALID_PARAMS.
 */
export function fitMaxTokens(requested: number, caps: TokenCaps, estimatedInput: number): Result<number, Refusal> {
  if (!(requested >= 1)) return err(refusal("INVALID_PARAMS", { at: "maxTokens", requested }));
  const left = tokensLeft(requested, caps, estimatedInput);
  if (left >= 1) return ok(left);
  return err(refusal("CONTEXT_FULL", { requested, estimated_input: estimatedInput, ...caps }));
}

/** Whole; below 1 when nothing is left or an argument is not a number. */
function tokensLeft(requested: number, caps: TokenCaps, estimatedInput: number): number {
  const left = Math.min(
    requested,
    caps.outputTokensMax,
    caps.inputTokensMax - estimatedInput,
    (caps.totalTokensMax ?? Number.POSITIVE_INFINITY) - estimatedInput,
  );
  const whole = Math.floor(left);
  return Number.isSafeInteger(whole) ? whole : 0;
}
