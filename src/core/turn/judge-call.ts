import { sha256Hex } from "../base/hash.ts";
import { canonicalJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { ApprovalTier } from "../forest/run-rules.ts";
import type { Taint } from "../forest/types.ts";
import type { ToolFacts } from "../tool/facts.ts";
import type { ApprovalReason, ApprovalRule } from "./approval.ts";

/** How long a call waits for a person; then it counts as denied. Milliseconds. */
export const approvalTimeMs = 24 * 60 * 60_000;

/** The tier of a conversation for which nobody chose another. */
export const usualTier: ApprovalTier = "outward";

/** What a judgement goes by. */
export interface CallInQuestion {
  readonly tool: ToolFacts;
  readonly argumentsHash: string;
  readonly tier: ApprovalTier;
  /** What is in the context of the model that calls. */
  readonly taint: Taint;
  /** Those that count in the conversation. */
  readonly rules: readonly ApprovalRule[];
  /** The arguments' hash that a person has allowed for this call; null where nobody was asked. */
  readonly approved: string | null;
}

/** Names a call exactly: its tool, what is said of the tool, and the arguments. SHA-256 in hex digits. */
export function argumentsHash(
  { name, definitionHash }: Pick<ToolFacts, "name" | "definitionHash">,
  parameters: JsonObject,
): string {
  return sha256Hex(canonicalJson({ name, definition: definitionHash, parameters }));
}

/**
 * Why a call needs a person before it runs; null: it may run. A person's word on exactly this call always counts. A rule
 * for every call of a tool counts for what the tier asks, and not for what untrusted text could have asked for.
 */
export function whyAsk(judged: CallInQuestion): ApprovalReason | null {
  const { tool, argumentsHash: hash, tier, taint, approved } = judged;
  const reason = isTainted(tool, taint) ? "taint" : isAskedFor(tier, tool) ? "tier" : null;
  if (reason === null || approved === hash) return null;
  // What was allowed has become another call since.
  if (approved !== null) return "definition-changed";
  const rules = judged.rules.filter(({ toolName }) => toolName === tool.name);
  const current = rules.filter(({ definitionHash }) => definitionHash === tool.definitionHash);
  if (current.some(({ call }) => call?.argumentsHash === hash)) return null;
  if (reason === "tier" && current.some(({ call }) => call === null)) return null;
  return reason === "tier" && current.length < rules.length ? "definition-changed" : reason;
}

/** Whether the tier alone asks for a person. */
function isAskedFor(tier: ApprovalTier, { access, reach }: ToolFacts): boolean {
  switch (tier) {
    case "all":
      return true;
    case "writes":
      return access === "write" || reach.outward;
    case "outward":
      return reach.outward;
    case "none":
      return false;
  }
}

/** Whether a call could carry private data outside at the wish of untrusted text: all three in one hand. */
function isTainted({ reach }: ToolFacts, { holdsPrivate, holdsUntrusted }: Taint): boolean {
  return reach.outward && holdsUntrusted && (holdsPrivate || reach.readsPrivate);
}

/** How much of a call's arguments a rule shows to people, in UTF-16 units. */
const shownUnitsMax = 300;

/**
 * The rule that an allowed call leaves behind. It is for every call of the tool, except where the tool or the reason says
 * that each call is its own matter: then for this very call alone.
 */
export function ruleFor(
  {
    tool,
    argumentsHash: hash,
    parameters,
    reason,
  }: Pick<CallInQuestion, "tool" | "argumentsHash"> & {
    readonly parameters: JsonObject;
    readonly reason: ApprovalReason;
  },
  { id, rootId, createdAt, createdBy }: Pick<ApprovalRule, "id" | "rootId" | "createdAt" | "createdBy">,
): ApprovalRule {
  const isApart = tool.eachCallApart === true || reason === "taint";
  const shown = JSON.stringify(parameters).slice(0, shownUnitsMax).toWellFormed();
  return {
    id,
    rootId,
    toolName: tool.name,
    definitionHash: tool.definitionHash,
    call: isApart ? { argumentsHash: hash, shown } : null,
    createdAt,
    createdBy,
  };
}
