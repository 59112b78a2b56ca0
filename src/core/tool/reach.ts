/** What may flow through a tool: approvals, and the rule that no run has all three without a person, go by it. */
export interface ToolReach {
  /** What it answers may hold what only the owner of this machine may know. */
  readonly readsPrivate: boolean;
  /** What it answers may have been written by others, who may mean to mislead the model. */
  readonly bringsUntrusted: boolean;
  /** What a model gives it may leave this machine. */
  readonly outward: boolean;
}

/** Nothing but what the model itself said, and how it went. */
export const noReach: ToolReach = { readsPrivate: false, bringsUntrusted: false, outward: false };

/** Texts of this workspace: they are its owner's, and anybody may have written what was pasted or cloned into them. */
export const documentReach: ToolReach = { readsPrivate: true, bringsUntrusted: true, outward: false };
