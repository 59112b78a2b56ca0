import type { ConversationSummary } from "../../../../src/core/forest/list.ts";
import type { ForestRoot } from "../../../../src/core/forest/types.ts";

/** What is known of the open conversation: all of it from its own feed, before that what lists say. */
export type ShownRoot = ConversationSummary & Partial<Omit<ForestRoot, keyof ConversationSummary>>;
