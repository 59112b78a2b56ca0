import * as v from "valibot";
import { messageUnitsMax } from "../limits.ts";
import { nodeId, requestId, rootId, textUpTo } from "../parts.ts";

const text = v.pipe(
  textUpTo(messageUnitsMax),
  v.check((message) => message.trim() !== "", "a text that is not blank"),
);

export const messageCommands = {
  "message.send": v.object({
    rootId,
    parentNodeId: v.nullable(nodeId),
    text,
    queue: v.exactOptional(v.boolean()),
    clientRequestId: requestId,
  }),
  "message.edit": v.object({ nodeId, text, clientRequestId: requestId }),
  "message.regenerate": v.object({ nodeId, clientRequestId: requestId }),
};
