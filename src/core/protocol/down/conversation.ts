import * as v from "valibot";
import type { RootId } from "../../base/ids.ts";
import { bookmark, feedRecord, node, root, runChanged, serverId, waitingMessage, whole } from "./shapes.ts";

export const conversationSnapshotMessage = v.object({
  type: v.literal("conversation-snapshot"),
  rootId: serverId<RootId>(),
  seq: whole,
  root,
  nodes: v.array(node),
  runs: v.array(runChanged),
  waiting: v.array(waitingMessage),
  bookmarks: v.array(bookmark),
});

export const feedMessage = v.object({ type: v.literal("feed"), record: feedRecord });
