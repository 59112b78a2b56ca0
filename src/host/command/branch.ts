import type { branchCommands } from "../../core/protocol/command/branch.ts";
import type { Performs } from "./base/call.ts";

export const performBranch: Performs<keyof typeof branchCommands> = {
  "branch.compact": ({ workspace, actor, remember }, params) =>
    workspace.conversations.branches.compact(actor, params, remember),
  "branch.originals": ({ workspace, remember }, params) => workspace.conversations.branches.originals(params, remember),
  "branch.summary": ({ workspace, remember }, params) => workspace.conversations.branches.summary(params, remember),
  "branch.context": ({ workspace }, params) => workspace.conversations.branches.context(params),
};
