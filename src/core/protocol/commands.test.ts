import { expect, test } from "vitest";
import type { Access } from "./base/access.ts";
import { parameters } from "./commands.test-support.ts";
import { commands, type CommandName } from "./commands.ts";
import { readCommand } from "./read-command.ts";

/** The access of each command with the parameters of commands.test-support.ts. */
const access: Record<CommandName, string> = {
  "conversation.create": "workspace.create workspace",
  "conversation.for-settings": "workspace.manage workspace",
  "conversation.find": "workspace.see workspace",
  "conversation.delete": "conversation.delete conversation root_1",
  "conversation.rename": "conversation.add conversation root_1",
  "conversation.archive": "conversation.edit conversation root_1",
  "conversation.arrange": "conversation.edit conversation root_1",
  "conversation.set-model": "conversation.edit conversation root_1",
  "conversation.set-tool-syntax": "conversation.edit conversation root_1",
  "conversation.rules": "conversation.rules conversation root_1",
  "conversation.trace": "conversation.trace conversation root_1",
  "conversation.usage": "conversation.read conversation root_1",
  "conversation.segment": "conversation.read conversation root_1",
  "conversation.set-canvas": "conversation.edit conversation root_1",
  "message.send": "conversation.send conversation root_1",
  "message.add": "conversation.add conversation root_1",
  "message.graft": "conversation.edit node node_2",
  "message.edit": "conversation.send node node_1",
  "message.regenerate": "conversation.send node node_1",
  "message.continue": "conversation.send node node_1",
  "message.split": "conversation.edit node node_1",
  "message.rewrite": "conversation.edit node node_1",
  "message.delete": "conversation.edit node node_1",
  "message.exclude": "conversation.edit node node_1",
  "message.collapse": "conversation.edit node node_1",
  "message.label": "conversation.label node node_1",
  "bookmark.list": "conversation.read conversation root_1",
  "bookmark.put": "conversation.bookmark conversation root_1",
  "bookmark.rename": "workspace.keep-own workspace",
  "bookmark.delete": "workspace.keep-own workspace",
  "conversation.settings": "conversation.edit conversation root_1",
  "token.list": "workspace.list-tokens workspace",
  "token.create": "workspace.tokens workspace",
  "token.revoke": "workspace.tokens workspace",
  "webhook.list": "workspace.list-webhooks workspace",
  "webhook.create": "workspace.webhooks workspace",
  "webhook.delete": "workspace.webhooks workspace",
  "webhook.log": "workspace.list-webhooks workspace",
  "webhook.send": "workspace.webhooks workspace",
  "prompt.list": "workspace.see workspace",
  "prompt.put": "workspace.set workspace",
  "prompt.delete": "workspace.set workspace",
  "models.set-window": "workspace.set workspace",
  "preset.list": "workspace.list workspace",
  "preset.put": "workspace.keep-own workspace",
  "preset.delete": "workspace.keep-own workspace",
  "preset.activate": "workspace.keep-own workspace",
  "search.words": "conversation.read conversation root_1",
  "branch.compact": "conversation.edit node node_1",
  "branch.originals": "conversation.edit node node_1",
  "branch.summary": "conversation.edit node node_1",
  "branch.context": "conversation.read conversation root_1",
  "run.cancel": "conversation.send run run_1",
  "run.retry": "conversation.send run run_1",
  "run.summarize": "conversation.edit run run_1",
  "run.continue": "conversation.edit run run_1",
  "waiting.change": "conversation.edit run run_1",
  "waiting.withdraw": "conversation.edit run run_1",
  "approval.answer": "conversation.approve run run_1",
  "approval.rules": "workspace.list workspace",
  "approval.forget": "workspace.keep-own workspace",
  "question.answer": "conversation.approve run run_1",
  "canvas.create": "workspace.create workspace",
  "canvas.duplicate": "workspace.manage workspace",
  "canvas.arrange": "document.edit block doc/1/2",
  "canvas.move-folder": "workspace.manage workspace",
  "canvas.set-policy": "document.edit block doc/1/2",
  "canvas.default-policy": "workspace.see workspace",
  "canvas.set-default-policy": "workspace.set workspace",
  "canvas.take-control": "document.edit block doc/1/2",
  "canvas.hashes": "document.read block doc/1/2",
  "canvas.revisions": "document.read block doc/1/2",
  "canvas.compare": "document.read block doc/1/2",
  "canvas.restore": "document.edit block doc/1/2",
  "canvas.suggestions": "document.read block doc/1/2",
  "canvas.text": "document.read block doc/1/2",
  "canvas.bring": "document.edit block doc/1/2",
  "draft.list": "document.read block doc/1/2",
  "draft.read": "document.read block doc/1/2",
  "draft.take": "document.edit block doc/1/2",
  "draft.drop": "document.edit block doc/1/2",
  "canvas.keep-hunks": "document.edit block doc/1/2",
  "canvas.reject-hunks": "document.edit block doc/1/2",
  "block.undo-mine": "document.edit block doc/1/2",
  "block.redo-mine": "document.edit block doc/1/2",
  "block.turns": "document.read block doc/1/2",
  "block.turn-change": "document.read block doc/1/2",
  "block.origins": "document.read block doc/1/2",
  "comment.list": "document.read block doc/1/2",
  "comment.add": "document.comment block doc/1/2",
  "comment.export": "document.copy block doc/1/2",
  "comment.reply": "document.comment thread c4k9x2az",
  "comment.edit": "document.comment thread c4k9x2az",
  "comment.withdraw": "document.comment thread c4k9x2az",
  "comment.resolve": "document.resolve thread c4k9x2az",
  "comment.reopen": "document.resolve thread c4k9x2az",
  "comment.move": "document.move-thread thread c4k9x2az",
  "comment.delete": "document.delete-thread thread c4k9x2az",
  "turn.undo": "document.edit turn turn_1",
  "turn.redo": "document.edit turn turn_1",
  "block.delete": "document.delete block doc/1/1",
  "trash.list": "workspace.list workspace",
  "trash.restore": "workspace.manage workspace",
  "trash.purge": "workspace.manage workspace",
  "trash.settings": "workspace.list workspace",
  "trash.set-settings": "workspace.set workspace",
  "folder.list": "workspace.list workspace",
  "folder.instructions": "workspace.list workspace",
  "folder.add": "workspace.set workspace",
  "folder.rename": "workspace.set workspace",
  "folder.set-rights": "workspace.set workspace",
  "folder.set-branch": "workspace.set workspace",
  "folder.trust": "workspace.set workspace",
  "folder.remove": "workspace.set workspace",
  "file.list": "workspace.list workspace",
  "file.open": "workspace.manage workspace",
  "file.attach": "workspace.manage workspace",
  "file.delete": "workspace.manage workspace",
  "file.move": "workspace.manage workspace",
  "file.resolve": "document.edit block doc/1/1",
  "models.syntaxes": "workspace.list workspace",
  "models.ask": "workspace.ask workspace",
  "models.list": "workspace.list workspace",
  "provider.list": "workspace.list workspace",
  "provider.set-key": "workspace.set workspace",
  "provider.remove-key": "workspace.set workspace",
  "mcp.list": "workspace.list workspace",
  "mcp.set-enabled": "workspace.set workspace",
  "mcp.reload": "workspace.set workspace",
  "mcp.sign-in": "workspace.set workspace",
  "mcp.sign-out": "workspace.set workspace",
  "mcp.accept-tool": "workspace.set workspace",
};

function accessBy(name: string, params: object): string {
  const read = readCommand(name, params);
  if (!read.ok) return read.error.code;
  const [verb, resource] = (commands[read.value.name].access as (given: unknown) => Access)(read.value.params);
  return `${verb} ${resource.type}${"id" in resource ? ` ${resource.id}` : ""}`;
}

test.each(Object.entries(access))("%s needs access: %s", (name, expected) => {
  expect(accessBy(name, parameters[name as CommandName].good)).toBe(expected);
});

test.each([
  ["bookmark.list", {}, "workspace.see workspace"],
  ["search.words", { words: "x", in: "messages" }, "workspace.search workspace"],
])("%s without a conversation needs access to the workspace", (name, params, expected) => {
  expect(accessBy(name, params)).toBe(expected);
});

test("approval.rules of a conversation needs access to that conversation", () => {
  expect(accessBy("approval.rules", { rootId: "root_1" })).toBe("conversation.see-rules conversation root_1");
});

test.each(Object.entries(commands))("%s has a one-sentence description, and names each refusal once", (_name, row) => {
  expect(row.description).toMatch(/^[A-Z][^\n]*[^.]\.$/);
  expect(row.description).not.toMatch(/\. [A-Z]/);
  expect(new Set(row.refusals).size).toBe(row.refusals.length);
});
