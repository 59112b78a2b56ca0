import * as v from "valibot";
import { count, nodeId, rootId } from "../base/parts.ts";
import { segmentSize } from "../shape/segment.ts";

export const watchConversationMessage = v.object({
  type: v.literal("watch-conversation"),
  rootId,
  afterSeq: count,
  /** The snapshot of a large conversation then holds only the end of the path through this message (null: the newest). */
  segment: v.exactOptional(v.object({ nodeId: v.nullable(nodeId), ...segmentSize })),
});

export const unwatchConversationMessage = v.object({ type: v.literal("unwatch-conversation"), rootId });
