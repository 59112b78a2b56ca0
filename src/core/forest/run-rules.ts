/**
 * Which calls of one reply run: only the first (`serial-one`); reads in sequence, or one write that comes first and
 * alone (`smart`); all in sequence; all in parallel. Results are stored in the order of the calls.
 */
export const callPolicies = ["serial-one", "smart", "serial-all", "parallel"] as const;
export type CallPolicy = (typeof callPolicies)[number];

/**
 * Which calls need a person: all; those that write or reach outside; those that reach outside; none. In every tier,
 * a call that could carry private data outside at the request of untrusted text needs one.
 */
export const approvalTiers = ["all", "writes", "outward", "none"] as const;
export type ApprovalTier = (typeof approvalTiers)[number];

/** How much a model may think before it answers. */
export const thinkingLevels = ["off", "low", "medium", "high"] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

/** How models are asked in a conversation, besides its system prompt and its model. */
export interface ReplySettings {
  /** Absent: the server's setting. */
  readonly thinking?: ThinkingLevel;
  /** Names of tools, or of families of tools, that models do not get here. Absent: none. */
  readonly toolsOff?: readonly string[];
  /** Models that answer a message when the conversation's model does not, in order; `provider/model`. Absent: none. */
  readonly fallbacks?: readonly string[];
  /** Tools that the provider runs itself, as `readServerTools` reads them. Absent: none. */
  readonly serverTools?: readonly string[];
}

/** The least and the largest share of a window from which on a branch is summed up. Percent. */
export const compactAtMin = 50;
export const compactAtMax = 95;

/** Reads a share as a person writes it: 50 to 95, with or without a percent sign, or `off`; null for anything else. */
export function readCompactAt(text: string): number | "off" | null {
  if (text === "off") return "off";
  const [, digits] = /^(\d{2}) ?%?$/u.exec(text) ?? [];
  const share = Number(digits);
  return share >= compactAtMin && share <= compactAtMax ? share : null;
}

/** When a branch is summed up, and by which model. */
export interface CompactionSettings {
  /** The share of the model's window, in percent from 50 to 95, from which on a branch is summed up; `off`: never by itself. */
  readonly at?: number | "off";
  /** `provider/model`; absent: the branch's own model. */
  readonly model?: string;
}

/** The limits of a conversation, sub-agents included; an absent field means no limit. */
export interface Budget {
  /** Input and output tokens, from 1. */
  readonly tokens?: number;
  /** In US dollars, above 0. Counts only models whose prices are known. */
  readonly dollars?: number;
  /** Requests to models in one turn, from 1. */
  readonly steps?: number;
  /** Sub-agents in one turn, from 0. */
  readonly subAgents?: number;
}
