/**
 * Metadata fields that Heddle itself writes: the block's place, whether its file was changed by another program, the
 * message that a live block became, the folder of a file's path, whether that file is not text, and whether only drafts
 * have it.
 */
const ownFields = ["after", "conflict", "message", "folder", "binary", "inDraft"] as const;
export type OwnField = (typeof ownFields)[number];

/** Whether Heddle itself writes this metadata field. */
export function isOwnField(name: string): name is OwnField {
  return ownFields.some((own) => own === name);
}
