import { ok } from "../../core/base/result.ts";
import type { promptCommands } from "../../core/protocol/command/prompt.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { roleTest } from "../access/member.ts";
import type { Performs } from "./base/call.ts";

export const performPrompt: Performs<keyof typeof promptCommands> = {
  "prompt.list": async ({ workspace, asking: { member } }) => {
    // They are the workspace's: who has a role on single things alone has none.
    const hasRole = !member || roleTest(member.keeper, member.id)([workspaceKey], "viewer");
    return ok({ prompts: hasRole ? await workspace.conversations.prompts.list() : [] });
  },
  "prompt.put": ({ workspace, remember }, prompt) => workspace.conversations.prompts.put(prompt, remember),
  "prompt.delete": ({ workspace, remember }, { name }) => workspace.conversations.prompts.remove(name, remember),
};
