import type { ForestRoot } from "../../../../src/core/forest/types.ts";

/** What a conversation is called; one that has not been given a title yet is a new one. */
export function conversationTitle(root: Pick<ForestRoot, "title">): string {
  const title = root.title.trim();
  return title === "" ? "New conversation" : title;
}
