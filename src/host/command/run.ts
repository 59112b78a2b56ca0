import type { runCommands } from "../../core/protocol/command/run.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performRun: Performs<keyof typeof runCommands> = {
  "run.cancel": async ({ workspace, actor, remember }, { runId }) =>
    nothing(await workspace.conversations.runs.cancel(actor, { runId, reason: "stopped" }, remember)),
  "run.retry": async ({ workspace, actor, remember }, params) =>
    nothing(await workspace.conversations.runs.retry(actor, params, remember)),
  "run.summarize": async ({ workspace, actor, remember }, params) =>
    nothing(await workspace.conversations.runs.summarize(actor, params, remember)),
  "run.continue": ({ workspace, remember }, params) => workspace.conversations.runs.continue(params, remember),
};
