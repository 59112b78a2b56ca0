import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import type { ToolAnswer } from "../../core/tool/types.ts";

/** What a tool found or did, before it is put as an answer. */
export interface ToolOutput {
  readonly content: JsonObject;
  readonly revisionId?: string;
  readonly leaseId?: string;
}

/** A tool's output or refusal as the model reads it. A revision that is known stands in every answer. */
export function toolAnswer(result: Result<ToolOutput, Refusal>): ToolAnswer {
  if (!result.ok) return refusedAnswer(result.error);
  const { content, revisionId, leaseId } = result.value;
  return {
    ok: true,
    content: { ok: true, ...(revisionId === undefined ? {} : { revision_id: revisionId }), ...content },
    ...(revisionId === undefined ? {} : { revisionId }),
    ...(leaseId === undefined ? {} : { leaseId }),
  };
}

export function refusedAnswer({ code, message, details }: Refusal): ToolAnswer {
  const facts: JsonObject = details === undefined ? {} : JSON.parse(JSON.stringify(details));
  const revision = facts["revision_id"];
  return {
    ok: false,
    code,
    content: { ok: false, error: code, message, ...facts },
    ...(typeof revision === "string" ? { revisionId: revision } : {}),
  };
}

/** The call was given up before it changed anything. */
export function cancelledCall(): Refusal {
  return refusal("TOOL_FAILED", { reason: "cancelled" }, "The call was stopped before it changed anything.");
}

/** A refusal with the canvas's present revision, so that the model need not ask for it. */
export function withRevision(error: Refusal, revisionId: string): Refusal {
  return { ...error, details: { ...error.details, revision_id: revisionId } };
}
