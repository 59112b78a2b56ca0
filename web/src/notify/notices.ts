import type { RootId } from "../../../src/core/base/ids.ts";
import { conversationTitle, type ConversationActivity } from "../../../src/core/forest/list.ts";

/** What a person is told of a conversation. */
export interface Notice {
  readonly rootId: RootId;
  readonly title: string;
  readonly words: string;
}

interface Entry {
  readonly id: RootId;
  readonly title: string;
  readonly activity?: ConversationActivity;
}

/** What happened in each conversation when the list was last looked at; null: nothing did. */
export type Activities = ReadonlyMap<RootId, ConversationActivity | null>;

export function activitiesOf(entries: readonly Entry[]): Activities {
  return new Map(entries.map(({ id, activity = null }) => [id, activity]));
}

/**
 * Returns what is worth a notification since the last look: a turn waits for a person, failed or ended. A conversation that
 * was not in the list before tells nothing: what it did is not known.
 */
export function noticesOf(before: Activities, entries: readonly Entry[]): readonly Notice[] {
  return entries.flatMap((entry): Notice[] => {
    const { id: rootId, activity = null } = entry;
    const was = before.get(rootId);
    if (was === undefined || was === activity) return [];
    const words = wordsOf(was, activity);
    return words === null ? [] : [{ rootId, title: conversationTitle(entry), words }];
  });
}

function wordsOf(was: ConversationActivity | null, is: ConversationActivity | null): string | null {
  switch (is) {
    case "waits":
      return "An agent waits for your decision or your answer.";
    case "failed":
      return "The turn failed. Open the conversation to see why.";
    case null:
      return was === "failed" ? null : "The agent has finished.";
    case "running":
      return null;
  }
}
