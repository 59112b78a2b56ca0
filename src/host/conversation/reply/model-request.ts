import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { PrefixFold } from "../../../core/base/prefix-fold.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import { ok } from "../../../core/base/result.ts";
import { coalesceTextOnlyAdjacent } from "../../../core/message/coalesce.ts";
import { checkRequest } from "../../../core/message/transcript.ts";
import type { ContentBlock, Message } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { BlobStore } from "../../../core/port/blobs.ts";
import type { ModelInfo } from "../../../core/port/language-model.ts";
import type { TokenEstimate, TokenEstimator } from "../../../core/port/token-estimator.ts";
import { encodeRequestFor } from "../../../core/syntax/write/encode-request.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";
import type { WhenFull } from "../../../core/model/when-full.ts";
import { replyLimit } from "./reply-room.ts";
import { withMedia } from "./sent-media.ts";
import type { ToolCalling } from "../base/tool-syntax.ts";

/** The parts of a request. */
export interface RequestParts {
  readonly info: ModelInfo;
  readonly system: string;
  /** From the first message to the run's head. */
  readonly path: readonly Message[];
  readonly tools: readonly SyntaxTool[];
  /** How the model calls tools; the calls and results of the path are written in this syntax. */
  readonly calling: ToolCalling;
  /** How much the model thinks: `off` for one that cannot, unless a person asked for it. */
  readonly thinking: ModelRequest["thinking"];
  /** The longest reply that the turn asks for, in tokens; absent for no wish. */
  readonly wished?: number | undefined;
  readonly whenFull: WhenFull;
  /** Whether the model goes on from its own last words. */
  readonly goesOn?: boolean;
}

/** What a request is built with. */
export interface RequestPorts {
  /** Source of images and files. */
  readonly blobs: Pick<BlobStore, "get">;
  readonly tokens: TokenEstimator;
}

/** A request with its estimated input size. */
export interface PreparedRequest {
  readonly request: ModelRequest;
  readonly estimate: TokenEstimate;
}

/** Builds the request for a path; refuses a history that a provider would reject, and one that leaves no room for a reply. */
export async function modelRequest(
  parts: RequestParts,
  { blobs, tokens }: RequestPorts,
): Promise<Result<PreparedRequest, Refusal>> {
  const { info, system, goesOn = false } = parts;
  const messages = coalesceTextOnlyAdjacent(spoken.of(parts.path));
  const sendable = checkRequest(messages, { goesOn });
  if (!sendable.ok) return sendable;
  const { syntax, policy } = parts.calling;
  const isPrefill = goesOn && info.prefill === true;
  const request: ModelRequest = {
    // The provider's own name follows the first slash.
    model: info.id.slice(info.id.indexOf("/") + 1),
    system,
    messages,
    tools: parts.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    maxTokens: null,
    // A reply that has begun is past its thinking.
    thinking: isPrefill ? "off" : parts.thinking,
    ...(isPrefill ? { prefill: true } : {}),
  };
  const encoded = encodeRequestFor(syntax, request, parts.tools, policy);
  const estimate = await tokens.estimate({ modelId: info.id, ...encoded });
  const limit = replyLimit({ info, estimate, wished: parts.wished, whenFull: parts.whenFull });
  if (!limit.ok) return limit;
  return ok({
    estimate,
    request: {
      ...encoded,
      messages: await withMedia(encoded.messages, info, blobs),
      maxTokens: limit.value,
    },
  });
}

/** The messages without Heddle's own notices, and without those that hold nothing else; neighbours of one role as one. */
const spoken = new PrefixFold<Message, readonly Message[]>([], (before, rest) =>
  before.concat(
    rest.flatMap((message): readonly Message[] => {
      if (message.role !== "assistant" || !message.content.some(isNotice)) return [message];
      const content = message.content.filter((block) => !isNotice(block));
      return isNonEmpty(content) ? [{ ...message, content }] : [];
    }),
  ),
);

function isNotice(block: ContentBlock): boolean {
  return block.type === "notice";
}
