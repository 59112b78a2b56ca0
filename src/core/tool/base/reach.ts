/**
 * What may flow through a tool. Approvals depend on it, as does the rule that no run combines all three without a person.
 */
export interface ToolReach {
  /** Its answers may hold data that only the owner of this machine may know. */
  readonly readsPrivate: boolean;
  /** Its answers may be written by others, who may mean to mislead the model. */
  readonly bringsUntrusted: boolean;
  /** Its arguments may leave this machine. */
  readonly outward: boolean;
}

/** The reach of a tool that only repeats the model's own words and reports success. */
export const noReach: ToolReach = { readsPrivate: false, bringsUntrusted: false, outward: false };

/** The reach of texts of this workspace: they are private, and pasted or cloned text in them is untrusted. */
export const documentReach: ToolReach = { readsPrivate: true, bringsUntrusted: true, outward: false };
