import type { TrashEntry } from "../../../src/core/forest/trash-entry.ts";
import { shortName } from "../view/words/words.ts";

const kinds: Readonly<Record<TrashEntry["object"]["type"], string>> = {
  canvas: "Canvas",
  block: "Note",
  file: "File",
  thread: "Comment",
  conversation: "Conversation",
  branch: "Messages",
};

/** Returns what an entry is: "Canvas", "12 messages". */
export function kindWords({ object }: TrashEntry): string {
  if (object.type !== "branch") return kinds[object.type];
  return object.messages === 1 ? "1 message" : `${object.messages} messages`;
}

/** Returns who deleted an entry, when, and until when it can be restored. */
export function entryWords({ by, at, purgeAt }: TrashEntry, now: number): string {
  const until = purgeAt === null ? "kept until you delete it for good" : daysWords(purgeAt - now);
  return `deleted by ${shortName(by.name)} on ${new Date(at).toLocaleDateString()}, ${until}`;
}

const dayMs = 24 * 60 * 60 * 1000;

function daysWords(leftMs: number): string {
  const days = Math.ceil(leftMs / dayMs);
  if (days <= 0) return "gone for good any moment";
  return days === 1 ? "gone for good within a day" : `gone for good in ${days} days`;
}
