import type { Actor, PersonActor } from "../../core/base/actor.ts";
import { unreachable } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { isOpen } from "../../core/block/suggestion.ts";
import type { Bookmark } from "../../core/forest/types.ts";
import type { CommandAnswer, CommandName } from "../../core/protocol/commands.ts";
import type { ReadCommand } from "../../core/protocol/read-command.ts";
import type { AgentId } from "../../core/text/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { authorise, type Resource, type Verb } from "../authorise.ts";
import {
  boundedDiff,
  canvasHashes,
  canvasRevisions,
  compareRevisions,
  restoreRevision,
} from "../canvas/canvas-revisions.ts";
import { wholeTrace } from "../conversation/trace-text.ts";
import { clientKey } from "../client-key.ts";
import { notRemembered, type Remember } from "../once.ts";
import { defaultPolicy, setDefaultPolicy } from "../canvas/default-policy.ts";
import type { Author } from "../document/types.ts";
import type { Workspace } from "../workspace.ts";
import { listFiles, noFolderWords } from "./list-files.ts";
import { performMcpCommand } from "./mcp-commands.ts";
import { addMessage, sendMessage } from "./send-message.ts";
import { findWords } from "./find-words.ts";

/** Who asks, and as which agent. */
export interface Caller {
  readonly actor: PersonActor;
  /** Whose requests have ids of their own: the page's, or that of all programs over HTTP. */
  readonly clientId: string;
  /** The agent that the caller's page edits as: undo and redo of its own edits go by it. */
  readonly agent: AgentId;
}

type Answered = Result<CommandAnswer<CommandName>, Refusal>;

/**
 * Carries out a command: whether the caller may, then what it says. One that changes something takes effect once for the
 * request id that its client gave it, also when it comes again after a crash.
 */
export async function performCommand(
  workspace: Workspace,
  caller: Caller,
  command: ReadCommand,
  requestId: RequestId | undefined = command.clientRequestId,
): Promise<Answered> {
  const [verb, resource] = accessOf(command);
  const allowed = authorise(caller.actor, verb, resource);
  if (!allowed.ok) return allowed;
  const work = async (remember: Remember<CommandAnswer<CommandName>>): Promise<Answered> => {
    const noCanvas = await whyNoCanvas(workspace, canvasNamedIn(command));
    return noCanvas === null ? perform(workspace, caller, command, remember) : err(noCanvas);
  };
  // What is only read may be long, and is read again as well as remembered.
  if (verb === "read" || requestId === undefined) return work(notRemembered);
  const { name, params } = command;
  const clientId = clientKey(caller.clientId, caller.actor);
  return workspace.once.run({ clientId, requestId, asked: { command: name, params } }, work);
}

async function perform(
  workspace: Workspace,
  { actor, agent }: Caller,
  command: ReadCommand,
  remember: Remember<CommandAnswer<CommandName>>,
): Promise<Answered> {
  const { conversations, hub } = workspace;
  const author = (): Author => workspace.author(actor, agent);
  /** For what the hub stores, which is of no conversation. */
  const also = (version: number): readonly StoreWrite[] => remember({ version }, null);
  switch (command.name) {
    case "conversation.create": {
      const created = await conversations.createConversation(actor, command.params, remember);
      return created.ok ? ok({ rootId: created.value.id }) : created;
    }
    case "conversation.for-settings": {
      const found = await conversations.rootFor(actor, command.params, remember);
      return found.ok ? ok({ rootId: found.value.id }) : found;
    }
    case "conversation.delete":
      return nothing(await conversations.deleteConversation(actor, command.params.rootId, remember));
    case "conversation.rename":
      return nothing(await conversations.rename(actor, command.params, remember));
    case "conversation.set-model":
      return nothing(await conversations.setModel(actor, command.params, remember));
    case "conversation.set-tool-syntax":
      return nothing(await conversations.setToolSyntax(actor, command.params, remember));
    case "conversation.rules":
      return nothing(await conversations.setRules(actor, command.params, remember));
    case "conversation.trace":
      return wholeTrace(workspace.store, command.params.rootId, workspace.platform.clock.now());
    case "conversation.usage":
      return conversations.usage(command.params.rootId);
    case "conversation.set-canvas":
      return nothing(await conversations.setCanvas(actor, command.params, remember));
    case "message.send":
      return sendMessage(workspace, actor, command.params, remember);
    case "message.add":
      return addMessage(workspace, actor, command.params, remember);
    case "message.edit":
      return conversations.editMessage(actor, command.params, remember);
    case "message.regenerate":
      return conversations.regenerate(actor, command.params, remember);
    case "message.split":
      return conversations.splitNode(actor, command.params, remember);
    case "message.rewrite": {
      const { nodeId, text } = command.params;
      return conversations.editContent(actor, { nodeId, content: [{ type: "text", text }] }, remember);
    }
    case "message.delete": {
      const { nodeId, reparent = false, force = false } = command.params;
      const mode = reparent ? "reparent" : "cascade";
      return conversations.deleteNode(actor, { nodeId, mode, force }, remember);
    }
    case "message.label":
      return nothing(await conversations.labelNode(actor, command.params, remember));
    case "bookmark.list":
      return ok({ bookmarks: await conversations.bookmarks.list(command.params.rootId ?? null) });
    case "bookmark.put":
      return bookmarked(await conversations.bookmarks.put(command.params, remember));
    case "bookmark.rename":
      return bookmarked(await conversations.bookmarks.rename(command.params, remember));
    case "bookmark.delete":
      return nothing(await conversations.bookmarks.remove(command.params.title, remember));
    case "preset.list":
      return ok(await conversations.presets.list());
    case "preset.put":
      return conversations.presets.put(command.params, remember);
    case "preset.delete":
      return conversations.presets.remove(command.params.name, remember);
    case "preset.activate":
      return conversations.presets.activate(command.params.name, remember);
    case "search.words":
      return ok({ matches: await findWords(workspace.store, command.params) });
    case "run.cancel":
      return nothing(await conversations.cancel(actor, { ...command.params, reason: "stopped" }, remember));
    case "run.retry":
      return nothing(await conversations.retry(actor, command.params, remember));
    case "run.summarize":
      return nothing(await conversations.summarize(actor, command.params, remember));
    case "run.continue":
      return conversations.continueRun(actor, command.params, remember);
    case "approval.answer":
      return nothing(await conversations.approvals.answer(actor, command.params, remember));
    case "approval.rules": {
      const rules = await conversations.approvals.rules(command.params.rootId);
      return rules.ok ? ok({ rules: rules.value }) : rules;
    }
    case "approval.forget":
      return nothing(await conversations.approvals.forget(command.params.ruleId, remember));
    case "question.answer":
      return nothing(await conversations.answerQuestion(actor, command.params, remember));
    case "canvas.create": {
      const created = await workspace.createCanvas(author(), command.params, remember);
      return created.ok ? ok({ canvasId: created.value }) : created;
    }
    case "canvas.set-policy": {
      const { canvasId, policy } = command.params;
      return nothing(await hub.editor.setPolicy(author(), canvasId, policy, { also: () => remember({}, null) }));
    }
    case "canvas.default-policy":
      return ok({ policy: await defaultPolicy(workspace.store) });
    case "canvas.set-default-policy":
      return setDefaultPolicy(workspace.store, command.params.policy, remember);
    case "canvas.take-control":
      return takeControl(workspace, actor, command.params.canvasId, remember);
    case "canvas.hashes":
      return canvasHashes(workspace, command.params.canvasId);
    case "canvas.revisions":
      return ok(await canvasRevisions(workspace, command.params));
    case "canvas.compare":
      return compareRevisions(workspace, command.params);
    case "canvas.restore":
      return restoreRevision(workspace, author(), command.params, remember);
    case "canvas.suggestions": {
      const { canvasId, decided = false } = command.params;
      return hub.suggestions.list(canvasId, decided, (found) => {
        const newest = found.filter((suggestion) => !isOpen(suggestion)).slice(-decidedShownMax);
        const shown = new Set(newest);
        return { suggestions: found.filter((suggestion) => isOpen(suggestion) || shown.has(suggestion)) };
      });
    }
    case "canvas.keep-hunks": {
      const { canvasId, hunkIds, asFarAsPossible } = command.params;
      return hub.suggestions.keep(author(), canvasId, hunkIds, {
        asFarAsPossible,
        also: (reviewed) => remember(reviewed, null),
      });
    }
    case "canvas.reject-hunks": {
      const { canvasId, hunkIds, asFarAsPossible } = command.params;
      return hub.suggestions.reject(author(), canvasId, hunkIds, {
        asFarAsPossible,
        also: (reviewed) => remember(reviewed, null),
      });
    }
    case "block.undo-mine": {
      const undone = await hub.history.undo(author(), command.params.blockId, { also });
      return undone.ok ? ok({ version: undone.value.version }) : undone;
    }
    case "block.redo-mine": {
      const redone = await hub.history.redo(author(), command.params.blockId, { also });
      return redone.ok ? ok({ version: redone.value.version }) : redone;
    }
    case "turn.undo": {
      const undone = await hub.history.undoTurn(author(), command.params.turnId, (blocks) =>
        remember({ blocks }, null),
      );
      return undone.ok ? ok({ blocks: undone.value }) : undone;
    }
    case "turn.redo": {
      const redone = await hub.history.redoTurn(author(), command.params.turnId, (blocks) =>
        remember({ blocks }, null),
      );
      return redone.ok ? ok({ blocks: redone.value }) : redone;
    }
    case "block.turns": {
      const turns = await hub.history.turnsOf(command.params.blockId);
      return turns.ok ? ok({ turns: turns.value }) : turns;
    }
    case "block.turn-change": {
      const { blockId, turnId } = command.params;
      const preview = await hub.history.previewTurn(blockId, turnId);
      return preview.ok ? ok({ ...preview.value, ...boundedDiff(preview.value.diff) }) : preview;
    }
    case "block.origins":
      return workspace.origins.of(command.params);
    case "file.list":
      return listFiles(workspace.files, command.params);
    case "file.open": {
      const opened = (await workspace.files?.open(command.params.path)) ?? noFolder;
      return opened.ok ? ok({ blockId: opened.value }) : opened;
    }
    case "file.resolve": {
      const { blockId, keep, hash } = command.params;
      return nothing((await workspace.files?.resolve(author(), blockId, keep, hash)) ?? noFolder);
    }
    case "models.list":
      return ok({
        models: workspace.catalogue
          .list()
          .map(({ id, name, contextTokensMax, tools, local, vision = null, prices = null }) => ({
            id,
            name,
            contextTokensMax,
            tools,
            local,
            vision,
            prices,
          })),
      });
    case "provider.list":
      return ok({
        providers: workspace.modelSettings?.providers() ?? [],
        dataFolder: workspace.dataFolder,
        modelsFile: workspace.modelSettings?.modelsFile() ?? null,
      });
    case "provider.set-key": {
      const { provider, key } = command.params;
      return nothing((await workspace.modelSettings?.setKey(provider, key)) ?? noSettings);
    }
    case "provider.remove-key":
      return nothing((await workspace.modelSettings?.removeKey(command.params.provider)) ?? noSettings);
    case "mcp.list":
    case "mcp.set-enabled":
    case "mcp.reload":
    case "mcp.accept-tool":
      return performMcpCommand(workspace.mcp, command);
    default:
      return unreachable(command);
  }
}

/** How many suggestions that are decided one answer has, the newest. */
const decidedShownMax = 200;

const noFolder = err(refusal("FILE_NOT_FOUND", {}, noFolderWords));
const noSettings = err(refusal("FORBIDDEN", {}, "This server has no place to keep keys."));

/** The canvas that a command is about to take for one; null for none. */
function canvasNamedIn({ params }: ReadCommand): BlockId | null {
  return "canvasId" in params ? (params.canvasId ?? null) : null;
}

async function whyNoCanvas({ store }: Workspace, canvasId: BlockId | null): Promise<Refusal | null> {
  if (canvasId === null) return null;
  const header = await store.block(canvasId);
  return header?.policy === undefined ? refusal("BLOCK_NOT_FOUND", { block_id: canvasId }) : null;
}

/** What a command does to what. */
export function accessOf(command: ReadCommand): readonly [Verb, Resource] {
  switch (command.name) {
    case "conversation.create":
    case "conversation.for-settings":
    case "canvas.create":
    case "canvas.set-default-policy":
    case "approval.forget":
    case "bookmark.rename":
    case "bookmark.delete":
    case "preset.put":
    case "preset.delete":
    case "preset.activate":
    case "provider.set-key":
    case "provider.remove-key":
    case "mcp.set-enabled":
    case "mcp.reload":
    case "mcp.accept-tool":
    case "file.open":
      return ["write", { type: "workspace" }];
    case "models.list":
    case "canvas.default-policy":
    case "provider.list":
    case "mcp.list":
    case "preset.list":
    case "file.list":
      return ["read", { type: "workspace" }];
    case "bookmark.list":
    case "search.words": {
      const { rootId } = command.params;
      return ["read", rootId === undefined ? { type: "workspace" } : { type: "conversation", id: rootId }];
    }
    case "conversation.delete":
    case "conversation.rename":
    case "conversation.set-model":
    case "conversation.set-tool-syntax":
    case "conversation.rules":
    case "conversation.set-canvas":
    case "message.send":
    case "message.add":
    case "bookmark.put":
      return ["write", { type: "conversation", id: command.params.rootId }];
    case "message.edit":
    case "message.regenerate":
    case "message.split":
    case "message.rewrite":
    case "message.delete":
    case "message.label":
      return ["write", { type: "node", id: command.params.nodeId }];
    case "conversation.trace":
    case "conversation.usage":
      return ["read", { type: "conversation", id: command.params.rootId }];
    case "approval.rules": {
      const { rootId } = command.params;
      return ["read", rootId === null ? { type: "workspace" } : { type: "conversation", id: rootId }];
    }
    case "run.cancel":
    case "run.retry":
    case "run.summarize":
    case "run.continue":
    case "approval.answer":
    case "question.answer":
      return ["write", { type: "run", id: command.params.runId }];
    case "canvas.set-policy":
    case "canvas.take-control":
    case "canvas.restore":
    case "canvas.keep-hunks":
    case "canvas.reject-hunks":
      return ["write", { type: "block", id: command.params.canvasId }];
    case "canvas.hashes":
    case "canvas.revisions":
    case "canvas.compare":
    case "canvas.suggestions":
      return ["read", { type: "block", id: command.params.canvasId }];
    case "block.undo-mine":
    case "block.redo-mine":
    case "file.resolve":
      return ["write", { type: "block", id: command.params.blockId }];
    case "block.turns":
    case "block.turn-change":
    case "block.origins":
      return ["read", { type: "block", id: command.params.blockId }];
    case "turn.undo":
    case "turn.redo":
      return ["write", { type: "turn", id: command.params.turnId }];
    default:
      return unreachable(command);
  }
}

/** The epoch rises first: from then on nothing of the run is written, however long its end takes. */
async function takeControl(
  { leases, conversations }: Workspace,
  actor: Actor,
  canvasId: BlockId,
  remember: Remember<CommandAnswer<"canvas.take-control">>,
): Promise<Result<CommandAnswer<"canvas.take-control">, Refusal>> {
  const taken = await leases.takeControl(canvasId);
  if (!taken.ok) return taken;
  const { epoch, runId } = taken.value;
  if (runId === null) return ok({ epoch, cancelledRunId: null });
  const cancelled = await conversations.cancel(actor, { runId, reason: "control-taken" }, (_done, rootId) =>
    remember({ epoch, cancelledRunId: runId }, rootId),
  );
  return ok({ epoch, cancelledRunId: cancelled.ok ? runId : null });
}

function nothing(result: Result<unknown, Refusal>): Result<Record<never, never>, Refusal> {
  return result.ok ? ok({}) : result;
}

function bookmarked(result: Result<Bookmark, Refusal>): Result<{ readonly bookmark: Bookmark }, Refusal> {
  return result.ok ? ok({ bookmark: result.value }) : result;
}
