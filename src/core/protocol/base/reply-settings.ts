import * as v from "valibot";
import { thinkingLevels } from "../../forest/run-rules.ts";
import { serverToolForm } from "../../model/server-tool.ts";
import { messageUnitsMax } from "./limits.ts";
import { modelId, textUpTo } from "./parts.ts";

/** How much models think. */
export const thinking = v.pipe(
  v.picklist(thinkingLevels),
  v.description("How much models think before they answer, where they can."),
);

/** What models do not get. */
export const toolsOff = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  v.maxLength(200),
  v.description("Tools that models do not get here, by their name or their family's (canvas, blocks, files, shell)."),
  v.examples([["shell"]]),
);

/** Which models answer in place of one that does not. */
export const fallbacks = v.pipe(
  v.array(modelId),
  v.maxLength(10),
  v.description("Models that answer a message when the conversation's model does not, in order."),
  v.examples([["openai/gpt-5"]]),
);

/** Which tools the provider runs itself. */
export const serverTools = v.pipe(
  v.array(v.pipe(v.string(), v.regex(serverToolForm, "web-search, code-execution, url-context or file-search:STORE"))),
  v.maxLength(20),
  v.description(
    "Tools that the provider runs itself, where the model's API has them: web-search, code-execution, url-context, file-search:STORE.",
  ),
  v.examples([["web-search"]]),
);

/** How models are asked in a conversation. */
export const replySettings = v.pipe(
  v.object({
    thinking: v.exactOptional(thinking),
    toolsOff: v.exactOptional(toolsOff),
    fallbacks: v.exactOptional(fallbacks),
    serverTools: v.exactOptional(serverTools),
  }),
  v.description("How models are asked here."),
);

/** A system prompt as a person writes it. */
export const systemPrompt = v.pipe(
  textUpTo(messageUnitsMax),
  v.description("The system prompt; defaults to Heddle's own."),
  v.examples(["Be brief."]),
);
