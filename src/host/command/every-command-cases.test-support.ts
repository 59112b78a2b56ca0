import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must } from "../../core/base/assert.ts";
import type { GroupId, LinkId, ToolCallId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { commands, type CommandName, type CommandParams } from "../../core/protocol/commands.ts";
import { keepUpload } from "../blobs/keep-upload.ts";
import {
  clientId,
  newToken,
  newBrowser,
  newWebhook,
  obedient,
  person,
  someDraft,
  type Setup,
} from "./every-command.test-support.ts";

type Case<Name extends CommandName> =
  /** Changes nothing, so it may be repeated. */
  | "reads"
  /** Prepares the object of the command. `outside`: its effect is not in the store. */
  | { readonly outside?: true; readonly params: (setup: Setup) => Promise<CommandParams<Name>> };

export const cases: { readonly [Name in CommandName]: Case<Name> } = {
  "conversation.create": { params: async () => ({ title: "Made" }) },
  "conversation.for-settings": { params: async () => ({ systemPrompt: "Be brief." }) },
  "conversation.find": "reads",
  "conversation.delete": { params: async (setup) => ({ rootId: (await setup.said()).rootId }) },
  "conversation.rename": { params: async (setup) => ({ rootId: await setup.root(), title: "Renamed" }) },
  "conversation.arrange": { params: async (setup) => ({ rootId: await setup.root(), pinned: true }) },
  "conversation.archive": { params: async (setup) => ({ rootId: await setup.root(), archived: true }) },
  "conversation.set-model": { params: async (setup) => ({ rootId: await setup.root(), model: obedient.info.id }) },
  "conversation.set-tool-syntax": { params: async (setup) => ({ rootId: await setup.root(), toolSyntax: "caret" }) },
  "conversation.rules": { params: async (setup) => ({ rootId: await setup.root(), approvals: "all" }) },
  "conversation.trace": "reads",
  "conversation.usage": "reads",
  "conversation.segment": "reads",
  "conversation.set-canvas": { params: async (setup) => ({ rootId: await setup.root(), canvasId: null }) },
  "message.send": { params: async (setup) => ({ rootId: await setup.root(), parentNodeId: null, text: "hello" }) },
  "message.add": { params: async (setup) => ({ rootId: await setup.root(), parentNodeId: null, text: "hello" }) },
  "message.graft": {
    async params(setup) {
      const { rootId, nodeId } = await setup.said();
      await setup.rest();
      const last = must((await setup.workspace.store.nodes(rootId)).at(-1), "a reply").id;
      return { nodeId: last, fromNodeId: must(nodeId, "a question"), parentNodeId: last };
    },
  },
  "message.edit": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, text: "other" }) },
  "message.regenerate": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId }) },
  "message.continue": {
    async params(setup) {
      const { rootId } = await setup.said();
      await setup.rest();
      const nodes = await setup.workspace.store.nodes(rootId);
      return { nodeId: must(nodes.find(({ message }) => message.role === "assistant")?.id, "the model has answered") };
    },
  },
  "message.split": { params: async (setup) => ({ nodeId: (await setup.said("one two")).nodeId, at: 4 }) },
  "message.rewrite": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, text: "other" }) },
  "message.delete": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId }) },
  "message.exclude": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, excluded: true }) },
  "message.collapse": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, collapsed: true }) },
  "message.label": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, tags: ["a"] }) },
  "bookmark.list": "reads",
  "bookmark.put": { params: async (setup) => ({ title: "mark", rootId: await setup.root(), nodeId: null }) },
  "bookmark.rename": {
    async params(setup) {
      await setup.call("bookmark.put", { title: "mark", rootId: await setup.root(), nodeId: null });
      return { title: "mark", newTitle: "other" };
    },
  },
  "bookmark.delete": {
    async params(setup) {
      await setup.call("bookmark.put", { title: "mark", rootId: await setup.root(), nodeId: null });
      return { title: "mark" };
    },
  },
  "conversation.settings": { params: async (setup) => ({ rootId: await setup.root(), thinking: "low" }) },
  "share.list": "reads",
  "share.give": {
    params: async (setup) => ({ on: await shared(setup), to: { type: "everyone" }, role: "viewer" }),
  },
  "share.inherit": { params: async (setup) => ({ on: await shared(setup), inherits: false }) },
  "share.quoting": { params: async (setup) => ({ rootId: await setup.root(), by: "askers" }) },
  "share.unseen": "reads",
  "share.link": { params: async (setup) => ({ on: await shared(setup), ...newLink() }) },
  "share.end-link": {
    async params(setup) {
      const on = await shared(setup);
      return { on, linkId: (await setup.call("share.link", { on, ...newLink() })).linkId as LinkId };
    },
  },
  "person.list": "reads",
  "person.set-role": { params: async (setup) => ({ personId: await setup.colleague(), role: "editor" }) },
  "group.list": "reads",
  "group.create": { params: async () => ({ name: "Weavers" }) },
  "group.rename": { params: async (setup) => ({ groupId: await group(setup), name: "Dyers" }) },
  "group.set-member": {
    params: async (setup) => ({ groupId: await group(setup), personId: await setup.colleague(), member: true }),
  },
  "group.remove": { params: async (setup) => ({ groupId: await group(setup) }) },
  "own-key.list": "reads",
  "own-key.set": { params: async () => ({ provider: "openai", key: "sk-0123456789" }) },
  "own-key.remove": { params: async () => ({ provider: "openai" }) },
  "audit.list": "reads",
  "lock.list": "reads",
  "lock.set": { params: async () => ({ setting: "approvals", locked: true }) },
  "budget.list": "reads",
  "budget.set": {
    async params(setup) {
      return { of: { type: "person", id: await setup.colleague() }, per: "day", tokens: 1_000, dollars: null };
    },
  },
  "token.list": "reads",
  "token.create": { params: async () => newToken },
  "token.revoke": {
    async params(setup) {
      const { tokenId } = await setup.call("token.create", newToken);
      return { tokenId };
    },
  },
  "webhook.list": "reads",
  "webhook.create": { params: async () => newWebhook },
  "webhook.delete": {
    async params(setup) {
      const { webhookId } = await setup.call("webhook.create", newWebhook);
      return { webhookId };
    },
  },
  "webhook.log": "reads",
  "webhook.send": {
    outside: true,
    async params(setup) {
      const { webhookId } = await setup.call("webhook.create", newWebhook);
      return { webhookId };
    },
  },
  "push.key": "reads",
  "push.subscribe": { params: async () => newBrowser },
  "push.unsubscribe": {
    async params(setup) {
      await setup.call("push.subscribe", newBrowser);
      return { endpoint: newBrowser.endpoint };
    },
  },
  "prompt.list": "reads",
  "prompt.put": { params: async () => ({ name: "terse", text: "Be brief." }) },
  "prompt.delete": {
    async params(setup) {
      await setup.call("prompt.put", { name: "terse", text: "Be brief." });
      return { name: "terse" };
    },
  },
  "models.set-window": { outside: true, params: async () => ({ model: "test/scripted", contextTokens: 8_192 }) },
  "preset.list": "reads",
  "preset.put": { params: async () => ({ name: "three", n: 3 }) },
  "preset.delete": {
    async params(setup) {
      await setup.call("preset.put", { name: "three", n: 3 });
      return { name: "three" };
    },
  },
  "preset.activate": { params: async () => ({ name: null }) },
  "search.words": "reads",
  "run.cancel": { params: async (setup) => ({ runId: (await setup.said("ask")).runId }) },
  "run.retry": { params: async (setup) => ({ runId: (await setup.said("fail")).runId }) },
  "branch.compact": { params: async (setup) => ({ nodeId: (await setup.talked()).nodeId }) },
  "branch.originals": { params: async (setup) => ({ nodeId: (await setup.summedUp()).nodeId }) },
  "branch.summary": {
    async params(setup) {
      const { nodeId } = await setup.summedUp();
      await setup.call("branch.originals", { nodeId });
      return { nodeId };
    },
  },
  "branch.context": "reads",
  "run.summarize": { params: async (setup) => ({ runId: (await setup.said()).runId }) },
  "run.continue": {
    async params(setup) {
      const { runId } = await setup.said();
      await setup.call("run.summarize", { runId });
      return { runId };
    },
  },
  "waiting.change": {
    params: async (setup) => ({ ...(await setup.waits()), version: 1, text: "Louder.", state: "held", before: null }),
  },
  "waiting.withdraw": { params: async (setup) => ({ ...(await setup.waits()), version: 1 }) },
  "approval.answer": {
    async params(setup) {
      const canvasId = await setup.canvas();
      const { rootId } = await setup.call("conversation.create", { canvasId });
      await setup.call("conversation.rules", { rootId, approvals: "all" });
      const { runId } = await setup.said("call", rootId);
      const { state } = must(await setup.store.run(runId), "a run");
      if (state.type !== "awaiting-approval") throw new Error(`the run is ${state.type}`);
      const { callId, argumentsHash } = state.request;
      return { runId, callId, argumentsHash, decision: "allow", remember: "conversation" };
    },
  },
  "approval.rules": "reads",
  "approval.forget": { params: async () => ({ ruleId: "rule_none" }) },
  "question.answer": {
    async params(setup) {
      const { runId } = await setup.said("ask");
      return { runId, callId: "call-1" as ToolCallId, answers: [{ chosen: ["yes"] }] };
    },
  },
  "canvas.create": { params: async () => ({ title: "Made", text: "x" }) },
  "canvas.duplicate": { params: async (setup) => ({ canvasId: await setup.canvas() }) },
  "canvas.arrange": { params: async (setup) => ({ canvasId: await setup.canvas(), folderPath: "Plans" }) },
  "canvas.move-folder": {
    async params(setup) {
      await setup.call("canvas.arrange", { canvasId: await setup.canvas(), folderPath: "Plans" });
      return { from: "Plans", to: "Work" };
    },
  },
  "canvas.set-policy": { params: async (setup) => ({ canvasId: await setup.canvas(), policy: "suggest" }) },
  "canvas.default-policy": "reads",
  "canvas.set-default-policy": { params: async () => ({ policy: "suggest" }) },
  "canvas.take-control": { outside: true, params: async (setup) => ({ canvasId: await setup.canvas() }) },
  "canvas.hashes": "reads",
  "canvas.revisions": "reads",
  "canvas.compare": "reads",
  "canvas.restore": {
    async params(setup) {
      const canvasId = await setup.written();
      const then = accept(await setup.workspace.hub.reader.readAt(canvasId, 1));
      const hash = createHash("sha256").update(then.text).digest("hex");
      return { canvasId, revisionId: `1-${hash.slice(0, 8)}` };
    },
  },
  "canvas.name-version": {
    params: async (setup) => ({ canvasId: await setup.written(), revisionId: null, name: "First" }),
  },
  "canvas.suggestions": "reads",
  "canvas.text": "reads",
  "canvas.bring": {
    async params(setup) {
      const canvasId = await setup.written();
      const then = accept(await setup.workspace.hub.reader.readAt(canvasId, 1));
      const hash = createHash("sha256").update(then.text).digest("hex");
      return { canvasId, revisionId: `1-${hash.slice(0, 8)}` };
    },
  },
  "draft.documents": "reads",
  "draft.list": "reads",
  "draft.read": "reads",
  "draft.write": {
    params: async (setup) => ({
      canvasId: await setup.suggested(someDraft),
      draftId: someDraft,
      baseHash: "0".repeat(64),
      base: "",
      changes: [{ from: 0, to: 0, insert: "Mine." }],
    }),
  },
  "draft.take": { params: async (setup) => ({ canvasId: await setup.suggested(someDraft), draftId: someDraft }) },
  "draft.drop": { params: async (setup) => ({ canvasId: await setup.suggested(someDraft), draftId: someDraft }) },
  "canvas.keep-hunks": { params: async (setup) => ({ canvasId: await setup.suggested() }) },
  "canvas.reject-hunks": { params: async (setup) => ({ canvasId: await setup.suggested() }) },
  "block.undo-mine": { params: async (setup) => ({ blockId: await setup.written() }) },
  "block.redo-mine": {
    async params(setup) {
      const blockId = await setup.written();
      await setup.call("block.undo-mine", { blockId });
      return { blockId };
    },
  },
  "turn.undo": { params: async (setup) => ({ turnId: await setup.writtenByTurn() }) },
  "turn.redo": {
    async params(setup) {
      const turnId = await setup.writtenByTurn();
      await setup.call("turn.undo", { turnId });
      return { turnId };
    },
  },
  "block.delete": { params: async (setup) => ({ blockId: await setup.canvas() }) },
  "trash.list": "reads",
  "trash.restore": { params: async (setup) => ({ trashId: await setup.trashed() }) },
  "trash.purge": { params: async (setup) => ({ trashId: await setup.trashed() }) },
  "trash.settings": "reads",
  "trash.set-settings": {
    async params(setup) {
      await setup.trashed();
      return { keptDays: 90 };
    },
  },
  "comment.list": "reads",
  "comment.export": "reads",
  "comment.add": { params: async (setup) => ({ blockId: await setup.written(), text: "Why?" }) },
  "comment.reply": { params: async (setup) => ({ threadId: await setup.commented(), text: "So." }) },
  "comment.edit": { params: async (setup) => ({ threadId: await setup.commented(), seq: 1, text: "How?" }) },
  "comment.withdraw": { params: async (setup) => ({ threadId: await setup.commented(), seq: 1 }) },
  "comment.resolve": { params: async (setup) => ({ threadId: await setup.commented(), text: "Done." }) },
  "comment.reopen": {
    async params(setup) {
      const threadId = await setup.commented();
      await setup.call("comment.resolve", { threadId });
      return { threadId };
    },
  },
  "comment.move": { params: async (setup) => ({ threadId: await setup.commented() }) },
  "comment.paste": {
    async params(setup) {
      const { blockId, cut, pasted } = await setup.pasted();
      return { blockId, units: [...pasted], from: { blockId, units: [...cut] } };
    },
  },
  "comment.delete": { params: async (setup) => ({ threadId: await setup.commented() }) },
  "block.turns": "reads",
  "block.turn-change": "reads",
  "block.origins": "reads",
  "folder.list": "reads",
  "folder.instructions": "reads",
  "folder.add": { params: async (setup) => ({ path: join(setup.folder, "sub") }) },
  "folder.rename": { params: async (setup) => ({ folderId: await setup.added(), name: "Other" }) },
  "folder.set-rights": { params: async (setup) => ({ folderId: await setup.added(), rights: "read" }) },
  "folder.set-branch": { params: async (setup) => ({ folderId: await setup.added(), branch: "heddle/main" }) },
  "folder.trust": { params: async (setup) => ({ folderId: await setup.added(), trusted: true }) },
  "folder.remove": { params: async (setup) => ({ folderId: await setup.added() }) },
  "file.list": "reads",
  "file.open": { outside: true, params: async () => ({ path: "a.md" }) },
  "file.attach": { outside: true, params: async () => ({ path: "a.md" }) },
  "file.put": {
    outside: true,
    async params(setup) {
      const picture = new TextEncoder().encode("a picture");
      const put = await keepUpload(setup.workspace.blobs, { member: setup.owner() }, picture);
      if (!put.ok) throw new Error(put.error.code);
      return { path: "images/new.png", blobId: put.value.id };
    },
  },
  "file.delete": { params: async () => ({ path: "a.md" }) },
  "file.move": { params: async () => ({ path: "a.md", to: "b.md" }) },
  "file.resolve": {
    outside: true,
    async params(setup) {
      const { blockId } = await setup.call("file.open", { path: "a.md" });
      const { replicas, hub, folders } = setup.workspace;
      const author = setup.workspace.author(person, await replicas.forClient(clientId, person));
      accept(await hub.editor.edit(author, blockId, { changes: [{ from: 0, to: 3, insert: "ours" }] }));
      writeFileSync(join(setup.folder, "a.md"), "theirs\n");
      await folders.flush();
      await setup.rest();
      return { blockId, keep: "both", hash: createHash("sha256").update("theirs\n").digest("hex") };
    },
  },
  "models.syntaxes": "reads",
  "models.ask": "reads",
  "models.list": "reads",
  "provider.list": "reads",
  "provider.set-key": { outside: true, params: async () => ({ provider: "openai", key: "sk-0123456789" }) },
  "search.all": "reads",
  "file.conflict": "reads",
  "file.bring-back": {
    outside: true,
    async params(setup) {
      const { blockId } = await setup.call("file.open", { path: "a.md" });
      rmSync(join(setup.folder, "a.md"));
      await setup.workspace.folders.flush();
      await setup.rest();
      return { blockId };
    },
  },
  "provider.test": "reads",
  "provider.add": { outside: true, params: async () => ({ name: "House", address: "http://127.0.0.1:9/v1" }) },
  "provider.change": { outside: true, params: async () => ({ provider: "openai", address: null }) },
  "provider.remove": { outside: true, params: async () => ({ provider: "house" }) },
  "models.set-default": { outside: true, params: async () => ({ model: null }) },
  "mcp.add": {
    outside: true,
    params: async () => ({ server: "files", reach: { type: "stdio" as const, command: "npx" } }),
  },
  "mcp.remove": { outside: true, params: async () => ({ server: "files" }) },
  "mcp.test": "reads",
  "provider.remove-key": { outside: true, params: async () => ({ provider: "openai" }) },
  "mcp.list": "reads",
  "mcp.set-enabled": { outside: true, params: async () => ({ server: "a", enabled: false }) },
  "mcp.reload": { outside: true, params: async () => ({ server: "a" }) },
  "mcp.sign-in": { outside: true, params: async () => ({ server: "web" }) },
  "mcp.sign-out": { outside: true, params: async () => ({ server: "web" }) },
  "mcp.offers": "reads",
  "mcp.attach": "reads",
  "mcp.prompt": "reads",
  "mcp.view": "reads",
  "mcp.accept-tool": { outside: true, params: async () => ({ server: "a", tool: "b", hash: "0".repeat(64) }) },
};

export const names = Object.keys(commands) as readonly CommandName[];
export const changing = names.filter((name) => cases[name] !== "reads");

async function shared(setup: Setup) {
  return { type: "document" as const, id: await setup.canvas() };
}

const newLink = () => ({ hash: "1".repeat(64), role: "viewer" as const, expiresAt: Date.now() + 60_000 });

async function group(setup: Setup): Promise<GroupId> {
  return (await setup.call("group.create", { name: "Weavers" })).groupId as GroupId;
}
