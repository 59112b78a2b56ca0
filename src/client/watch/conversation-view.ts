import type { BlockId, NodeId, RunId } from "../../core/base/ids.ts";
import { headerAfter } from "../../core/block/header-after.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import type { Bookmark, ForestNode } from "../../core/forest/types.ts";
import type { DownMessage } from "../../core/protocol/base/messages.ts";
import type { FeedRecord, RunStatus } from "../../core/turn/state/feed.ts";
import type { WaitingMessage } from "../../core/turn/state/waiting.ts";
import type { ConversationView, LiveBlock, RunView } from "../base/types.ts";

type Snapshot = Extract<DownMessage, { type: "conversation-snapshot" }>;

/** A view and what it was made from. Immutable: each step returns a new state, or the same one when nothing changed. */
export interface ConversationState {
  readonly view: ConversationView;
  readonly runs: readonly RunStatus[];
  readonly waitingByRun: ReadonlyMap<RunId, readonly WaitingMessage[]>;
  readonly liveBlocksById: ReadonlyMap<BlockId, LiveBlock>;
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
    },
    runs: snapshot.runs,
    waitingByRun,
    liveBlocksById,
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
  if (body.type !== "node-added" && body.type !== "node-changed" && body.type !== "nodes-removed") {
    return withOther(state, { ...record, body });
  }
  if (draft.tree?.nodesById !== view.nodesById) draft.tree = copyOf(view);
  return withTree(state, draft.tree, { ...record, body });
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
  if (body.type === "nodes-removed") removeNodes(tree, body.ids);
  else placeNode(tree, body.node);
  const { bookmarks: before } = state.view;
  const bookmarks = body.type === "nodes-removed" ? bookmarksIn(tree, before) : before;
  return { ...state, view: { ...state.view, ...tree, bookmarks, seq } };
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

/** The tree of a view while it is changed in place. */
interface Tree {
  readonly nodesById: Map<NodeId, ForestNode>;
  readonly childrenByParent: Map<NodeId | null, readonly NodeId[]>;
}

function copyOf({ nodesById, childrenByParent }: ConversationView): Tree {
  return { nodesById: new Map(nodesById), childrenByParent: new Map(childrenByParent) };
}

/** Adds a node, or moves it below its present parent; siblings stay in the order of creation. */
function placeNode({ nodesById, childrenByParent }: Tree, node: ForestNode): void {
  const known = nodesById.get(node.id);
  nodesById.set(node.id, node);
  if (known !== undefined && known.parentId === node.parentId) return;
  if (known !== undefined) removeChild(childrenByParent, known);
  const siblings = [...(childrenByParent.get(node.parentId) ?? []), node.id];
  childrenByParent.set(node.parentId, known === undefined ? siblings : inCreationOrder(nodesById, siblings));
}

function removeNodes({ nodesById, childrenByParent }: Tree, ids: readonly NodeId[]): void {
  for (const id of ids) {
    const node = nodesById.get(id);
    if (node === undefined) continue;
    nodesById.delete(id);
    removeChild(childrenByParent, node);
  }
}

/** Removes bookmarks of removed messages at once: the feed removes them only in a later entry. */
function bookmarksIn({ nodesById }: Tree, bookmarks: readonly Bookmark[]): readonly Bookmark[] {
  return bookmarks.filter(({ nodeId }) => nodeId === null || nodesById.has(nodeId));
}

function removeChild(childrenByParent: Map<NodeId | null, readonly NodeId[]>, { id, parentId }: ForestNode): void {
  const left = (childrenByParent.get(parentId) ?? []).filter((other) => other !== id);
  if (left.length === 0) childrenByParent.delete(parentId);
  else childrenByParent.set(parentId, left);
}

function inCreationOrder(nodesById: ReadonlyMap<NodeId, ForestNode>, ids: readonly NodeId[]): readonly NodeId[] {
  const wanted = new Set(ids);
  return [...nodesById.keys()].filter((id) => wanted.has(id));
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
