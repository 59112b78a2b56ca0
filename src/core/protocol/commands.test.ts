import { expect, test } from "vitest";
import type { Access } from "./base/access.ts";
import { parameters } from "./commands.test-support.ts";
import { commands, type CommandName } from "./commands.ts";
import { readCommand } from "./read-command.ts";

/** The access of each command with the parameters of commands.test-support.ts. */
const access: Record<CommandName, string> = {
  "conversation.create": "write workspace",
  "conversation.for-settings": "write workspace",
  "conversation.find": "read workspace",
  "conversation.delete": "write conversation root_1",
  "conversation.rename": "write conversation root_1",
  "conversation.archive": "write conversation root_1",
  "conversation.arrange": "write conversation root_1",
  "conversation.set-model": "write conversation root_1",
  "conversation.set-tool-syntax": "write conversation root_1",
  "conversation.rules": "write conversation root_1",
  "conversation.trace": "read conversation root_1",
  "conversation.usage": "read conversation root_1",
  "conversation.segment": "read conversation root_1",
  "conversation.set-canvas": "write conversation root_1",
  "message.send": "write conversation root_1",
  "message.add": "write conversation root_1",
  "message.edit": "write node node_1",
  "message.regenerate": "write node node_1",
  "message.continue": "write node node_1",
  "message.split": "write node node_1",
  "message.rewrite": "write node node_1",
  "message.delete": "write node node_1",
  "message.exclude": "write node node_1",
  "message.collapse": "write node node_1",
  "message.label": "write node node_1",
  "bookmark.list": "read conversation root_1",
  "bookmark.put": "write conversation root_1",
  "bookmark.rename": "write workspace",
  "bookmark.delete": "write workspace",
  "conversation.settings": "write conversation root_1",
  "token.list": "read workspace",
  "token.create": "write workspace",
  "token.revoke": "write workspace",
  "webhook.list": "read workspace",
  "webhook.create": "write workspace",
  "webhook.delete": "write workspace",
  "webhook.log": "read workspace",
  "webhook.send": "write workspace",
  "prompt.list": "read workspace",
  "prompt.put": "write workspace",
  "prompt.delete": "write workspace",
  "models.set-window": "write workspace",
  "preset.list": "read workspace",
  "preset.put": "write workspace",
  "preset.delete": "write workspace",
  "preset.activate": "write workspace",
  "search.words": "read conversation root_1",
  "branch.compact": "write node node_1",
  "branch.originals": "write node node_1",
  "branch.summary": "write node node_1",
  "branch.context": "read conversation root_1",
  "run.cancel": "write run run_1",
  "run.retry": "write run run_1",
  "run.summarize": "write run run_1",
  "run.continue": "write run run_1",
  "waiting.change": "write run run_1",
  "waiting.withdraw": "write run run_1",
  "approval.answer": "write run run_1",
  "approval.rules": "read workspace",
  "approval.forget": "write workspace",
  "question.answer": "write run run_1",
  "canvas.create": "write workspace",
  "canvas.duplicate": "write workspace",
  "canvas.arrange": "write block doc/1/2",
  "canvas.move-folder": "write workspace",
  "canvas.set-policy": "write block doc/1/2",
  "canvas.default-policy": "read workspace",
  "canvas.set-default-policy": "write workspace",
  "canvas.take-control": "write block doc/1/2",
  "canvas.hashes": "read block doc/1/2",
  "canvas.revisions": "read block doc/1/2",
  "canvas.compare": "read block doc/1/2",
  "canvas.restore": "write block doc/1/2",
  "canvas.suggestions": "read block doc/1/2",
  "canvas.keep-hunks": "write block doc/1/2",
  "canvas.reject-hunks": "write block doc/1/2",
  "block.undo-mine": "write block doc/1/2",
  "block.redo-mine": "write block doc/1/2",
  "block.turns": "read block doc/1/2",
  "block.turn-change": "read block doc/1/2",
  "block.origins": "read block doc/1/2",
  "comment.list": "read block doc/1/2",
  "comment.add": "comment block doc/1/2",
  "comment.export": "read block doc/1/2",
  "comment.reply": "comment thread c4k9x2az",
  "comment.edit": "comment thread c4k9x2az",
  "comment.withdraw": "comment thread c4k9x2az",
  "comment.resolve": "comment thread c4k9x2az",
  "comment.reopen": "comment thread c4k9x2az",
  "comment.move": "comment thread c4k9x2az",
  "comment.delete": "comment thread c4k9x2az",
  "turn.undo": "write turn turn_1",
  "turn.redo": "write turn turn_1",
  "block.delete": "write block doc/1/1",
  "trash.list": "read workspace",
  "trash.restore": "write workspace",
  "trash.purge": "write workspace",
  "trash.settings": "read workspace",
  "trash.set-settings": "write workspace",
  "folder.list": "read workspace",
  "folder.instructions": "read workspace",
  "folder.add": "write workspace",
  "folder.rename": "write workspace",
  "folder.set-rights": "write workspace",
  "folder.set-branch": "write workspace",
  "folder.trust": "write workspace",
  "folder.remove": "write workspace",
  "file.list": "read workspace",
  "file.open": "write workspace",
  "file.attach": "write workspace",
  "file.delete": "write workspace",
  "file.move": "write workspace",
  "file.resolve": "write block doc/1/1",
  "models.syntaxes": "read workspace",
  "models.ask": "read workspace",
  "models.list": "read workspace",
  "provider.list": "read workspace",
  "provider.set-key": "write workspace",
  "provider.remove-key": "write workspace",
  "mcp.list": "read workspace",
  "mcp.set-enabled": "write workspace",
  "mcp.reload": "write workspace",
  "mcp.accept-tool": "write workspace",
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
  ["bookmark.list", {}],
  ["search.words", { words: "x", in: "messages" }],
])("%s without a conversation needs access to the workspace", (name, params) => {
  expect(accessBy(name, params)).toBe("read workspace");
});

test("approval.rules of a conversation needs access to that conversation", () => {
  expect(accessBy("approval.rules", { rootId: "root_1" })).toBe("read conversation root_1");
});

test.each(Object.entries(commands))("%s has a one-sentence description, and names each refusal once", (_name, row) => {
  expect(row.description).toMatch(/^[A-Z][^\n]*[^.]\.$/);
  expect(row.description).not.toMatch(/\. [A-Z]/);
  expect(new Set(row.refusals).size).toBe(row.refusals.length);
});
