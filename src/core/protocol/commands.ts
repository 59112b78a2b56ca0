import type { Actor } from "../base/actor.ts";
import type { BlockId, HunkId, NodeId, RequestId, RootId, RunId, ToolCallId, TurnId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { CanvasHashes, CanvasRevision } from "../block/canvas-revision.ts";
import type { Suggestion } from "../block/suggestion.ts";
import type { EditPolicy } from "../block/types.ts";
import type { Bookmark } from "../forest/types.ts";
import type { ApprovalTier, Budget, CallPolicy } from "../forest/run-rules.ts";
import type { ModelPrices } from "../model/prices.ts";
import type { Spent } from "../model/spent.ts";
import type { OpId, OpSpan } from "../text/types.ts";
import type { McpFileState, McpServerState } from "./mcp-server-state.ts";
import type { ProviderState } from "./provider-state.ts";
import type { ApprovalRule, RememberedFor } from "../turn/approval.ts";
import type { Preset, PresetList } from "../turn/preset.ts";
import type { Answer } from "../turn/question.ts";

/** How a reply is asked for; what is left out comes from the active preset, then from the conversation. */
export interface ReplyWish {
  /** How many replies side by side, each in a run of its own; from 1 to `completionsMax`. */
  readonly n?: number;
  /** `provider/model`, for this turn. */
  readonly model?: string;
  /** Upper bound of the reply in tokens, from 1. */
  readonly maxTokens?: number;
  /** From 0 to 2. */
  readonly temperature?: number;
}

/** A message or a block in which words were found, with the text around the first of them. */
export interface WordFind {
  readonly id: NodeId | BlockId;
  readonly rootId: RootId | null;
  readonly excerpt: string;
}

/** What a conversation used up, its sub-agents included, and what its budget leaves. */
export interface ConversationUsage {
  readonly total: Spent;
  /** Of those, its sub-agents. */
  readonly subAgents: Spent;
  /** Without sub-agents, in the order of their first reply. */
  readonly turns: readonly (Spent & { readonly turnId: TurnId })[];
  /** Of all together; what cost most comes first. */
  readonly models: readonly (Spent & { readonly model: string })[];
  /** What counts here: the conversation's own bounds, else the server's. */
  readonly budget: Budget;
  /** What is left for the conversation, from 0; null where there is no bound. */
  readonly left: { readonly tokens: number | null; readonly dollars: number | null };
}

/** A file of the workspace folder. */
export interface ListedFile {
  readonly path: string;
  /** null until it is opened. */
  readonly blockId: BlockId | null;
  /** Whether the block has text that is not in the file yet. */
  readonly dirty: boolean;
  /** Whether block and file were changed in ways that cannot be merged: nothing is written until a person decides. */
  readonly conflict: boolean;
  /** Why it cannot be opened, read or written just now; null: nothing is known to be in the way. */
  readonly problem: string | null;
}

/** Whose text stands after a conflict: the block's, the file's, or both, merged. */
export type KeptSide = "ours" | "theirs" | "both";

/**
 * What a client can ask for, over the WebSocket (`call`) and over HTTP (`POST /api/commands/NAME`): the parameters and
 * the answer of each. Refusals are those of the one table of codes. The schemas that read them stand beside.
 */
interface Commands {
  "conversation.create": {
    params: { title?: string; model?: string; toolSyntax?: string; canvasId?: BlockId | null };
    answer: { rootId: RootId };
  };
  /** The conversation that was asked for with these settings before, or a new one. */
  "conversation.for-settings": { params: { systemPrompt?: string; model?: string }; answer: { rootId: RootId } };
  /** For good, with the agents that worked for it; AGENT_BUSY while a run works. Canvases stay. */
  "conversation.delete": { params: { rootId: RootId }; answer: Record<never, never> };
  "conversation.rename": { params: { rootId: RootId; title: string }; answer: Record<never, never> };
  "conversation.set-model": { params: { rootId: RootId; model: string }; answer: Record<never, never> };
  /** As in `--tool-syntax`; null: the model and the server's settings decide. */
  "conversation.set-tool-syntax": {
    params: { rootId: RootId; toolSyntax: string | null };
    answer: Record<never, never>;
  };
  /** What is left out stays; null: as the server is set. Counts from the next reply on. */
  "conversation.rules": {
    params: {
      rootId: RootId;
      approvals?: ApprovalTier | null;
      callPolicy?: CallPolicy | null;
      budget?: Budget | null;
    };
    answer: Record<never, never>;
  };
  /** What its runs took and came to, and those of its sub-agents: the text of a trace file. Longer ones come over HTTP. */
  "conversation.trace": { params: { rootId: RootId }; answer: { trace: string } };
  "conversation.usage": { params: { rootId: RootId }; answer: ConversationUsage };
  "conversation.set-canvas": { params: { rootId: RootId; canvasId: BlockId | null }; answer: Record<never, never> };
  /** `parentNodeId` is the last message of the branch that is answered; null starts a first branch. */
  "message.send": {
    params: ReplyWish & {
      rootId: RootId;
      parentNodeId: NodeId | null;
      /** May be blank where something is attached. */
      text: string;
      /** Images and files that were uploaded before (`POST /api/blobs`). */
      attachments?: readonly { blobId: string; name?: string }[];
      queue?: boolean;
    };
    answer: { nodeId: NodeId | null; runId: RunId; runIds: readonly RunId[]; queued: boolean };
  };
  /** Puts a message of a person's below another and asks no model; what stands there already is found, not made again. */
  "message.add": {
    params: {
      rootId: RootId;
      parentNodeId: NodeId | null;
      text: string;
      attachments?: readonly { blobId: string; name?: string }[];
    };
    answer: { nodeId: NodeId | null };
  };
  /** Editing a question makes a branch: a sibling with the new text, and a reply to it. */
  "message.edit": {
    params: { nodeId: NodeId; text: string };
    answer: { nodeId: NodeId; runId: RunId };
  };
  /** More replies to the same question, beside the first; any model can be asked at any message. */
  "message.regenerate": {
    params: ReplyWish & { nodeId: NodeId };
    answer: { runId: RunId; runIds: readonly RunId[] };
  };
  /** Makes two messages of one, cut at a UTF-16 unit of its text; the answer is the new one, which holds the first half. */
  "message.split": { params: { nodeId: NodeId; at: number }; answer: { nodeId: NodeId } };
  /** Gives a message another text, which shares with the old one what they begin with. No model is asked. */
  "message.rewrite": {
    params: { nodeId: NodeId; text: string };
    answer: { nodeId: NodeId };
  };
  /** With everything below it, or (`reparent`) alone. What carries bookmarks stays unless `force`. */
  "message.delete": {
    params: { nodeId: NodeId; reparent?: boolean; force?: boolean };
    answer: { nodeIds: readonly NodeId[] };
  };
  /** What is left out stays as it is; null and an empty list take away. */
  "message.label": {
    params: { nodeId: NodeId; tags?: readonly string[]; customData?: JsonObject | null };
    answer: Record<never, never>;
  };
  /** Of one conversation, or of all. */
  "bookmark.list": { params: { rootId?: RootId }; answer: { bookmarks: readonly Bookmark[] } };
  /** Sets the bookmark of that title, or moves it; `nodeId` null is the conversation itself. */
  "bookmark.put": {
    params: { title: string; rootId: RootId; nodeId: NodeId | null };
    answer: { bookmark: Bookmark };
  };
  "bookmark.rename": { params: { title: string; newTitle: string }; answer: { bookmark: Bookmark } };
  "bookmark.delete": { params: { title: string }; answer: Record<never, never> };
  "preset.list": { params: Record<never, never>; answer: PresetList };
  "preset.put": { params: Preset; answer: PresetList };
  "preset.delete": { params: { name: string }; answer: PresetList };
  /** null clears. */
  "preset.activate": { params: { name: string | null }; answer: PresetList };
  /** Best first. */
  "search.words": {
    params: { words: string; in: "messages" | "blocks"; rootId?: RootId; limit?: number };
    answer: { matches: readonly WordFind[] };
  };
  "run.cancel": { params: { runId: RunId }; answer: Record<never, never> };
  /** Ask again after an error. */
  "run.retry": { params: { runId: RunId }; answer: Record<never, never> };
  /** Sums the branch up now, as if the model's window were full; from then on it can only be read, or gone on with. */
  "run.summarize": { params: { runId: RunId }; answer: Record<never, never> };
  /**
   * Goes on with a branch that is full: a new branch that begins with its summary, and the run at it. Asked again, it
   * gives the same.
   */
  "run.continue": { params: { runId: RunId }; answer: { nodeId: NodeId; runId: RunId } };
  /**
   * A person's word on the call that waits for it (`awaiting-approval`). `remember` makes an allowed call's rule. One
   * answer counts: what comes later is APPROVAL_CLOSED.
   */
  "approval.answer": {
    params: {
      runId: RunId;
      callId: ToolCallId;
      argumentsHash: string;
      decision: "allow" | "deny";
      remember: RememberedFor;
      /** Why, or what to do instead: told to the model with a denial. */
      note?: string;
    };
    answer: Record<never, never>;
  };
  /** The rules that count in a conversation, or (null) in all; oldest first. */
  "approval.rules": { params: { rootId: RootId | null }; answer: { rules: readonly ApprovalRule[] } };
  /** Calls that the rule allowed need a person again. One that is not there is forgotten already. */
  "approval.forget": { params: { ruleId: string }; answer: Record<never, never> };
  /** One answer for each question, in their order; null: the person would rather not. */
  "question.answer": {
    params: { runId: RunId; callId: ToolCallId; answers: readonly Answer[] | null };
    answer: Record<never, never>;
  };
  "canvas.create": { params: { title: string; text?: string }; answer: { canvasId: BlockId } };
  "canvas.set-policy": { params: { canvasId: BlockId; policy: EditPolicy }; answer: Record<never, never> };
  /** The policy that new canvases begin with. */
  "canvas.default-policy": { params: Record<never, never>; answer: { policy: EditPolicy } };
  "canvas.set-default-policy": { params: { policy: EditPolicy }; answer: { policy: EditPolicy } };
  /** Cancels the run that holds the lease and raises the epoch: nothing more of it is written. */
  "canvas.take-control": { params: { canvasId: BlockId }; answer: { epoch: number; cancelledRunId: RunId | null } };
  /** The canvas's text as it is written and as it was committed last, by hashes. */
  "canvas.hashes": { params: { canvasId: BlockId }; answer: CanvasHashes };
  /** Committed revisions, newest first; `more`: there are older ones. */
  "canvas.revisions": {
    params: { canvasId: BlockId; beforeVersion?: number; limit?: number };
    answer: { revisions: readonly CanvasRevision[]; more: boolean };
  };
  /** A unified diff from one revision to another; null is the text as it is now. `truncated`: it was too long to send whole. */
  "canvas.compare": {
    params: { canvasId: BlockId; from: string | null; to: string | null };
    answer: { from: string; to: string; diff: string; truncated: boolean };
  };
  /** Makes the canvas say again what it said at a revision: an edit, which is undone like any other. */
  "canvas.restore": {
    params: { canvasId: BlockId; revisionId: string };
    answer: { version: number; revisionId: string };
  };
  /**
   * What agents suggest for a canvas and a person has still to decide, oldest first; with `decided`, the newest 200 of those
   * that were decided as well, as far as they are kept.
   */
  "canvas.suggestions": {
    params: { canvasId: BlockId; decided?: boolean };
    answer: { suggestions: readonly Suggestion[] };
  };
  /**
   * Makes suggested hunks in the canvas, as one step that is undone like an edit. Named ones all or none: SUGGESTION_CONFLICT
   * where some do not stand, SUGGESTION_DECIDED where some are not open. Without names, all that stand; the others stay open.
   */
  "canvas.keep-hunks": { params: ReviewedParams; answer: ReviewedHunks };
  /** Turns suggested hunks down, as one step that is undone like an edit; without names all that are open. */
  "canvas.reject-hunks": { params: ReviewedParams; answer: ReviewedHunks };
  /** Undoes the caller's own last unit. */
  "block.undo-mine": { params: { blockId: BlockId }; answer: { version: number } };
  "block.redo-mine": { params: { blockId: BlockId }; answer: { version: number } };
  /** Undoes everything that one turn of an agent did, in every block it touched. `changedByOthers` names what others had edited in it since. */
  "turn.undo": { params: { turnId: TurnId }; answer: { blocks: readonly TurnedBlock[] } };
  "turn.redo": { params: { turnId: TurnId }; answer: { blocks: readonly TurnedBlock[] } };
  /** Turns of agents that changed this block, newest first, and whether they stand undone. */
  "block.turns": {
    params: { blockId: BlockId };
    answer: { turns: readonly { turnId: TurnId; actorName: string; at: number; undone: boolean }[] };
  };
  /**
   * What a turn changed in a block, as a unified diff without what others wrote meanwhile: what undoing it would take out,
   * or, where it is undone, what would come back. `truncated`: it was too long to send whole.
   */
  "block.turn-change": {
    params: { blockId: BlockId; turnId: TurnId };
    answer: { diff: string; undone: boolean; truncated: boolean };
  };
  /** Which change wrote each of these units of a text, in the order asked; null where that change is kept no more. */
  "block.origins": {
    params: { blockId: BlockId; ops: readonly OpId[] };
    answer: { origins: readonly (OpOrigin | null)[] };
  };
  /**
   * Files of the workspace folder whose path contains these letters, whatever their case: the opened ones first. `folder`
   * is null where the server has none; `truncated`: there are more. `openedOnly` looks at no disk.
   */
  "file.list": {
    params: { containing?: string; openedOnly?: boolean };
    answer: { folder: string | null; files: readonly ListedFile[]; truncated: boolean };
  };
  /** The block of a file; its text is read and edited there from then on, and written back. */
  "file.open": { params: { path: string }; answer: { blockId: BlockId } };
  /** Ends a conflict between a block and its file, as it was shown: `hash` is the one in the block's `metadata.conflict`. */
  "file.resolve": { params: { blockId: BlockId; keep: KeptSide; hash: string }; answer: Record<never, never> };
  "models.list": {
    params: Record<never, never>;
    answer: {
      models: readonly {
        id: string;
        name: string;
        contextTokensMax: number;
        tools: boolean;
        local: boolean;
        /** null where nobody knows. */
        vision: boolean | null;
        /** US dollars for a million tokens; null where nobody knows. */
        prices: ModelPrices | null;
      }[];
    };
  };
  /** Every provider, what opens it, its models; where the data and the catalogue's file are, and what is wrong with that file. */
  "provider.list": {
    params: Record<never, never>;
    answer: {
      providers: readonly ProviderState[];
      dataFolder: string | null;
      modelsFile: { path: string; problem: string | null } | null;
    };
  };
  /** Keeps a provider's key; nothing ever gives it back. */
  "provider.set-key": { params: { provider: string; key: string }; answer: Record<never, never> };
  "provider.remove-key": { params: { provider: string }; answer: Record<never, never> };
  /** The servers of tools that the owner has written down, and what is wrong with that file; null where there is none. */
  "mcp.list": {
    params: Record<never, never>;
    answer: { servers: readonly McpServerState[]; file: McpFileState | null };
  };
  /** Stands over what the file says, until it is said again. */
  "mcp.set-enabled": { params: { server: string; enabled: boolean }; answer: Record<never, never> };
  /** Reads the file, and connects this server anew; without one, each that is not connected. */
  "mcp.reload": { params: { server?: string }; answer: Record<never, never> };
  /** Lets models have a tool again that has changed, if it still says what the hash names. */
  "mcp.accept-tool": { params: { server: string; tool: string; hash: string }; answer: Record<never, never> };
}

/** What a review step is about: the open hunks that are named, all or none of them, or all. */
interface ReviewedParams {
  readonly canvasId: BlockId;
  readonly hunkIds?: readonly HunkId[];
  /** Of those that are named, what can be decided so. */
  readonly asFarAsPossible?: boolean;
}

/** What a review step did. */
export interface ReviewedHunks {
  /** The canvas after it. */
  readonly version: number;
  readonly revisionId: string;
  /** What was decided. */
  readonly hunkIds: readonly HunkId[];
  /** What could not be kept, because the lines have changed since: still open. */
  readonly conflicts: readonly HunkId[];
}

/** A block that undoing or redoing a turn changed; what others had changed in it since stays. */
interface TurnedBlock {
  readonly blockId: BlockId;
  readonly version: number;
  readonly changedByOthers: readonly string[];
}

/** Where a unit of a text comes from: the change that wrote it, and for an agent's where it was told to. */
export interface OpOrigin {
  /** The units of that change around the one asked for. */
  readonly span: OpSpan;
  /** The version of the block that the change made. */
  readonly version: number;
  /** UTC milliseconds. */
  readonly at: number;
  readonly actor: Actor;
  /** The person who kept it, where the actor had only suggested it; else null. */
  readonly keptBy: Actor | null;
  /** The conversation of the agent's run; null for what people wrote, and where it is gone. */
  readonly rootId: RootId | null;
}

/** What a client can ask for, by name. */
export type CommandName = keyof Commands;
/** What a command takes, and what it answers. */
export type CommandParams<Name extends CommandName> = Commands[Name]["params"];

/** The parameters as a caller gives them. Under a `clientRequestId` of its own a request takes effect once, wherever it is sent again. */
export type CallParams<Name extends CommandName> = CommandParams<Name> & { readonly clientRequestId?: RequestId };
export type CommandAnswer<Name extends CommandName> = Commands[Name]["answer"];
