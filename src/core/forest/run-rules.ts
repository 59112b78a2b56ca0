/**
 * How many calls of one reply are carried out: the first alone; reads that follow each other, or one write first and
 * alone; all, one after the other; all, side by side. Results are stored in the order asked for.
 */
export const callPolicies = ["serial-one", "smart", "serial-all", "parallel"] as const;
export type CallPolicy = (typeof callPolicies)[number];

/**
 * Which calls need a person: every one; those that write or reach outside; those that reach outside; none. Whatever it is,
 * a call that could carry private data outside at the wish of untrusted text needs one.
 */
export const approvalTiers = ["all", "writes", "outward", "none"] as const;
export type ApprovalTier = (typeof approvalTiers)[number];

/** What a conversation may use up, sub-agents included; what is left out has no bound. */
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
