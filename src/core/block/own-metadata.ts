/** Fields of a block's metadata that Heddle notes there itself: where it stands, and that its file was changed otherwise. */
const ownFields = ["after", "conflict"] as const;
export type OwnField = (typeof ownFields)[number];

/** Whether a field of a block's metadata is Heddle's own. */
export function isOwnField(name: string): name is OwnField {
  return ownFields.some((own) => own === name);
}
