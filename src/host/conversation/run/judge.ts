import type { Taint } from "../../../core/forest/types.ts";
import type { ApprovalRequest } from "../../../core/turn/approval.ts";
import { approvalTimeMs, argumentsHash, whyAsk } from "../../../core/turn/judge-call.ts";
import type { ToolCall } from "../../../core/turn/state.ts";
import { joinTaints, noTaint, wholeTaint } from "../../../core/turn/taint.ts";
import type { ToolFacts } from "../../../core/tool/facts.ts";
import type { ApprovalShelf } from "./approval-rules.ts";
import { taintAt } from "./context-taint.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { effectiveRules } from "./run-rules.ts";

type JudgePorts = Pick<ConversationPorts, "store" | "tools" | "platform" | "rules">;

/** A call that is about to run. */
export interface CallAtHand {
  readonly call: ToolCall;
  readonly tool: ToolFacts;
  /** The arguments' hash that a person has allowed; null where nobody was asked. */
  readonly approved: string | null;
}

/** Whether a call may run now: null, or what a person is asked. Nothing of the call has happened before. */
export async function approvalNeeded(
  ports: JudgePorts,
  shelf: ApprovalShelf,
  { run, root }: EffectContext,
  { call, tool, approved }: CallAtHand,
): Promise<ApprovalRequest | null> {
  const { approvals: tier, family } = await effectiveRules(ports.store, root, ports.rules);
  const hash = argumentsHash(tool, call.parameters);
  // Only what reaches outside can be told apart by what is in the context.
  const taint = tool.reach.outward ? await taintAt(ports, run.headNodeId) : noTaint;
  const inherited = tool.reach.outward ? await taintOfParent(ports, root.parent?.runId ?? null) : noTaint;
  const judged = { tool, argumentsHash: hash, tier, taint: joinTaints(taint, inherited), approved, rules: [] };
  if (whyAsk(judged) === null) return null;
  const reason = whyAsk({ ...judged, rules: await shelf.rules(family.map(({ id }) => id)) });
  const expiresAt = ports.platform.clock.now() + approvalTimeMs;
  return reason === null ? null : { callId: call.id, argumentsHash: hash, reason, expiresAt };
}

/** A sub-agent's task was written by a model, which may have put anything of its context there. */
async function taintOfParent(ports: JudgePorts, parentId: EffectContext["run"]["id"] | null): Promise<Taint> {
  if (parentId === null) return noTaint;
  const parent = await ports.store.run(parentId);
  return parent === null ? wholeTaint : taintAt(ports, parent.headNodeId);
}
