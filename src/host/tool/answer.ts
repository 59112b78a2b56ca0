import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { FileBlock, ImageBlock } from "../../core/message/types.ts";
import type { Result } from "../../core/base/result.ts";
import { refusalContent } from "../../core/tool/base/answer-content.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";

/** The output of a tool before it becomes an answer. */
export interface ToolOutput {
  readonly content: JsonObject;
  /** Images and files, which the model is shown behind `content`. */
  readonly media?: readonly (ImageBlock | FileBlock)[];
  readonly revisionId?: string;
  readonly leaseId?: string;
}

/** Why a tool refused a call; includes the canvas's current revision when known, so that the model need not ask for it. */
export interface ToolRefusal extends Refusal {
  readonly revisionId?: string;
}

/** Converts a tool's result to the answer of its call. */
export function toolAnswer(result: Result<ToolOutput, ToolRefusal>): ToolAnswer {
  if (!result.ok) return refusedAnswer(result.error);
  const { content, media = [], revisionId, leaseId } = result.value;
  const text = { type: "text", text: JSON.stringify(content) } as const;
  return {
    ok: true,
    content: revisionId === undefined ? content : { ...content, revision_id: revisionId },
    ...(media.length === 0 ? {} : { blocks: [text, ...media] as const }),
    ...(revisionId === undefined ? {} : { revisionId }),
    ...(leaseId === undefined ? {} : { leaseId }),
  };
}

/** Converts a refusal to the answer of its call. */
export function refusedAnswer(error: ToolRefusal): ToolAnswer {
  const { code, revisionId } = error;
  return {
    ok: false,
    code,
    content: refusalContent(error, revisionId),
    ...(revisionId === undefined ? {} : { revisionId }),
  };
}

/** Returns the refusal of a call that was stopped before it changed anything. */
export function cancelledCall(): Refusal {
  return refusal("TOOL_FAILED", { reason: "cancelled" }, "The call was stopped before it changed anything.");
}
