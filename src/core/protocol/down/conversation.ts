import * as v from "valibot";
import type { RootId } from "../../base/ids.ts";
import {
  bookmark,
  feedRecord,
  node,
  root,
  runChanged,
  segmentFacts,
  serverId,
  waitingMessage,
  whole,
} from "./shapes.ts";

export const conversationSnapshotMessage = v.object({
  type: v.literal("conversation-snapshot"),
  rootId: serverId<RootId>(),
  seq: whole,
  root,
  /** All messages, or those of the segment. */
  nodes: v.array(node),
  /** Set when only a part is sent, because the client asked for that and the conversation is larger. */
  segment: v.exactOptional(segmentFacts),
  runs: v.array(runChanged),
  waiting: v.array(waitingMessage),
  bookmarks: v.array(bookmark),
});

export const feedMessage = v.object({ type: v.literal("feed"), record: feedRecord });
