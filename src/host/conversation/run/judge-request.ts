import { sentMessages, viewOf } from "../../../core/forest/sent-path.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { dueCompaction } from "../../../core/turn/compaction/due.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { TurnProgress } from "../../../core/turn/state/state.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { requestFrame, type RequestFrame } from "../reply/request-frame.ts";
import { compactAtOf, effectiveRules } from "../base/run-rules.ts";
import { budgetFailure } from "./spending.ts";

type JudgePorts = Pick<
  ConversationPorts,
  | "store"
  | "models"
  | "modelFor"
  | "rights"
  | "rules"
  | "budgets"
  | "tools"
  | "canvases"
  | "toolCalls"
  | "tokens"
  | "thinking"
>;

/**
 * Decides what comes before a request, in the one place that does: a right that has ended ends the turn, a used-up budget refuses it, then a branch that fills its
 * window is summed up. Whether what is left fits is decided when the request is built, after this was tried.
 */
export async function judgeRequest(ports: JudgePorts, context: EffectContext, signal: AbortSignal): Promise<TurnEvent> {
  if ((await ports.rights?.hasEnded(context.run)) === true) return { type: "turn-cancelled", reason: "rights-ended" };
  const failure = await budgetFailure(ports, context);
  if (failure !== null) return { type: "request-refused", failure };
  const { state } = context.run;
  const progress = state.type === "awaiting" ? state.progress : null;
  if (progress === null || progress.skipsCompaction === true || isSummary(progress))
    return { type: "request-prepared" };
  const due = await compactionBefore(ports, context, { progress, signal });
  if (due !== null) return due;
  if (progress.refused !== undefined) {
    return { type: "request-refused", failure: { ...progress.refused, retryable: false } };
  }
  if (progress.asking !== "compaction") return { type: "request-prepared" };
  const message = "There is nothing to sum up.";
  return { type: "request-refused", failure: { class: "invalid-request", message, retryable: false } };
}

function isSummary({ asking }: TurnProgress): boolean {
  return asking === "summary" || asking === "wished-summary";
}

async function compactionBefore(
  ports: JudgePorts,
  context: EffectContext,
  { progress, signal }: { readonly progress: TurnProgress; readonly signal: AbortSignal },
): Promise<Extract<TurnEvent, { readonly type: "compaction-due" }> | null> {
  const { run, root, turn } = context;
  const { compaction } = await effectiveRules(ports.store, root, ports.rules);
  const compactAt = compactAtOf(compaction);
  const wish = progress.compaction ?? progress.wish;
  if (run.headNodeId === null || (compactAt === null && wish === undefined)) return null;
  const asking = progress.asking === "compaction" ? "reply" : progress.asking;
  const path = await ports.store.path(run.headNodeId);
  const frame = await requestFrame(ports, context, { asking, path, signal });
  // The request itself says what is missing.
  if (!frame.ok) return null;
  const due = dueCompaction({
    path,
    turnId: progress.asking === "compaction" ? null : turn.turnId,
    window: frame.value.model.info.contextTokensMax,
    used: await requestTokens(ports, { frame: frame.value, model: turn.model, path }),
    compactAt,
    failed: progress.failedCompactions ?? 0,
    ...(wish === undefined ? {} : { wish }),
    refused: progress.refused !== undefined,
  });
  if (due === null) return null;
  const { cut, by, overflow } = due;
  return { type: "compaction-due", by, messages: cut.messages, midTurn: cut.midTurn, overflow };
}

/** A request that is not sent yet. */
export interface NextRequest {
  readonly frame: Pick<RequestFrame, "system" | "tools">;
  /** `provider/model`. */
  readonly model: string;
  readonly path: readonly ForestNode[];
}

/**
 * Returns the estimated tokens of a request. The provider's own count of the last reply in the same view saves counting a
 * long path again.
 */
export async function requestTokens(
  { tokens, canvases }: Pick<JudgePorts, "tokens" | "canvases">,
  { frame, model, path }: NextRequest,
): Promise<number> {
  const view = viewOf(path);
  const last = path.findLastIndex((node) => isCounted(node, { model, view }));
  const counted = path[last]?.usage;
  if (counted === null || counted === undefined) {
    const { system, tools } = frame;
    const messages = canvases.sent(sentMessages(path));
    return (await tokens.estimate({ modelId: model, system, messages, tools })).expected;
  }
  // What is left out after that reply would make its view another one.
  const rest = path.slice(last + 1).filter(({ compacts }) => compacts === undefined);
  const messages = canvases.sent(rest.map(({ message }) => message));
  const estimate = await tokens.estimate({ modelId: model, system: "", messages, tools: [] });
  return Math.ceil(counted.inputTokens + counted.outputTokens + estimate.expected);
}

function isCounted(
  { message, usage, request }: ForestNode,
  asked: { readonly model: string; readonly view: string | null },
): boolean {
  if (message.role !== "assistant" || usage === null || usage.inputTokens === 0) return false;
  return request?.model === asked.model && (request.view ?? null) === asked.view;
}
