import * as v from "valibot";
import type { NamedPrompt } from "../../turn/state/named-prompt.ts";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { nothing, title } from "../base/parts.ts";
import { systemPrompt } from "../base/reply-settings.ts";

const name = v.pipe(title, v.description("Name of the prompt."), v.examples(["terse"]));

/** A system prompt with a name. */
const namedPrompt: v.GenericSchema<unknown, NamedPrompt> = v.object({
  name,
  text: v.pipe(
    systemPrompt,
    v.check((text) => text.trim() !== "", "a text that is not blank"),
  ),
});

const promptList = v.object({ prompts: v.array(namedPrompt) });

export const promptCommands = {
  "prompt.list": command({
    description: "Lists the named system prompts, by name.",
    params: nothing,
    access: onWorkspace("workspace.see"),
    answer: promptList,
  }),
  "prompt.put": command({
    description:
      "Adds a named system prompt, or replaces the one with that name; conversations keep what they were given.",
    params: namedPrompt,
    access: onWorkspace("workspace.set"),
    answer: promptList,
  }),
  "prompt.delete": command({
    description: "Deletes a named system prompt.",
    params: v.object({ name }),
    access: onWorkspace("workspace.set"),
    answer: promptList,
    refusals: ["NOT_FOUND"],
  }),
};
