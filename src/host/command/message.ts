import type { messageCommands } from "../../core/protocol/command/message.ts";
import { conversationKey } from "../../core/rights/object-key.ts";
import { addMessage, sendMessage } from "./base/attached-message.ts";
import { graftMessages } from "./graft.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performMessage: Performs<keyof typeof messageCommands> = {
  "message.send": sendMessage,
  "message.add": addMessage,
  "message.graft": ({ workspace, actor, remember }, params) => graftMessages(workspace, actor, params, remember),
  "message.edit": ({ workspace, actor, remember }, params) =>
    workspace.conversations.messages.edit(actor, params, remember),
  "message.regenerate": ({ workspace, actor, remember }, params) =>
    workspace.conversations.messages.regenerate(actor, params, remember),
  "message.continue": ({ workspace, actor, remember }, params) =>
    workspace.conversations.messages.goOn(actor, params, remember),
  "message.split": ({ workspace, remember }, params) => workspace.conversations.messages.split(params, remember),
  "message.rewrite": ({ workspace, actor, remember }, { text, ...place }) =>
    workspace.conversations.messages.rewrite(actor, { ...place, content: [{ type: "text", text }] }, remember),
  "message.delete": ({ workspace, actor, remember, noted }, params) =>
    workspace.conversations.messages.delete({ ...params, by: actor }, (answer, rootId) => [
      ...remember(answer, rootId),
      ...(rootId === null || answer.trashId === undefined
        ? []
        : noted({
            act: "messages.deleted",
            object: conversationKey(rootId),
            after: { trashId: answer.trashId },
          })),
    ]),
  "message.exclude": ({ workspace, remember }, params) => workspace.conversations.messages.exclude(params, remember),
  "message.collapse": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.messages.collapse(params, remember)),
  "message.label": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.messages.label(params, remember)),
};
