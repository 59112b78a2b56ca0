import * as v from "valibot";
import type { CommandParams } from "../commands.ts";
import { attachmentsMax, fileNameUnitsMax, labelsMax, messageUnitsMax } from "../limits.ts";
import { completions, jsonObject, label, maxTokens, modelId, nodeId, rootId, temperature, textUpTo } from "../parts.ts";

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

const attachment = v.object({
  blobId: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  // Without what no file system takes, and without what turns the direction of a name around.
  name: v.exactOptional(
    v.pipe(
      textUpTo(fileNameUnitsMax),
      v.regex(/^[^/\\\p{Cc}\u202a-\u202e\u2066-\u2069]+$/u, "a file's name without a path"),
    ),
  ),
});

const attachments = v.exactOptional(v.pipe(v.array(attachment), v.maxLength(attachmentsMax)));

function saysSomething(said: { readonly text: string; readonly attachments?: readonly object[] }): boolean {
  return said.text.trim() !== "" || (said.attachments ?? []).length > 0;
}

const somethingSaid = "a text that is not blank, or something attached";

/** Named by its type: what the check is given would else be spelled out in the declarations, where no brand has a name. */
const send: v.GenericSchema<unknown, CommandParams<"message.send">> = v.pipe(
  v.object({
    rootId,
    parentNodeId: v.nullable(nodeId),
    text: textUpTo(messageUnitsMax),
    attachments,
    queue: v.exactOptional(v.boolean()),
    ...wish,
  }),
  v.check((said) => saysSomething(said), somethingSaid),
);

const add: v.GenericSchema<unknown, CommandParams<"message.add">> = v.pipe(
  v.object({ rootId, parentNodeId: v.nullable(nodeId), text: textUpTo(messageUnitsMax), attachments }),
  v.check((said) => saysSomething(said), somethingSaid),
);

export const messageCommands = {
  "message.add": add,
  "message.send": send,
  "message.edit": v.object({ nodeId, text }),
  "message.regenerate": v.object({ nodeId, ...wish }),
  "message.split": v.object({ nodeId, at: v.pipe(v.number(), v.safeInteger()) }),
  "message.rewrite": v.object({ nodeId, text }),
  "message.delete": v.object({ nodeId, reparent: v.exactOptional(v.boolean()), force: v.exactOptional(v.boolean()) }),
  "message.label": v.object({
    nodeId,
    tags: v.exactOptional(v.pipe(v.array(label), v.maxLength(labelsMax))),
    customData: v.exactOptional(v.nullable(jsonObject)),
  }),
};
