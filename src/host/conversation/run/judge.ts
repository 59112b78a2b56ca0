import type { RootId, TurnId } from "../../../core/base/ids.ts";
import type { Taint } from "../../../core/forest/types.ts";
import type { ApprovalRequest } from "../../../core/turn/state/approval.ts";
import { approvalTimeMs, argumentsHash, approvalReason } from "../../../core/turn/judge/judge-call.ts";
import type { ToolCall } from "../../../core/turn/state/state.ts";
import { joinTaints, noTaint, wholeTaint } from "../../../core/turn/judge/taint.ts";
import type { ToolFacts } from "../../../core/tool/base/facts.ts";
import { leavesDraft } from "../../lease/leaves-draft.ts";
import { namedRunByOthers } from "../../lease/run-by-others.ts";
import type { ApprovalRules } from "./approval-rules.ts";
import { taintAt } from "../base/context-taint.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { effectiveRules } from "../base/run-rules.ts";

type JudgePorts = Pick<ConversationPorts, "store" | "tools" | "platform" | "rules" | "leases" | "folders">;

/** A call that is about to run. */
export interface CallToJudge {
  readonly call: ToolCall;
  readonly tool: ToolFacts;
  /** The hash of the arguments that a person approved; null if nobody was asked. */
  readonly approved: string | null;
}

/** Decides whether a call may run now: null, or the approval to ask for. Runs before any effect of the call. */
export async function approvalNeeded(
  ports: JudgePorts,
  approvalRules: ApprovalRules,
  { run, root }: EffectContext,
  { call, tool, approved }: CallToJudge,
): Promise<ApprovalRequest | null> {
  const { approvals: tier, family } = await effectiveRules(ports.store, root, ports.rules);
  const hash = argumentsHash(tool, call.parameters);
  // Only for calls that reach outside does the content of the context matter.
  const path = tool.reach.outward ? await taintAt(ports, run.headNodeId) : noTaint;
  const taint = joinTaints(path, taintOfNotes(ports, { rootId: root.id, turnId: run.turnId }));
  const inherited = tool.reach.outward ? await taintOfParent(ports, root.parent?.runId ?? null) : noTaint;
  const writesRunByOthers = tool.access === "write" && (await namedRunByOthers(ports, call, root.canvasId)) !== null;
  const judged = {
    tool,
    argumentsHash: hash,
    tier,
    taint: joinTaints(taint, inherited),
    approved,
    rules: [],
    writesRunByOthers,
    leavesDraft: run.settings?.draft !== undefined && (await leavesDraft(ports.store, tool, call)),
  };
  if (approvalReason(judged) === null) return null;
  const reason = approvalReason({ ...judged, rules: await approvalRules.rules(family.map(({ id }) => id)) });
  const expiresAt = ports.platform.clock.now() + approvalTimeMs;
  return reason === null ? null : { callId: call.id, argumentsHash: hash, reason, expiresAt };
}

/** What a folder says about itself is in the prompt: text of this machine, by whoever wrote it. */
function taintOfNotes({ tools }: JudgePorts, { rootId, turnId }: NotedTurn): Taint {
  const notes = tools.notes?.({ rootId, ...(turnId === null ? {} : { turnId }) }) ?? "";
  return notes === "" ? noTaint : wholeTaint;
}

interface NotedTurn {
  readonly rootId: RootId;
  readonly turnId: TurnId | null;
}

/** A model wrote the sub-agent's task, so the task carries the taint of that model's context. */
async function taintOfParent(ports: JudgePorts, parentId: EffectContext["run"]["id"] | null): Promise<Taint> {
  if (parentId === null) return noTaint;
  const parent = await ports.store.run(parentId);
  return parent === null ? wholeTaint : taintAt(ports, parent.headNodeId);
}
