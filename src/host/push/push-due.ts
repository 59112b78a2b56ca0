import type { ConversationActivity } from "../../core/forest/list.ts";

/** What a person is told of a conversation while no page of theirs is seen. */
export type PushKind = "waits" | "failed" | "finished";

/** Returns what a change of a conversation's activity tells; null: nothing. `undefined`: what it did before is not known. */
export function pushDue(
  before: ConversationActivity | null | undefined,
  now: ConversationActivity | null,
): PushKind | null {
  if (before === undefined || before === now) return null;
  switch (now) {
    case "waits":
      return "waits";
    case "failed":
      return "failed";
    case null:
      return before === "failed" ? null : "finished";
    case "running":
      return null;
  }
}
