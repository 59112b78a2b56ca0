import type { Actor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, NodeId, RootId, RunId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { Result } from "../../../core/base/result.ts";
import type { ApprovalTier, Budget, CallPolicy } from "../../../core/forest/run-rules.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { Match } from "../../../core/message/normalize.ts";
import type { TextBlock } from "../../../core/message/types.ts";
import type { FileBlock, ImageBlock } from "../../../core/message/types.ts";
import type { CommandParams, ConversationUsage, ReplyWish } from "../../../core/protocol/commands.ts";
import type { ApprovalRule } from "../../../core/turn/approval.ts";
import type { FeedRecord, RunStatus } from "../../../core/turn/feed.ts";
import type { Preset, PresetList } from "../../../core/turn/preset.ts";
import type { CancelReason } from "../../../core/turn/state.ts";
import type { Remember } from "../../base/once.ts";

/** What a conversation starts with; what is left out comes from the settings. */
export interface NewConversation {
  readonly title?: string;
  readonly systemPrompt?: string;
  /** `provider/model`. */
  readonly model?: string;
  /** As in `--tool-syntax`; left out, the model and the settings decide. */
  readonly toolSyntax?: string;
  readonly canvasId?: BlockId | null;
  /** Working folder of the tools; stays as it is. */
  readonly cwd?: string;
}

export interface NewMessage extends ReplyWish {
  readonly rootId: RootId;
  /** The last message of the branch that is answered; null starts a first branch. */
  readonly parentNodeId: NodeId | null;
  /** May be blank where there are images or files. */
  readonly text: string;
  /** Images and files; they come before the text. */
  readonly media?: readonly (ImageBlock | FileBlock)[];
  /** Wait in the one pending slot when the branch is busy. */
  readonly queue?: boolean;
}

/** Messages from elsewhere, as they came: they are read and checked as a whole. */
export interface NewMessages {
  readonly rootId: RootId;
  /** What they follow; null for the beginning. */
  readonly parentNodeId: NodeId | null;
  readonly messages: readonly unknown[];
  /** When a message that stands is the same: to the letter (default), or but for blanks at the ends of its texts. */
  readonly match?: Match;
}

/** The runs that answer, one for each reply that was asked for; `runId` is the first. */
export type AskedRuns = {
  readonly runId: RunId;
  readonly runIds: readonly RunId[];
};

/** Where a message went. `nodeId` is null while it waits. */
export type SentMessage = AskedRuns & {
  readonly nodeId: NodeId | null;
  readonly queued: boolean;
};

/** The node whose path says what a change was to bring. */
export type ChangedNode = { readonly nodeId: NodeId };

/** Labels of a node; what is left out stays, null takes it away. */
export interface NodeLabels {
  readonly tags?: readonly string[];
  readonly customData?: JsonObject | null;
}

/** The end of what was appended; null where nothing was, at the beginning. */
export type AppendedMessages = { readonly nodeId: NodeId | null };

/** An edited message, and the run that answers it. */
export type EditedMessage = { readonly nodeId: NodeId; readonly runId: RunId };

/** The answer of a command that has nothing to tell. */
export type Done = Record<never, never>;

/** The answer of a command that makes a conversation, or finds the one that was asked for. */
export type MadeConversation = { readonly rootId: RootId };

/** The answer of a command that sets a bookmark. */
export type BookmarkAnswer = { readonly bookmark: Bookmark };

/** Where a bookmark is to stand; null for the conversation itself. */
export interface BookmarkPlace {
  readonly title: string;
  readonly rootId: RootId;
  readonly nodeId: NodeId | null;
}

/** The bookmarks of a workspace, by title. */
export interface Bookmarks {
  /** Of a conversation, or of all. */
  list(rootId: RootId | null): Promise<readonly Bookmark[]>;
  /** Sets a bookmark, or moves the one of that title here, from another conversation too. */
  put(place: BookmarkPlace, remember?: Remember<BookmarkAnswer>): Promise<Result<Bookmark, Refusal>>;
  rename(
    change: { readonly title: string; readonly newTitle: string },
    remember?: Remember<BookmarkAnswer>,
  ): Promise<Result<Bookmark, Refusal>>;
  /** A bookmark that is not there is gone already. */
  remove(title: string, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/** What the runs of a conversation go by; what is left out stays, null: as the server is set. */
export interface RuleChange {
  readonly approvals?: ApprovalTier | null;
  readonly callPolicy?: CallPolicy | null;
  readonly budget?: Budget | null;
}

/** A person's word on a call that waits for it. */
export type ApprovalAnswer = CommandParams<"approval.answer">;

/** A person's answers to what a call asks. */
export type QuestionAnswer = CommandParams<"question.answer">;

/** Where a full branch goes on. */
export type ContinuedRun = {
  readonly nodeId: NodeId;
  readonly runId: RunId;
};

/** What people allowed for good. */
export interface Approvals {
  /** Answers a call that waits. APPROVAL_CLOSED where it does not wait any more, or is another call. */
  answer(actor: Actor, answer: ApprovalAnswer, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** Those that count in a conversation, or (null) in all; oldest first. */
  rules(rootId: RootId | null): Promise<Result<readonly ApprovalRule[], Refusal>>;
  /** A rule that is not there is forgotten already. */
  forget(ruleId: string, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/** The presets of a workspace, by name. Each change answers the list after it. */
export interface Presets {
  list(): Promise<PresetList>;
  /** Adds a preset, or replaces the one of that name. */
  put(preset: Preset, remember?: Remember<PresetList>): Promise<Result<PresetList, Refusal>>;
  /** A preset that was active leaves none active. */
  remove(name: string, remember?: Remember<PresetList>): Promise<Result<PresetList, Refusal>>;
  /** null clears. */
  activate(name: string | null, remember?: Remember<PresetList>): Promise<Result<PresetList, Refusal>>;
}

/** What went, parents before children. */
export interface RemovedNodes {
  readonly nodeIds: readonly NodeId[];
}

/** What a conversation is asked for by: the same settings get the same one. */
interface RootSettings {
  readonly systemPrompt?: string;
  /** `provider/model`. */
  readonly model?: string;
}

/** A conversation at one instant; `seq` is the last feed entry that it contains. */
export interface ConversationView {
  readonly seq: number;
  readonly root: ForestRoot;
  /** Oldest first. */
  readonly nodes: readonly ForestNode[];
  readonly runs: readonly RunStatus[];
  /** By title. */
  readonly bookmarks: readonly Bookmark[];
}

/**
 * Receives the feed of a conversation. Methods are called in order; an exception in one is logged and changes nothing.
 */
export interface ConversationWatcher {
  /** Everything so far, when the feed is joined from the start or from too far back. */
  snapshot(view: ConversationView): void;
  /** Feed entries without gaps; what belongs together comes in one call. */
  deliver(records: readonly FeedRecord[]): void;
  /** Called last when the feed ends here, with the reason; joining again goes on. */
  terminated?(reason: Refusal): void;
}

/** The messages of all conversations: what people add to the trees, and change in them. */
export interface Messages {
  /** Answers when the message is on disk. A busy branch refuses with AGENT_BUSY unless `queue` is set. */
  send(actor: Actor, message: NewMessage, remember?: Remember<SentMessage>): Promise<Result<SentMessage, Refusal>>;
  /**
   * Adds messages below a node without asking a model: all of them or none, and only those that are not there already.
   * Answers the node of the last one, or the parent where nothing was said.
   */
  add(
    actor: Actor,
    messages: NewMessages,
    remember?: Remember<AppendedMessages>,
  ): Promise<Result<AppendedMessages, Refusal>>;
  /** Adds a message with another text beside the first; a question gets a reply of its own. */
  edit(
    actor: Actor,
    edit: { readonly nodeId: NodeId; readonly text: string },
    remember?: Remember<EditedMessage>,
  ): Promise<Result<EditedMessage, Refusal>>;
  /** Another reply beside the first; given a question, a reply to it. Any model can be asked at any node. */
  regenerate(
    actor: Actor,
    wish: ReplyWish & { readonly nodeId: NodeId },
    remember?: Remember<AskedRuns>,
  ): Promise<Result<AskedRuns, Refusal>>;
  /** Makes two messages of one, cut at a UTF-16 unit of its text; answers the new one, which holds the first half. */
  split(
    split: { readonly nodeId: NodeId; readonly at: number },
    remember?: Remember<ChangedNode>,
  ): Promise<Result<ChangedNode, Refusal>>;
  /**
   * Gives a message another text and keeps what hangs on the old one: a leaf changes in place; else the two share their
   * common beginning. No model is asked.
   */
  rewrite(
    actor: Actor,
    edit: { readonly nodeId: NodeId; readonly content: NonEmptyArray<TextBlock> },
    remember?: Remember<ChangedNode>,
  ): Promise<Result<ChangedNode, Refusal>>;
  /**
   * Deletes a message with everything below it, or (`reparent`) alone. Refused with BOOKMARKED where a bookmark would go,
   * unless `force`. A message that is gone has been deleted.
   */
  delete(
    wish: { readonly nodeId: NodeId; readonly reparent?: boolean; readonly force?: boolean },
    remember?: Remember<RemovedNodes>,
  ): Promise<Result<RemovedNodes, Refusal>>;
  label(labels: NodeLabels & { readonly nodeId: NodeId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/** The runs of all conversations: what people ask of one that is there. */
export interface Runs {
  /** Ends the turn under way; what was shown stays, and says so where control of the canvas was taken. */
  cancel(
    actor: Actor,
    wish: { readonly runId: RunId; readonly reason: CancelReason },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** Asks again after an error. */
  retry(actor: Actor, wish: { readonly runId: RunId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** Sums a branch up now, as if its model's window were full: then it is read, or gone on with. */
  summarize(actor: Actor, wish: { readonly runId: RunId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** The branch that goes on with a full one, begun with its summary: made once, and given again. */
  continue(wish: { readonly runId: RunId }, remember?: Remember<ContinuedRun>): Promise<Result<ContinuedRun, Refusal>>;
  /** Answers what a call asks; null declines. QUESTION_CLOSED where it waits for no answer any more. */
  answerQuestion(actor: Actor, answer: QuestionAnswer, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
}

/**
 * The conversations of a workspace: one queue each, in which everything that happens to it is decided, stored, told and
 * performed, in this order. What `remember` gives for the answer of a command is stored in the transaction of its effect.
 */
export interface Conversations {
  readonly messages: Messages;
  readonly runs: Runs;
  readonly presets: Presets;
  readonly bookmarks: Bookmarks;
  readonly approvals: Approvals;

  create(conversation: NewConversation, remember?: Remember<MadeConversation>): Promise<Result<ForestRoot, Refusal>>;
  /** The conversation that was asked for with these settings before, or a new one. */
  forSettings(settings: RootSettings, remember?: Remember<MadeConversation>): Promise<Result<ForestRoot, Refusal>>;
  /**
   * Deletes a conversation for good, with the agents that worked for it. Refused while a run works. Whoever watches it hears
   * ROOT_NOT_FOUND, once.
   */
  delete(rootId: RootId, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  list(): Promise<readonly ForestRoot[]>;
  /** Tells of every root that is new, changed or deleted, from now on. */
  watchRoots(listener: (root: ForestRoot) => void): () => void;
  view(rootId: RootId): Promise<Result<ConversationView, Refusal>>;
  /**
   * Joins a conversation's feed: first a snapshot (for `afterSeq` 0 and where too much was missed) or what came after
   * `afterSeq`, then everything as it is stored, without gaps. The returned function ends it.
   */
  watch(rootId: RootId, afterSeq: number, watcher: ConversationWatcher): Promise<Result<() => void, Refusal>>;

  rename(
    change: { readonly rootId: RootId; readonly title: string },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** For the next turn. */
  setModel(
    change: { readonly rootId: RootId; readonly model: string },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** For the next request: what was said so far is written again in it. null: the model and the settings decide. */
  setToolSyntax(
    change: {
      readonly rootId: RootId;
      readonly toolSyntax: string | null;
    },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  setCanvas(
    change: { readonly rootId: RootId; readonly canvasId: BlockId | null },
    remember?: Remember<Done>,
  ): Promise<Result<void, Refusal>>;
  /** From the next reply on. */
  setRules(change: RuleChange & { readonly rootId: RootId }, remember?: Remember<Done>): Promise<Result<void, Refusal>>;
  /** What the conversation used up, its sub-agents included, and what its budget leaves. */
  usage(rootId: RootId): Promise<Result<ConversationUsage, Refusal>>;

  /** Stops without telling the runs: they go on where they stand when the store is opened again. */
  close(): Promise<void>;
}
