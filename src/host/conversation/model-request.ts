import { isNonEmpty } from "../../core/base/non-empty.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import { ok } from "../../core/base/result.ts";
import { coalesceTextOnlyAdjacent } from "../../core/message/coalesce.ts";
import { clampMaxTokens, estimateInputTokens } from "../../core/message/tokens.ts";
import { checkRequest } from "../../core/message/transcript.ts";
import type { Message } from "../../core/message/types.ts";
import type { ModelRequest, ToolDefinition } from "../../core/model/request.ts";
import type { ModelInfo } from "../../core/port/language-model.ts";

/** What a request is made of. */
export interface RequestParts {
  readonly info: ModelInfo;
  readonly system: string;
  /** From the first message to the run's head. */
  readonly path: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly thinking: ModelRequest["thinking"];
}

/** Builds the request for a path, or refuses to send a history that a provider would reject. */
export function modelRequest(parts: RequestParts): Result<ModelRequest, Refusal> {
  const { info, system } = parts;
  const messages = coalesceTextOnlyAdjacent(parts.path.flatMap(spoken));
  const sendable = checkRequest(messages);
  if (!sendable.ok) return sendable;
  const caps = { inputTokensMax: info.contextTokensMax, outputTokensMax: info.outputTokensMax };
  return ok({
    // The provider's own name stands behind the first slash.
    model: info.id.slice(info.id.indexOf("/") + 1),
    system,
    messages,
    tools: info.tools ? parts.tools : [],
    maxTokens: clampMaxTokens(info.outputTokensMax, caps, estimateInputTokens(messages, system)),
    thinking: info.thinking ? parts.thinking : "off",
  });
}

/** A message without Heddle's own remarks; nothing where it held nothing else. */
function spoken(message: Message): readonly Message[] {
  if (message.role !== "assistant") return [message];
  const content = message.content.filter((block) => block.type !== "notice");
  return isNonEmpty(content) ? [{ ...message, content }] : [];
}
