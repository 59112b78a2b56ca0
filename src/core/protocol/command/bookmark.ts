import * as v from "valibot";
import { onConversation, onConversations, onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nodeId, nothing, rootId, title } from "../base/parts.ts";
import { bookmark } from "../shape/forest.ts";

const bookmarkTitle = v.pipe(title, v.description("Title of the bookmark."), v.examples(["the answer"]));
const one = v.object({ bookmark });

export const bookmarkCommands = {
  "bookmark.list": command({
    description: "Lists the bookmarks of one conversation or of all, by title.",
    params: v.object({ rootId: v.exactOptional(described(rootId, "Only bookmarks of this conversation.")) }),
    access: onConversations("conversation.read", "workspace.see"),
    answer: v.object({ bookmarks: v.array(bookmark) }),
  }),
  "bookmark.put": command({
    description: "Sets a bookmark, or moves the bookmark with that title here, even from another conversation.",
    params: v.object({
      title: bookmarkTitle,
      rootId,
      nodeId: described(v.nullable(nodeId), "null for the conversation itself."),
    }),
    access: onConversation("conversation.bookmark"),
    answer: one,
    refusals: ["ROOT_NOT_FOUND", "NODE_NOT_FOUND"],
  }),
  "bookmark.rename": command({
    description: "Renames a bookmark.",
    params: v.object({
      title: bookmarkTitle,
      newTitle: v.pipe(title, v.description("A title that no bookmark has yet."), v.examples(["the first answer"])),
    }),
    access: onWorkspace("workspace.keep-own"),
    answer: one,
    refusals: ["NOT_FOUND", "CONFLICT"],
  }),
  "bookmark.delete": command({
    description: "Deletes a bookmark; succeeds if there is no such bookmark.",
    params: v.object({ title: bookmarkTitle }),
    access: onWorkspace("workspace.keep-own"),
    answer: nothing,
  }),
};
