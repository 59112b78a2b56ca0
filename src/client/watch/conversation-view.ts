import type { BlockId, NodeId, RunId } from "../../core/base/ids.ts";
import { headerAfter } from "../../core/block/header-after.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import type { Bookmark } from "../../core/forest/types.ts";
import type { DownMessage } from "../../core/protocol/base/messages.ts";
import type { FeedRecord, RunStatus } from "../../core/turn/state/feed.ts";
import type { WaitingMessage } from "../../core/turn/state/waiting.ts";
import type { ConversationPart, ConversationView, LiveBlock, RunView } from "../base/types.ts";

import { firstPart, withSegmentIn, type LoadedSegment } from "./conversation-part.ts";
import { copyOf, placeNode, removeNodes, type Tree } from "./tree.ts";

type Snapshot = Extract<DownMessage, { type: "conversation-snapshot" }>;

/** A view and what it was made from. Immutable: each step returns a new state, or the same one when nothing changed. */
export interface ConversationState {
  readonly view: ConversationView;
  readonly runs: readonly RunStatus[];
  readonly waitingByRun: ReadonlyMap<RunId, readonly WaitingMessage[]>;
  readonly liveBlocksById: ReadonlyMap<BlockId, LiveBlock>;
  /** The number of the last entry that changed the tree, here or elsewhere; a segment that is older may contradict it. */
  readonly treeSeq: number;
}

const none: readonly WaitingMessage[] = [];

/** How many notices a view keeps. */
const noticesMax = 100;

/** Applies a snapshot; one older than the state changes nothing (S-41). */
export function withSnapshot(state: ConversationState | null, snapshot: Snapshot): ConversationState {
  if (state !== null && snapshot.seq < state.view.seq) return state;
  const nodesById = new Map(snapshot.nodes.map((node) => [node.id, node]));
  const childrenByParent = new Map<NodeId | null, NodeId[]>();
  for (const node of nodesById.values()) {
    const siblings = childrenByParent.get(node.parentId);
    if (siblings === undefined) childrenByParent.set(node.parentId, [node.id]);
    else siblings.push(node.id);
  }
  const named = new Set(snapshot.runs.flatMap((run) => run.liveBlocks));
  const kept = [...(state?.liveBlocksById ?? [])].filter(([id]) => named.has(id));
  const liveBlocksById = new Map(kept);
  const waitingByRun = Map.groupBy(snapshot.waiting, ({ runId }) => runId);
  return {
    view: {
      root: snapshot.root,
      nodesById,
      childrenByParent,
      runs: snapshot.runs.map((run) => runView(run, { liveBlocksById, waitingByRun })),
      notices: state?.view.notices ?? [],
      bookmarks: snapshot.bookmarks,
      seq: snapshot.seq,
      part: snapshot.segment === undefined ? null : firstPart(snapshot.segment, snapshot.nodes),
    },
    runs: snapshot.runs,
    waitingByRun,
    liveBlocksById,
    treeSeq: snapshot.seq,
  };
}

/** A copy of the tree that no subscriber has seen yet, so that it may still be changed in place. */
export interface TreeDraft {
  tree: Tree | null;
}

/**
 * Applies the next entry of the feed. An entry already applied changes nothing; undefined means that entries are missing
 * before it, so that the conversation needs a snapshot. With a draft the tree is copied once for all entries that are
 * applied before a subscriber looks: an imported conversation adds thousands of messages.
 */
export function withRecord(
  state: ConversationState,
  record: FeedRecord,
  draft: TreeDraft = { tree: null },
): ConversationState | undefined {
  const { view } = state;
  if (record.seq <= view.seq) return state;
  if (record.seq !== view.seq + 1) return undefined;
  const { body } = record;
  if (state.view.part !== null && isElsewhere(state.view, body))
    return { ...state, treeSeq: record.seq, view: { ...view, seq: record.seq } };
  if (body.type !== "node-added" && body.type !== "node-changed" && body.type !== "nodes-removed") {
    return withOther(state, { ...record, body });
  }
  if (draft.tree?.nodesById !== view.nodesById) draft.tree = copyOf(view);
  return withTree(state, draft.tree, { ...record, body });
}

/**
 * Adds a part of the conversation that was loaded; nothing where the view is whole. Undefined when the tree has changed
 * since the part was read: it must be read again.
 */
export function withSegment(state: ConversationState, segment: LoadedSegment): ConversationState | undefined {
  const { view, treeSeq } = state;
  const { part } = view;
  if (part === null) return state;
  if (segment.seq < treeSeq) return undefined;
  const next = withSegmentIn({ tree: copyOf(view), part }, segment);
  return { ...state, view: { ...view, ...next.tree, part: next.part } };
}

/** Whether an entry is about messages of which nothing is here. */
function isElsewhere({ nodesById }: ConversationView, body: FeedRecord["body"]): boolean {
  switch (body.type) {
    case "node-added":
      return body.node.parentId !== null && !nodesById.has(body.node.parentId) && !nodesById.has(body.node.id);
    case "node-changed":
      return !nodesById.has(body.node.id);
    case "nodes-removed":
      return body.ids.every((id) => !nodesById.has(id));
    case "bookmark-changed":
    case "root-changed":
    case "run-changed":
    case "waiting-changed":
    case "notice":
      return false;
  }
}

type TreeBody = Extract<
  FeedRecord["body"],
  { readonly type: "node-added" | "node-changed" } | { readonly type: "nodes-removed" }
>;
type OtherBody = Exclude<FeedRecord["body"], TreeBody>;

/** Applies an entry that changes the tree, in place; the state then holds this tree. */
function withTree(
  state: ConversationState,
  tree: Tree,
  { seq, body }: FeedRecord & { readonly body: TreeBody },
): ConversationState {
  // The draft is changed in place, and may be what the view shows.
  const before = { part: state.view.part, parents: parentsOf(tree, body) };
  if (body.type === "nodes-removed") removeNodes(tree, body.ids);
  else placeNode(tree, body.node);
  const { bookmarks: all } = state.view;
  const bookmarks = body.type === "nodes-removed" ? bookmarksIn(tree, all, body.ids) : all;
  return {
    ...state,
    treeSeq: seq,
    view: { ...state.view, ...tree, bookmarks, seq, part: partAfter(before.part, before.parents, body) },
  };
}

/** Applies an entry that leaves the tree unchanged. */
function withOther(
  state: ConversationState,
  { seq, at, body }: FeedRecord & { readonly body: OtherBody },
): ConversationState {
  const next = { ...state.view, seq };
  switch (body.type) {
    case "bookmark-changed":
      return { ...state, view: { ...next, bookmarks: withBookmark(next.bookmarks, body) } };
    case "root-changed":
      return { ...state, view: { ...next, root: body.root } };
    case "run-changed":
      return withRun({ ...state, view: next }, body);
    case "waiting-changed": {
      const waitingByRun = new Map(state.waitingByRun).set(body.runId, body.waiting);
      return showLive({ ...state, view: next, waitingByRun }, state.liveBlocksById);
    }
    case "notice": {
      const notice = { runId: body.runId, text: body.text, at };
      return { ...state, view: { ...next, notices: [...next.notices, notice].slice(-noticesMax) } };
    }
  }
}

/** Shows the present text of a live block. */
export function withLiveBlock(state: ConversationState, header: BlockHeader, text: string): ConversationState {
  const liveBlocksById = new Map(state.liveBlocksById).set(header.id, { header, text });
  return showLive(state, liveBlocksById);
}

/** Applies a change to a live block; `text` is its text after the change. */
export function withLiveChange(state: ConversationState, change: BlockChange, text: string): ConversationState {
  const known = state.liveBlocksById.get(change.blockId);
  if (known === undefined || change.version <= known.header.version) return state;
  return withLiveBlock(state, headerAfter(known.header, change), text);
}

/** Removes bookmarks of removed messages at once: the feed removes them only in a later entry. */
function bookmarksIn(
  { nodesById }: Tree,
  bookmarks: readonly Bookmark[],
  removed: readonly NodeId[],
): readonly Bookmark[] {
  const gone = new Set(removed);
  return bookmarks.filter(({ nodeId }) => nodeId === null || nodesById.has(nodeId) || !gone.has(nodeId));
}

/** The parents of the messages that an entry removes. */
function parentsOf({ nodesById }: Tree, body: TreeBody): readonly (NodeId | null)[] {
  return body.type === "nodes-removed" ? body.ids.flatMap((id) => nodesById.get(id)?.parentId ?? []) : [];
}

/** Follows an entry in the numbers of children that are not all here. */
function partAfter(
  part: ConversationPart | null,
  removedFrom: readonly (NodeId | null)[],
  body: TreeBody,
): ConversationPart | null {
  if (part === null || body.type === "node-changed") return part;
  const childCounts = new Map(part.childCounts);
  const count = (parentId: NodeId | null, change: number): void => {
    const known = childCounts.get(parentId);
    if (known !== undefined) childCounts.set(parentId, Math.max(0, known + change));
  };
  if (body.type === "node-added") count(body.node.parentId, 1);
  else for (const parentId of removedFrom) count(parentId, -1);
  return { ...part, childCounts };
}

function withBookmark(
  bookmarks: readonly Bookmark[],
  { title, bookmark }: { readonly title: string; readonly bookmark: Bookmark | null },
): readonly Bookmark[] {
  const others = bookmarks.filter((other) => other.title !== title);
  if (bookmark === null) return others;
  const at = others.findIndex((other) => other.title > title);
  return at === -1 ? [...others, bookmark] : others.toSpliced(at, 0, bookmark);
}

function withRun(state: ConversationState, run: RunStatus): ConversationState {
  const at = state.runs.findIndex((other) => other.runId === run.runId);
  const runs = at === -1 ? [...state.runs, run] : state.runs.with(at, run);
  const named = new Set(runs.flatMap((other) => other.liveBlocks));
  const liveBlocksById = new Map([...state.liveBlocksById].filter(([id]) => named.has(id)));
  return showLive({ ...state, runs }, liveBlocksById);
}

function showLive(state: ConversationState, liveBlocksById: ReadonlyMap<BlockId, LiveBlock>): ConversationState {
  const before = new Map<RunId, RunView>(state.view.runs.map((run) => [run.runId, run]));
  const runs = state.runs.map((run) => {
    const next = runView(run, { ...state, liveBlocksById });
    const known = before.get(run.runId);
    return known !== undefined && sameRun(known, next) ? known : next;
  });
  return { ...state, liveBlocksById, view: { ...state.view, runs } };
}

function runView(
  run: RunStatus,
  { liveBlocksById, waitingByRun }: Pick<ConversationState, "liveBlocksById" | "waitingByRun">,
): RunView {
  return {
    runId: run.runId,
    headNodeId: run.headNodeId,
    turnId: run.turnId,
    state: run.state,
    since: run.since,
    contextUsed: run.contextUsed,
    model: run.model,
    queued: run.queued,
    waiting: waitingByRun.get(run.runId) ?? none,
    liveBlocks: run.liveBlocks.flatMap((id) => liveBlocksById.get(id) ?? []),
  };
}

function sameRun(a: RunView, b: RunView): boolean {
  return (
    a.headNodeId === b.headNodeId &&
    a.turnId === b.turnId &&
    a.state === b.state &&
    a.since === b.since &&
    a.contextUsed === b.contextUsed &&
    a.model === b.model &&
    a.queued === b.queued &&
    a.waiting === b.waiting &&
    a.liveBlocks.length === b.liveBlocks.length &&
    a.liveBlocks.every((block, index) => block === b.liveBlocks[index])
  );
}
