import type { waitingCommands } from "../../core/protocol/command/waiting.ts";
import type { Performs } from "./base/call.ts";

export const performWaiting: Performs<keyof typeof waitingCommands> = {
  "waiting.change": ({ workspace, actor, remember }, params) =>
    workspace.conversations.waiting.change(actor, params, remember),
  "waiting.withdraw": ({ workspace, remember }, params) => workspace.conversations.waiting.withdraw(params, remember),
};
