import { ok } from "../../core/base/result.ts";
import type { promptCommands } from "../../core/protocol/command/prompt.ts";
import type { Performs } from "./call.ts";

export const performPrompt: Performs<keyof typeof promptCommands> = {
  "prompt.list": async ({ workspace }) => ok({ prompts: await workspace.conversations.prompts.list() }),
  "prompt.put": ({ workspace, remember }, prompt) => workspace.conversations.prompts.put(prompt, remember),
  "prompt.delete": ({ workspace, remember }, { name }) => workspace.conversations.prompts.remove(name, remember),
};
