import { ok } from "../../core/base/result.ts";
import type { webhookCommands } from "../../core/protocol/command/webhook.ts";
import type { Performs } from "./base/call.ts";

export const performWebhook: Performs<keyof typeof webhookCommands> = {
  "webhook.list": async ({ workspace }) => ok({ webhooks: workspace.webhooks.list() }),
  "webhook.create": ({ workspace, actor, remember }, params) => workspace.webhooks.create(actor, params, remember),
  "webhook.delete": ({ workspace, remember }, { webhookId }) => workspace.webhooks.delete(webhookId, remember),
  "webhook.log": async ({ workspace }, { webhookId }) => workspace.webhooks.log(webhookId),
  "webhook.send": ({ workspace }, { webhookId, id = null }) => workspace.webhooks.send(webhookId, id),
};
