import { sha256Hex } from "../../base/hash.ts";
import { canonicalJson } from "../../base/json.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ApprovalTier } from "../../forest/run-rules.ts";
import type { Taint } from "../../forest/types.ts";
import type { ToolFacts } from "../../tool/base/facts.ts";
import type { ApprovalReason, ApprovalRule } from "../state/approval.ts";

/** How long a call waits for a person before it counts as denied, in milliseconds. */
export const approvalTimeMs = 24 * 60 * 60_000;

/** The tier of a conversation without a chosen one. */
export const defaultTier: ApprovalTier = "outward";

/** A call with everything that decides whether a person must approve it. */
export interface JudgedCall {
  readonly tool: ToolFacts;
  readonly argumentsHash: string;
  readonly tier: ApprovalTier;
  /** What the context of the calling model holds. */
  readonly taint: Taint;
  /** The rules that apply in the conversation. */
  readonly rules: readonly ApprovalRule[];
  /** The hash of the arguments that a person allowed for this call; null when nobody was asked. */
  readonly approved: string | null;
  /** Whether it may write a file that other programs run or obey. */
  readonly writesRunByOthers?: boolean;
  /** Whether the run works in a draft, and the call changes what no draft holds: which files there are, or something outside. */
  readonly leavesDraft?: boolean;
}

/** Identifies a call exactly: its tool, the tool's definition and the arguments. SHA-256 in hex digits. */
export function argumentsHash(
  { name, definitionHash }: Pick<ToolFacts, "name" | "definitionHash">,
  parameters: JsonObject,
): string {
  return sha256Hex(canonicalJson({ name, definition: definitionHash, parameters }));
}

/**
 * Returns why a call needs a person before it runs; null: it may run. A person's approval of exactly this call always
 * applies. A rule for every call of a tool satisfies the tier, but not the taint rule; no rule satisfies that files which
 * other programs run are written with a person's approval each time.
 */
export function approvalReason(judged: JudgedCall): ApprovalReason | null {
  const { tool, argumentsHash: hash, tier, taint, approved } = judged;
  if (tool.hasBegun === true) return null;
  if (judged.writesRunByOthers === true && approved !== hash) {
    return approved === null ? "run-by-others" : "definition-changed";
  }
  if (judged.leavesDraft === true && approved !== hash) return approved === null ? "in-draft" : "definition-changed";
  const reason = isTainted(tool, taint) ? "taint" : isAskedFor(tier, tool) ? "tier" : null;
  if (reason === null || approved === hash) return null;
  // The allowed call has since become another one.
  if (approved !== null) return "definition-changed";
  const rules = judged.rules.filter(({ toolName }) => toolName === tool.name);
  const current = rules.filter(({ definitionHash }) => definitionHash === tool.definitionHash);
  if (current.some(({ call }) => call?.argumentsHash === hash)) return null;
  if (reason === "tier" && current.some(({ call }) => call === null)) return null;
  return reason === "tier" && current.length < rules.length ? "definition-changed" : reason;
}

/** Whether the tier alone requires a person. */
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

/** Whether a call could carry private data outside at the request of untrusted text: all three at once. */
function isTainted({ reach }: ToolFacts, { holdsPrivate, holdsUntrusted }: Taint): boolean {
  return reach.outward && holdsUntrusted && (holdsPrivate || reach.readsPrivate);
}

/** How much of a call's arguments a rule shows to people, in UTF-16 units. */
const shownUnitsMax = 300;

/**
 * Returns the rule that an allowed call leaves behind: for every call of the tool, or for this call alone when the tool
 * or
 * the reason requires a decision per call.
 */
export function ruleFor(
  {
    tool,
    argumentsHash: hash,
    parameters,
    reason,
  }: Pick<JudgedCall, "tool" | "argumentsHash"> & {
    readonly parameters: JsonObject;
    readonly reason: ApprovalReason;
  },
  { id, rootId, createdAt, createdBy }: Pick<ApprovalRule, "id" | "rootId" | "createdAt" | "createdBy">,
): ApprovalRule {
  const isApart =
    tool.eachCallApart === true || reason === "taint" || reason === "run-by-others" || reason === "in-draft";
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
