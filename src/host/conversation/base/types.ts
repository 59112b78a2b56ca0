import type { TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { Actor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, FolderId, NodeId, RootId, RunId, TrashId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { Result } from "../../../core/base/result.ts";
import type {
  ApprovalTier,
  Budget,
  CallPolicy,
  CompactionSettings,
  ThinkingLevel,
} from "../../../core/forest/run-rules.ts";
import type { ConversationSummary } from "../../../core/forest/list.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { Match } from "../../../core/message/normalize.ts";
import type { TextBlock } from "../../../core/message/types.ts";
import type { FileBlock, ImageBlock } from "../../../core/message/types.ts";
import type { SegmentFacts, SegmentRequest } from "../../../core/protocol/base/messages.ts";
import type { BranchContext, CommandParams, ConversationUsage, ReplyOptions } from "../../../core/protocol/commands.ts";
import type { ApprovalRule } from "../../../core/turn/state/approval.ts";
import type { FeedRecord, RunStatus } from "../../../core/turn/state/feed.ts";
import type { NamedPrompt } from "../../../core/turn/state/named-prompt.ts";
import type { Preset, PresetList } from "../../../core/turn/state/preset.ts";
import type { Delivery, WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { CancelReason, CompactionWish } from "../../../core/turn/state/state.ts";
import type { Remember } from "../../base/once.ts";

/** The values a conversation starts with; the settings provide what is left out. */
export interface NewConversation {
  readonly title?: string;
  readonly systemPrompt?: string;
  /** `provider/model`. */
  readonly model?: string;
  /** As in `--tool-syntax`; if left out, the model and the settings decide. */
  readonly toolSyntax?: string;
  readonly canvasId?: BlockId | null;
  /** The folder to work in; never changes. null: none; left out: the canvas's folder, or the default one. */
  readonly folderId?: FolderId | null;
  readonly thinking?: ThinkingLevel;
  readonly toolsOff?: readonly string[];
  readonly fallbacks?: readonly string[];
  readonly serverTools?: readonly string[];
}

export interface NewMessage extends ReplyOptions {
  readonly rootId: RootId;
  /** The last message of the branch to answer; null starts a first branch. */
  readonly parentNodeId: NodeId | null;
  /** May be blank if there are images or files. */
  readonly text: string;
  /** Images and files; they precede the text. */
  readonly media?: readonly (ImageBlock | FileBlock)[];
  /** How the message is delivered while the run of its branch is at work; by default it is refused. */
  readonly deliver?: Delivery;
}

/** Messages from another program, unvalidated; they are validated as a whole. */
export interface NewMessages {
  readonly rootId: RootId;
  /** The node they follow; null for the beginning. */
  readonly parentNodeId: NodeId | null;
  readonly messages: readonly unknown[];
  /** When a message equals an existing one: exactly (default), or ignoring blanks at the ends of its texts. */
  readonly match?: Match;
  /** The node at the end of the branch that they were copied from: what a model said there keeps that branch's taint. */
  readonly copiedFrom?: NodeId;
}

/** The runs that answer, one per requested reply; `runId` is the first. */
export type RequestedRuns = {
  readonly runId: RunId;
  readonly runIds: readonly RunId[];
};

/** Where a message was placed. While it waits, `nodeId` is null and `waitingId` is the id that its node will have. */
export type SentMessage = RequestedRuns & {
  readonly nodeId: NodeId | null;
  readonly queued: boolean;
  readonly waitingId: NodeId | null;
};

/** A changed waiting message: its new version, and its node if it was sent. */
export type ChangedWaiting = { readonly version: number; readonly nodeId: NodeId | null };

/** What a withdrawn message said. */
export type WithdrawnMessage = { readonly text: string };

/** The node whose path contains the result of a change. */
export type ChangedNode = { readonly nodeId: NodeId };

/** Labels of a node; a field left out keeps its value, null removes it. */
export interface NodeLabels {
  readonly tags?: readonly string[];
  readonly customData?: JsonObject | null;
}

/** The last appended node; null if nothing was appended at the beginning. */
export type AppendedMessages = { readonly nodeId: NodeId | null };

/** An edited message, and the run that answers it. */
export type EditedMessage = { readonly nodeId: NodeId; readonly runId: RunId };

/** The answer of a command that returns nothing. */
export type Done = Record<never, never>;

/** The answer of a command that creates a conversation or finds the requested one. */
export type CreatedConversation = { readonly rootId: RootId };

/** The answer of a command that sets a bookmark. */
export type BookmarkAnswer = { readonly bookmark: Bookmark };

/** The place of a bookmark; null for the conversation itself. */
export interface BookmarkPlace {
  readonly title: string;
  readonly rootId: RootId;
  readonly nodeId: NodeId | null;
}

/** The bookmarks of a workspace, by title. */
export interface Bookmarks {
  /** Lists the bookmarks of one conversation, or of all. */
  list(rootId: RootId | null): Promise<readonly Bookmark[]>;
  /** Sets a bookmark, or moves the bookmark with that title here, even from another conversation. */
  put(place: BookmarkPlace, remember?: Remember<BookmarkAnswer>): Promise<Result<Bookmark, Refusal>>;
  rename(
    change: { readonly title: string; readonly newTitle: string },
    remember?: Remember<BookmarkAnswer>,
  ): Promise<Result<Bookmark, Refusal>>;
  /** Succeeds if there is no such bookmark. */
  remove(title: string, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/**
 * A change to the rules for the runs of a conversation; a field left out keeps its value, null restores the server's
 * setting.
 */
export interface RuleChange {
  readonly approvals?: ApprovalTier | null;
  readonly callPolicy?: CallPolicy | null;
  readonly budget?: Budget | null;
  readonly compaction?: CompactionSettings | null;
}

/**
 * A change to how models are asked in a conversation; a field left out keeps its value, null restores the server's setting.
 */
export interface SettingsChange {
  readonly systemPrompt?: string | null;
  readonly thinking?: ThinkingLevel | null;
  readonly toolsOff?: readonly string[] | null;
  readonly fallbacks?: readonly string[] | null;
  readonly serverTools?: readonly string[] | null;
}

/** A person's decision on a call that waits for approval. */
export type ApprovalAnswer = CommandParams<"approval.answer">;

/** A person's answers to the questions of a call. */
export type QuestionAnswer = CommandParams<"question.answer">;

/** The branch that continues a full one. */
export type ContinuedRun = {
  readonly nodeId: NodeId;
  readonly runId: RunId;
};

/** Approval of calls, and the rules that people made for further calls. */
export interface Approvals {
  /** Decides a waiting call. APPROVAL_CLOSED if it no longer waits, or is another call. */
  answer(actor: Actor, answer: ApprovalAnswer, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** Lists the rules of a conversation, or (null) those for all conversations; oldest first. */
  rules(rootId: RootId | null): Promise<Result<readonly ApprovalRule[], Refusal>>;
  /** Succeeds if there is no such rule. */
  forget(ruleId: string, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/** The named system prompts, by name. */
export type PromptList = { readonly prompts: readonly NamedPrompt[] };

/** The named system prompts of a workspace. Each change returns the new list. */
export interface Prompts {
  list(): Promise<readonly NamedPrompt[]>;
  /** Adds a prompt, or replaces the prompt with that name. */
  put(prompt: NamedPrompt, remember?: Remember<PromptList>): Promise<Result<PromptList, Refusal>>;
  remove(name: string, remember?: Remember<PromptList>): Promise<Result<PromptList, Refusal>>;
}

/** The presets of a workspace, by name. Each change returns the new list. */
export interface Presets {
  list(): Promise<PresetList>;
  /** Adds a preset, or replaces the preset with that name. */
  put(preset: Preset, remember?: Remember<PresetList>): Promise<Result<PresetList, Refusal>>;
  /** Deletes a preset; if it was active, none is active. */
  remove(name: string, remember?: Remember<PresetList>): Promise<Result<PresetList, Refusal>>;
  /** Activates a preset; null deactivates. */
  activate(name: string | null, remember?: Remember<PresetList>): Promise<Result<PresetList, Refusal>>;
}

/** The deleted nodes, parents before children. */
export interface RemovedNodes {
  readonly nodeIds: readonly NodeId[];
  /** The entry of the trash that has them; undefined where there was nothing to delete. */
  readonly trashId?: TrashId;
}

/** A conversation that was moved to the trash. */
export interface TrashedConversation {
  readonly entry: TrashEntry;
}

/** The messages that a request to leave one out counts for: the reply first, then its results. */
export type ExcludedNodes = { readonly nodeIds: readonly NodeId[] };

/** The settings that identify a conversation: the same settings find the same conversation. */
interface RootSettings {
  readonly systemPrompt?: string;
  /** `provider/model`. */
  readonly model?: string;
}

/** What people do with messages that wait for a run. */
export interface Waiting {
  /**
   * Edits, holds, releases or moves a message, against the version that the person saw. MESSAGE_TAKEN if the turn has it
   * already. A message that is released while the run is free is sent.
   */
  change(
    actor: Actor,
    change: CommandParams<"waiting.change">,
    remember?: Remember<ChangedWaiting>,
  ): Promise<Result<ChangedWaiting, Refusal>>;
  /** Removes a message before it is sent, and returns its text. */
  withdraw(
    message: CommandParams<"waiting.withdraw">,
    remember?: Remember<WithdrawnMessage>,
  ): Promise<Result<WithdrawnMessage, Refusal>>;
}

/** Which part of a conversation a page asks for. */
export interface SegmentWish extends SegmentRequest {
  /** Where the path ends: at that message, or at the newest leaf below it. */
  readonly end: "here" | "leaf";
}

/** A part of a conversation: consecutive messages of one path, from above, then the newest siblings of each. */
export interface Segment extends SegmentFacts {
  readonly nodes: readonly ForestNode[];
}

/** A conversation at one moment; `seq` is the last feed entry it contains. */
export interface ConversationView {
  readonly seq: number;
  readonly root: ForestRoot;
  /** All messages, oldest first; of a segment, its messages. */
  readonly nodes: readonly ForestNode[];
  /** Set when only a part was asked for, and the conversation is larger. */
  readonly segment?: SegmentFacts;
  readonly runs: readonly RunStatus[];
  /** The messages that wait for its runs, in their order. */
  readonly waiting: readonly WaitingMessage[];
  /** By title. */
  readonly bookmarks: readonly Bookmark[];
}

/** Receives the feed of a conversation. Methods are called in order; an exception is logged and has no other effect. */
export interface ConversationWatcher {
  /** Receives the whole state when the feed is joined from the start or from too far back. */
  snapshot(view: ConversationView): void;
  /** Receives feed entries without gaps; entries of one transaction come in one call. */
  deliver(records: readonly FeedRecord[]): void;
  /** Called last when the feed ends, with the reason; a watcher may join again. */
  terminated?(reason: Refusal): void;
}

/** What people do to messages, in all conversations. */
export interface Messages {
  /** Resolves when the message is on disk. A busy branch refuses with AGENT_BUSY unless `deliver` says how it waits. */
  send(actor: Actor, message: NewMessage, remember?: Remember<SentMessage>): Promise<Result<SentMessage, Refusal>>;
  /**
   * Adds messages below a node without asking a model: all of them or none, skipping those that exist already. Returns the
   * node of the last message, or the parent if there were none.
   */
  add(
    actor: Actor,
    messages: NewMessages,
    remember?: Remember<AppendedMessages>,
  ): Promise<Result<AppendedMessages, Refusal>>;
  /** Adds an edited copy of a message as a sibling; an edited question gets its own reply. */
  edit(
    actor: Actor,
    edit: { readonly nodeId: NodeId; readonly text: string },
    remember?: Remember<EditedMessage>,
  ): Promise<Result<EditedMessage, Refusal>>;
  /** Asks for another reply beside the first; for a question, a reply to it. Any model can be asked at any node. */
  regenerate(
    actor: Actor,
    wish: ReplyOptions & { readonly nodeId: NodeId },
    remember?: Remember<RequestedRuns>,
  ): Promise<Result<RequestedRuns, Refusal>>;
  /** Goes on from a model's reply: the rest is a message below it. */
  goOn(
    actor: Actor,
    wish: ReplyOptions & { readonly nodeId: NodeId },
    remember?: Remember<RequestedRuns>,
  ): Promise<Result<RequestedRuns, Refusal>>;
  /** Splits a message in two at a UTF-16 offset of its text; returns the new node, which holds the first half. */
  split(
    split: { readonly nodeId: NodeId; readonly at: number },
    remember?: Remember<ChangedNode>,
  ): Promise<Result<ChangedNode, Refusal>>;
  /**
   * Replaces the text of a message and keeps its descendants: a leaf changes in place; otherwise both texts share a common
   * prefix. Asks no model.
   */
  rewrite(
    actor: Actor,
    edit: { readonly nodeId: NodeId; readonly content: NonEmptyArray<TextBlock> },
    remember?: Remember<ChangedNode>,
  ): Promise<Result<ChangedNode, Refusal>>;
  /**
   * Deletes a message with its descendants, or (`reparent`) alone. Refuses with BOOKMARKED if a bookmark would be deleted,
   * unless `force`. Succeeds if the message does not exist.
   */
  delete(
    wish: { readonly nodeId: NodeId; readonly reparent?: boolean; readonly force?: boolean; readonly by?: Actor },
    remember?: Remember<RemovedNodes>,
  ): Promise<Result<RemovedNodes, Refusal>>;
  /**
   * Leaves a message out of what models receive, or includes it again, with the results of its calls. Returns the messages
   * that this counts for.
   */
  exclude(
    wish: { readonly nodeId: NodeId; readonly excluded: boolean },
    remember?: Remember<ExcludedNodes>,
  ): Promise<Result<ExcludedNodes, Refusal>>;
  /** Folds a message for people, or unfolds it. */
  collapse(
    wish: { readonly nodeId: NodeId; readonly collapsed: boolean },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  label(labels: NodeLabels & { readonly nodeId: NodeId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/** What people do to existing runs, in all conversations. */
export interface Runs {
  /** Ends the current turn; what was shown is kept, marked if a person took control of the canvas. */
  cancel(
    actor: Actor,
    wish: { readonly runId: RunId; readonly reason: CancelReason },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** Retries after an error. */
  retry(actor: Actor, wish: { readonly runId: RunId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** Summarises a branch now, as if its model's context were full: afterwards it can be read or continued. */
  summarize(actor: Actor, wish: { readonly runId: RunId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** Returns the branch that continues a full one and begins with its summary; creates it on the first call. */
  continue(wish: { readonly runId: RunId }, remember?: Remember<ContinuedRun>): Promise<Result<ContinuedRun, Refusal>>;
  /** Answers the questions of a call; null declines. QUESTION_CLOSED if it no longer waits for an answer. */
  answerQuestion(actor: Actor, answer: QuestionAnswer, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/** A branch that is summed up, or will be. */
export type CompactedBranch = {
  readonly runId: RunId;
  /** Whether it waits for the next request of a turn, or for its end. */
  readonly waits: boolean;
};

/** What people do to branches, in all conversations. */
export interface Branches {
  /** Sums up what lies far back, for later requests. `nodeId`: the last message of the branch. */
  compact(
    actor: Actor,
    wish: CompactionWish & { readonly nodeId: NodeId },
    remember?: Remember<CompactedBranch>,
  ): Promise<Result<CompactedBranch, Refusal>>;
  /** Switches a summary off: requests hold the messages that it replaced again. */
  originals(wish: { readonly nodeId: NodeId }, remember?: Remember<ChangedNode>): Promise<Result<ChangedNode, Refusal>>;
  /** Switches a summary on again. */
  summary(wish: { readonly nodeId: NodeId }, remember?: Remember<ChangedNode>): Promise<Result<ChangedNode, Refusal>>;
  /** Returns what the next request of a branch holds, and what is left out. */
  context(wish: CommandParams<"branch.context">): Promise<Result<BranchContext, Refusal>>;
}

/**
 * The conversations of a workspace. Each has one queue, which decides, stores, broadcasts and performs every event, in this
 * order. The answer that `remember` records is stored in the transaction of the command's effect.
 */
export interface Conversations {
  readonly messages: Messages;
  readonly runs: Runs;
  readonly waiting: Waiting;
  readonly branches: Branches;
  readonly presets: Presets;
  readonly prompts: Prompts;
  readonly bookmarks: Bookmarks;
  readonly approvals: Approvals;

  create(conversation: NewConversation, remember?: Remember<CreatedConversation>): Promise<Result<ForestRoot, Refusal>>;
  /** Returns the conversation that was created with these settings, or a new one. */
  forSettings(settings: RootSettings, remember?: Remember<CreatedConversation>): Promise<Result<ForestRoot, Refusal>>;
  /**
   * Moves a conversation to the trash, with its sub-agents. Refused while a run works. Each watcher receives IN_TRASH once.
   */
  delete(
    rootId: RootId,
    remember?: Remember<TrashedConversation>,
    by?: Actor,
  ): Promise<Result<TrashedConversation, Refusal>>;
  /** Restores a conversation, or messages of one, from the trash. */
  restore(entry: TrashEntry, also: readonly StoreWrite[]): Promise<Result<void, Refusal>>;
  /** Deletes a conversation in the trash, or messages of one, for good. */
  purge(entry: TrashEntry, also: readonly StoreWrite[]): Promise<Result<void, Refusal>>;
  list(): Promise<readonly ForestRoot[]>;
  /** Returns all conversations as lists show them. */
  summaries(): Promise<readonly ConversationSummary[]>;
  /** Notifies of every conversation that is created, changed, at work, deleted or restored from now on. */
  watchSummaries(listener: (conversation: ConversationSummary, deleted: boolean) => void): () => void;
  view(rootId: RootId): Promise<Result<ConversationView, Refusal>>;
  /** Returns the runs of a conversation. */
  runStatuses(rootId: RootId): Promise<Result<readonly RunStatus[], Refusal>>;
  /** Returns a part of a conversation; `seq` is the last feed entry it contains. */
  segment(rootId: RootId, wish: SegmentWish): Promise<Result<Segment & { readonly seq: number }, Refusal>>;
  /**
   * Joins a conversation's feed: first a snapshot (for `afterSeq` 0 or when too much was missed) or the entries after
   * `afterSeq`, then every entry as it is stored, without gaps. Returns a function that leaves the feed. With `segment`, the
   * snapshot of a large conversation holds only that.
   */
  watch(
    rootId: RootId,
    afterSeq: number,
    watcher: ConversationWatcher,
    segment?: SegmentWish,
  ): Promise<Result<() => void, Refusal>>;

  rename(
    change: { readonly rootId: RootId; readonly title: string },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** Archives a conversation, or lists it again; nothing else of it changes. */
  archive(
    change: { readonly rootId: RootId; readonly archived: boolean },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** Pins a conversation and sets its tags; a field left out keeps its value. */
  arrange(
    change: { readonly rootId: RootId; readonly pinned?: boolean; readonly tags?: readonly string[] },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** Takes effect with the next turn. */
  setModel(
    change: { readonly rootId: RootId; readonly model: string },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /**
   * Takes effect with the next request, which rewrites the history in this syntax. null: the model and the settings decide.
   */
  setToolSyntax(
    change: {
      readonly rootId: RootId;
      readonly toolSyntax: string | null;
    },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** Takes effect with the next turn. */
  setSettings(
    change: SettingsChange & { readonly rootId: RootId },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  setCanvas(
    change: { readonly rootId: RootId; readonly canvasId: BlockId | null },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** Takes effect with the next reply. */
  setRules(change: RuleChange & { readonly rootId: RootId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** Returns what the conversation and its sub-agents used, and what its budget leaves. */
  usage(rootId: RootId, withMessages?: boolean): Promise<Result<ConversationUsage, Refusal>>;

  /** Stops without sending events to runs: they resume from their stored state when the store is opened again. */
  close(): Promise<void>;
}
