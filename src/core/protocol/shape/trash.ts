import * as v from "valibot";
import type { TrashId } from "../../base/ids.ts";
import type { TrashEntry } from "../../forest/trash-entry.ts";
import { count, described, madeId, shown, time } from "../base/parts.ts";
import { madeThreadId } from "./thread.ts";
import { actor } from "./actor.ts";
import { bookmark, madeBlockId, madeFolderId, madeNodeId, madeRootId } from "./forest.ts";

const bookmarks = described(v.array(bookmark), "Its bookmarks, which are restored with it.");

const trashedObject = v.variant("type", [
  v.object({ type: v.literal("canvas"), blockId: madeBlockId }),
  v.object({ type: v.literal("block"), blockId: madeBlockId }),
  v.object({
    type: v.literal("file"),
    blockId: madeBlockId,
    path: shown("notes/today.md", "Where the file was in its folder."),
    folderId: described(v.nullable(madeFolderId), "Its folder; null for the first one that the server had."),
  }),
  v.object({ type: v.literal("thread"), threadId: madeThreadId, of: madeBlockId }),
  v.object({
    type: v.literal("conversation"),
    rootId: madeRootId,
    agents: described(v.array(madeRootId), "The conversations of its sub-agents."),
    bookmarks,
  }),
  v.object({
    type: v.literal("branch"),
    rootId: madeRootId,
    nodeId: described(madeNodeId, "The first of its messages."),
    parentId: described(v.nullable(madeNodeId), "The message above; null at the top."),
    messages: count,
    bookmarks,
  }),
]);

/** Something in the trash. */
export const trashEntry: v.GenericSchema<unknown, TrashEntry> = v.object({
  id: madeId<TrashId>("trash_01"),
  object: trashedObject,
  title: shown("Plan", "The title when it was deleted."),
  by: described(actor, "Who deleted it; an agent with its run, turn and tool call."),
  at: time,
  purgeAt: described(v.nullable(time), "When it is deleted for good; null for never."),
});
