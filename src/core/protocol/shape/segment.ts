import * as v from "valibot";
import { madeNodeId } from "./forest.ts";
import { segmentBytesMax, segmentMessagesMax } from "../base/limits.ts";
import { described } from "../base/parts.ts";

const upTo = (most: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(most));

/** How large a segment may be, and where its path ends. */
export const segmentSize = {
  messages: described(upTo(segmentMessagesMax), "The most messages of the path."),
  bytes: described(upTo(segmentBytesMax), "The most bytes of those messages as JSON; one message is sent whole."),
};

/** What a page knows of a segment besides its messages. */
export const segmentFacts = {
  tipId: described(v.nullable(madeNodeId), "The last message of the path; null for an empty conversation."),
  above: described(v.number(), "How many messages of the path are above those that are sent."),
  childCounts: described(
    v.array(v.object({ parentId: v.nullable(madeNodeId), count: v.number() })),
    "The numbers of children of messages whose children are not all sent; null is the place of first messages.",
  ),
};
