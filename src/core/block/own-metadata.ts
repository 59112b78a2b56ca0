/**
 * Metadata fields that Heddle itself writes: the block's place, whether its file was changed by another program, the
 * message that a live block became, and the folder of a file's path.
 */
const ownFields = ["after", "conflict", "message", "folder"] as const;
export type OwnField = (typeof ownFields)[number];

/** Whether Heddle itself writes this metadata field. */
export function isOwnField(name: string): name is OwnField {
  return ownFields.some((own) => own === name);
}
