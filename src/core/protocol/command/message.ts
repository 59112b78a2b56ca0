import * as v from "valibot";
import { labelsMax, messageUnitsMax } from "../limits.ts";
import {
  completions,
  jsonObject,
  label,
  maxTokens,
  modelId,
  nodeId,
  requestId,
  rootId,
  temperature,
  textUpTo,
} from "../parts.ts";

const text = v.pipe(
  textUpTo(messageUnitsMax),
  v.check((message) => message.trim() !== "", "a text that is not blank"),
);

/** How a reply is asked for. */
const wish = {
  n: v.exactOptional(completions),
  model: v.exactOptional(modelId),
  maxTokens: v.exactOptional(maxTokens),
  temperature: v.exactOptional(temperature),
};

export const messageCommands = {
  "message.send": v.object({
    rootId,
    parentNodeId: v.nullable(nodeId),
    text,
    queue: v.exactOptional(v.boolean()),
    ...wish,
    clientRequestId: requestId,
  }),
  "message.edit": v.object({ nodeId, text, clientRequestId: requestId }),
  "message.regenerate": v.object({ nodeId, ...wish, clientRequestId: requestId }),
  "message.split": v.object({ nodeId, at: v.pipe(v.number(), v.safeInteger()), clientRequestId: requestId }),
  "message.rewrite": v.object({ nodeId, text, clientRequestId: requestId }),
  "message.delete": v.object({ nodeId, reparent: v.exactOptional(v.boolean()), force: v.exactOptional(v.boolean()) }),
  "message.label": v.object({
    nodeId,
    tags: v.exactOptional(v.pipe(v.array(label), v.maxLength(labelsMax))),
    customData: v.exactOptional(v.nullable(jsonObject)),
  }),
};
