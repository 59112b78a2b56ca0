import { refusal, type Refusal } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { isOwnField, type OwnField } from "../../block/own-metadata.ts";
import { isWellFormed } from "../../syntax/call/coerce.ts";

/** Returns why a caller may not set these fields: they are Heddle's own, or hold half a character. Null when allowed. */
export function givenMetadataRefusal(fields: JsonObject): Refusal | null {
  const own = Object.keys(fields).find(isOwnField);
  if (own !== undefined) return refusal("INVALID_PARAMS", { path: `metadata.${own}`, expected: insteadOf[own] });
  const half = Object.entries(fields).find(([name, value]) => !name.isWellFormed() || !isWellFormed(value));
  return half === undefined ? null : refusal("TEXT_MALFORMED", { path: `metadata.${half[0].toWellFormed()}` });
}

/** Returns metadata as a caller gave it, without the block's place, folder and kind of file, which Heddle keeps there. */
export function shownMetadata({
  after: _place,
  folder: _folder,
  binary: _binary,
  inDraft: _draft,
  ...shown
}: JsonObject): JsonObject {
  return shown;
}

const insteadOf: Readonly<Record<OwnField, string>> = {
  after: "left out: the parameter after of block_create sets the block's place",
  folder: "left out: a file belongs to the folder of the conversation",
  binary: "left out: Heddle records there that a file is not text",
  inDraft: "left out: Heddle records there that only drafts have a file",
  conflict: "left out: Heddle records there that a file was changed on disk in another way",
  message: "left out: Heddle records there which message a streamed block became",
};
