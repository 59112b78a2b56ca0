import { refusal } from "../../core/base/errors.ts";
import { nearestWord } from "../../core/base/nearest-word.ts";
import { err, ok } from "../../core/base/result.ts";
import type { conversationCommands } from "../../core/protocol/command/conversation.ts";
import { conversationKey } from "../../core/rights/object-key.ts";
import { trashAct } from "../access/audit-notes.ts";
import { wholeTrace } from "../conversation/export/trace-text.ts";
import { tellNow } from "./base/audit-acts.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performConversation: Performs<keyof typeof conversationCommands> = {
  async "conversation.create"({ workspace, remember }, params) {
    const created = await workspace.conversations.create(params, remember);
    return created.ok ? ok({ rootId: created.value.id }) : created;
  },
  async "conversation.for-settings"({ workspace, remember }, params) {
    const found = await workspace.conversations.forSettings(params, remember);
    return found.ok ? ok({ rootId: found.value.id }) : found;
  },
  async "conversation.find"({ workspace, reach }, { name }) {
    const roots = (await workspace.conversations.list()).filter((root) => reach === null || reach.conversation(root));
    const root = roots.find(({ id, slug }) => id === name || slug === name);
    if (root !== undefined) return ok(root);
    const near = nearestWord(
      name,
      roots.map(({ slug }) => slug),
    );
    const guess = near === undefined ? "" : ` Did you mean ${near}?`;
    return err(refusal("ROOT_NOT_FOUND", { root_id: name }, `There is no conversation "${name}".${guess}`));
  },
  "conversation.delete": ({ workspace, actor, remember, noted }, { rootId }) =>
    workspace.conversations.delete(
      rootId,
      (answer, of) => [...remember(answer, of), ...noted(trashAct("deleted", answer.entry))],
      actor,
    ),
  "conversation.rename": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.rename(params, remember)),
  "conversation.archive": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.archive(params, remember)),
  "conversation.arrange": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.arrange(params, remember)),
  "conversation.set-model": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.setModel(params, remember)),
  "conversation.set-tool-syntax": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.setToolSyntax(params, remember)),
  "conversation.rules": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.setRules(params, remember)),
  "conversation.settings": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.setSettings(params, remember)),
  async "conversation.trace"({ workspace, noted }, { rootId }) {
    const told = await tellNow(workspace, noted({ act: "export.trace", object: conversationKey(rootId) }));
    return told.ok ? wholeTrace(workspace.store, rootId, workspace.platform.clock.now()) : told;
  },
  "conversation.usage": ({ workspace }, { rootId, messages }) => workspace.conversations.usage(rootId, messages),
  "conversation.segment": ({ workspace }, { rootId, ...wish }) => workspace.conversations.segment(rootId, wish),
  "conversation.set-canvas": async ({ workspace, remember }, params) =>
    nothing(await workspace.conversations.setCanvas(params, remember)),
};
