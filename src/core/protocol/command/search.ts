import * as v from "valibot";
import type { BlockId, NodeId } from "../../base/ids.ts";
import { onConversations, onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { searchLimitMax, searchWordsUnitsMax } from "../base/limits.ts";
import { shown, described, madeId, rootId, textUpTo } from "../base/parts.ts";
import { madeRootId } from "../shape/forest.ts";
import { madeThreadId } from "../shape/thread.ts";

/** The words to search for; every word must occur, and the last one may be incomplete. */
export const searchedWords = v.pipe(
  textUpTo(searchWordsUnitsMax),
  v.description("Words that must all occur; the last one may be incomplete."),
  v.examples(["quick swallow"]),
);

/** Where to search. */
export const searchPlaces = v.picklist(["messages", "blocks"]);

/** The results of a search, best first. */
export const wordFinds = v.object({
  matches: v.array(
    v.object({
      id: described(madeId<NodeId | BlockId>("node_01"), "Id of the message or the block."),
      rootId: v.nullable(madeRootId),
      title: described(
        v.nullable(v.string()),
        "The title of the message's conversation, blank until it has one; null for a document, and in the conversation of a sub-agent.",
      ),
      excerpt: shown("… the quickest swallow …", "The text around the first word."),
    }),
  ),
});

/** What a search over everything finds: `tool` is what a tool was asked or answered. */
const findKinds = ["message", "document", "file", "comment", "tool"] as const;

export const searchCommands = {
  "search.all": command({
    description: "Finds messages, documents, files and comments by their words; results of tools come last.",
    params: v.object({
      words: searchedWords,
      kinds: v.exactOptional(described(v.array(v.picklist(findKinds)), "Only these kinds; all by default.")),
      limit: v.exactOptional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(searchLimitMax),
          v.description("The maximum number of results; 30 by default."),
        ),
      ),
    }),
    access: onWorkspace("workspace.search"),
    answer: v.object({
      finds: v.array(
        v.object({
          kind: v.picklist(findKinds),
          id: described(
            madeId<NodeId | BlockId>("node_01"),
            "Id of the message or the document; of a comment, its document's.",
          ),
          rootId: v.nullable(madeRootId),
          title: described(v.nullable(v.string()), "Title of its conversation or document."),
          path: described(v.nullable(v.string()), "Path of a file of the folder; null for anything else."),
          threadId: described(v.nullable(madeThreadId), "The thread of a comment; null for anything else."),
          excerpt: shown("… the quickest swallow …", "The text around the first word."),
        }),
      ),
    }),
  }),
  "search.words": command({
    description: "Finds messages or documents by their words, best first.",
    params: v.object({
      words: searchedWords,
      in: described(searchPlaces, "What is searched."),
      rootId: v.exactOptional(described(rootId, "Only messages of this conversation.")),
      limit: v.exactOptional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(searchLimitMax),
          v.description("The maximum number of results; 30 by default."),
        ),
      ),
    }),
    access: onConversations("conversation.read", "workspace.search"),
    answer: wordFinds,
  }),
};
