import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { planContentEdit } from "../../../core/forest/content-edit.ts";
import { planDelete, type DeleteMode } from "../../../core/forest/delete.ts";
import { noChange, type ForestChange, type NodeSurroundings } from "../../../core/forest/forest-change.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import { beginningOfRound } from "../../../core/forest/sent-path.ts";
import { planSplit } from "../../../core/forest/split.ts";
import type { Bookmark, Compacts, ForestNode, ForestRoot, Taint } from "../../../core/forest/types.ts";
import { roughTokensOf } from "../../../core/message/rough-message-tokens.ts";
import type { TextBlock, UserMessage } from "../../../core/message/types.ts";
import { usageWith } from "../../../core/model/spent.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { editedSummaryText } from "../../../core/turn/compaction/summary-text.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import { joinTaints, noTaint } from "../../../core/turn/judge/taint.ts";
import { noBranchDrafts, type BranchDrafts } from "../../canvas/branch-drafts.ts";
import type { Remember } from "../../base/once.ts";
import { keptDays, trashEntry } from "../../base/trash-time.ts";
import { systemActor } from "../base/actors.ts";
import {
  checkRestored,
  freeBookmarks,
  placedBelow,
  trashedBranch,
  withoutUsage,
  type BranchEntry,
} from "./trashed-messages.ts";
import type { CommandBase } from "./command-base.ts";
import { taintAt } from "../base/context-taint.ts";
import { outdatedSummaries } from "./outdated-summaries.ts";
import { headChanges } from "../plan/head-changes.ts";
import { statusOf } from "../base/run-snapshot.ts";
import type { ChangedNode, Done, ExcludedNodes, NodeLabels, RemovedNodes } from "../base/types.ts";

/** What is stored in the transaction of a tree change besides the change. */
interface Besides {
  readonly writes: readonly StoreWrite[];
  readonly feed: readonly RunFeedBody[];
}

/** How messages are deleted: with those below or alone, also bookmarked ones, and by whom. */
interface DeleteWish {
  readonly reparent?: boolean;
  readonly force?: boolean;
  readonly by?: Actor;
}

/**
 * What people change in the tree of one conversation. Each command is one transaction in its queue, and changes no branch
 * that is being written.
 */
export class ForestCommands {
  readonly #base: CommandBase;

  constructor(base: CommandBase) {
    this.#base = base;
  }

  /** Splits a node in two; returns the new node, which holds the first half. */
  split(nodeId: NodeId, at: number, remember: Remember<ChangedNode>): Promise<Result<ChangedNode, Refusal>> {
    return this.#base.conversation.command(async () => {
      const around = await this.#around(nodeId);
      if (!around.ok) return around;
      const { ids, platform } = this.#base.deps;
      const plan = planSplit(around.value, { at, newId: ids.node(), now: platform.clock.now() });
      if (!plan.ok) return plan;
      const answer = { nodeId: plan.value.left.id };
      const stored = await this.#apply([], plan.value, { writes: remember(answer, this.#base.rootId), feed: [] });
      return stored.ok ? ok(answer) : stored;
    });
  }

  /** Replaces a node's text by the rules of `planContentEdit`; its bookmarks follow the text. */
  rewrite(
    actor: Actor,
    nodeId: NodeId,
    { content, remember }: { readonly content: NonEmptyArray<TextBlock>; readonly remember: Remember<ChangedNode> },
  ): Promise<Result<ChangedNode, Refusal>> {
    return this.#base.conversation.command(async () => {
      const around = await this.#around(nodeId);
      if (!around.ok) return around;
      const { compacts } = around.value.node;
      if (compacts !== undefined) return this.#rewriteSummary(actor, around.value, { compacts, content, remember });
      const { ids, platform } = this.#base.deps;
      const now = platform.clock.now();
      const newIds = { half: ids.node(), branch: ids.node() };
      const plan = planContentEdit(around.value, { content, editor: actor, now, newIds });
      if (!plan.ok) return plan;
      const answer = { nodeId: plan.value.nodeId };
      const followed = answer.nodeId === nodeId ? [] : await this.#bookmarksOn(new Set([nodeId]));
      const moved = followed.map((bookmark) => ({ ...bookmark, nodeId: answer.nodeId, updatedAt: now }));
      const stored = await this.#apply([around.value.node], plan.value, {
        writes: [
          ...moved.map((bookmark) => ({ type: "put-bookmark", bookmark }) as const),
          ...remember(answer, this.#base.rootId),
        ],
        feed: moved.map((bookmark) => ({ type: "bookmark-changed", title: bookmark.title, bookmark }) as const),
      });
      return stored.ok ? ok(answer) : stored;
    });
  }

  /**
   * Moves a node to the trash, with its descendants or (`reparent`) alone. Keeps nodes with a bookmark unless `force`. Succeeds if the
   * node does not exist.
   */
  delete(
    nodeId: NodeId,
    { reparent = false, force = false, by = systemActor }: DeleteWish,
    remember: Remember<RemovedNodes>,
  ): Promise<Result<RemovedNodes, Refusal>> {
    const { conversation, deps } = this.#base;
    return conversation.command<RemovedNodes>(async () => {
      if ((await deps.store.node(nodeId)) === null) return ok({ nodeIds: [] });
      const around = await this.#around(nodeId);
      if (!around.ok) return around;
      const above = (await deps.store.path(nodeId)).slice(0, -1);
      const { node, siblings, children } = around.value;
      const mode: DeleteMode = reparent ? "reparent" : "cascade";
      const below = mode === "cascade" ? await this.#below(node) : await this.#results(children);
      const plan = planDelete({ node, above, siblings, below }, mode);
      if (!plan.ok) return plan;
      const marked = await this.#bookmarksOn(new Set(plan.value.removed));
      if (marked.length > 0 && !force) {
        return err(refusal("BOOKMARKED", { node_id: nodeId, bookmarks: marked.map(({ title }) => title) }));
      }
      const change = await this.#withOutdated(node, await this.#withTaint(plan.value, below));
      const nodeIds = plan.value.removed;
      const gone = new Set(nodeIds);
      const nodes = [node, ...below].filter(({ id }) => gone.has(id));
      const entry = trashEntry(deps.platform, await keptDays(deps.store), trashedBranch(nodes, marked, by));
      const answer = { nodeIds, trashId: entry.id };
      const drafts = await this.#movedDrafts(nodes, "trash");
      const stored = await this.#apply([...above, node, ...below], change, {
        writes: [
          { type: "put-trashed-nodes", trashId: entry.id, nodes },
          { type: "put-trash", entry },
          ...drafts.writes,
          ...remember(answer, this.#base.rootId),
        ],
        feed: marked.map(({ title }) => ({ type: "bookmark-changed", title, bookmark: null }) as const),
      });
      if (!stored.ok) return stored;
      drafts.tell();
      return ok(answer);
    });
  }

  /**
   * Restores messages from the trash to where they were; to the top, where the message above is gone. SIBLING_EXISTS where
   * the same was said there again.
   */
  restore({ id: trashId, object }: BranchEntry, also: readonly StoreWrite[]): Promise<Result<void, Refusal>> {
    const { conversation, deps, rootId } = this.#base;
    return conversation.command(async () => {
      const kept = await deps.store.trashedNodes(trashId);
      const above = object.parentId === null ? null : await deps.store.node(object.parentId);
      const parent = above?.rootId === rootId ? above : null;
      const nodes = placedBelow(parent, kept);
      const [top] = nodes;
      if (top === undefined) return err(refusal("NOT_IN_TRASH", { trash_id: trashId }));
      const path = parent === null ? [] : await deps.store.path(parent.id);
      const fits = checkRestored([...path, top]);
      if (!fits.ok) return fits;
      const siblings = await deps.store.children(rootId, parent?.id ?? null);
      const twin = siblings.find(({ prefixHash: hash }) => hash === top.prefixHash);
      if (twin !== undefined) return err(refusal("SIBLING_EXISTS", { node_id: top.id, sibling_id: twin.id }));
      const bookmarks = await freeBookmarks(deps.store, object.bookmarks);
      const root = { ...conversation.root, ...withoutUsage(conversation.root, nodes) };
      const drafts = await this.#movedDrafts(nodes, "branch");
      const restored = await conversation.commit({
        writes: [
          ...drafts.writes,
          { type: "drop-trashed-nodes", trashId, restores: true },
          ...nodes.map((node) => ({ type: "put-node", node }) as const),
          { type: "delete-trash", id: trashId },
          ...bookmarks.map((bookmark) => ({ type: "put-bookmark", bookmark }) as const),
          { type: "put-root", root },
          ...also,
        ],
        feed: [
          ...nodes.map((node) => ({ type: "node-added", node }) as const),
          ...bookmarks.map((bookmark) => ({ type: "bookmark-changed", title: bookmark.title, bookmark }) as const),
          { type: "root-changed", root },
        ],
      });
      if (restored.ok) drafts.tell();
      return restored;
    });
  }

  /**
   * Leaves a message out of what models receive, or includes it again. The flag of a round is on its reply, so that a call
   * is never sent without its results, on any branch.
   */
  exclude(
    nodeId: NodeId,
    excluded: boolean,
    remember: Remember<ExcludedNodes>,
  ): Promise<Result<ExcludedNodes, Refusal>> {
    return this.#base.conversation.command(async () => {
      const found = await this.#base.messageHere(nodeId);
      if (!found.ok) return found;
      if (found.value.compacts !== undefined) {
        const words = "A summary is not left out. Switch back to the original messages instead.";
        return err(refusal("MESSAGE_INVALID", { node_id: nodeId }, words));
      }
      const path = await this.#base.deps.store.path(nodeId);
      const reply = path[beginningOfRound(path, path.length - 1)] ?? found.value;
      if (await this.#base.isBeingWritten(new Set([reply.id]))) return err(refusal("BRANCH_BUSY", { node_id: nodeId }));
      const children = await this.#base.deps.store.children(reply.rootId, reply.id);
      const results =
        reply.message.role === "assistant"
          ? (await this.#results(children)).filter(({ message }) => message.role === "tool")
          : [];
      const { excluded: _before, ...rest } = reply;
      const node: ForestNode = excluded ? { ...rest, excluded } : rest;
      const answer = { nodeIds: [node.id, ...results.map(({ id }) => id)] };
      // A summary that was made without a message that is included again does not tell of it.
      const summaries = await outdatedSummaries(this.#base.deps.store, node, new Set());
      const stored = await this.#putNodes([node, ...summaries], remember(answer, node.rootId));
      return stored.ok ? ok(answer) : stored;
    });
  }

  /** Folds a message for people, even while a run writes below it: no model notices. */
  collapse(nodeId: NodeId, collapsed: boolean, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#base.conversation.command(async () => {
      const found = await this.#base.messageHere(nodeId);
      if (!found.ok) return found;
      const { collapsed: _before, ...rest } = found.value;
      return this.#putNodes([collapsed ? { ...rest, collapsed } : rest], remember({}, rest.rootId));
    });
  }

  /** Sets the labels of a node, even while a run writes below it: no model reads labels. */
  label(nodeId: NodeId, { tags, customData }: NodeLabels, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#base.conversation.command(async () => {
      const found = await this.#base.messageHere(nodeId);
      if (!found.ok) return found;
      const { tags: tagsBefore, customData: dataBefore, ...rest } = found.value;
      const nextTags = tags === undefined ? tagsBefore : [...new Set(tags)];
      const nextData = customData === undefined ? dataBefore : (customData ?? undefined);
      const node: ForestNode = {
        ...rest,
        ...(nextTags === undefined || nextTags.length === 0 ? {} : { tags: nextTags }),
        ...(nextData === undefined ? {} : { customData: nextData }),
      };
      return this.#putNodes([node], remember({}, node.rootId));
    });
  }

  /** Replaces the text of a compaction node in place, also where messages follow it; the text names its editor. */
  async #rewriteSummary(
    actor: Actor,
    { node, parent, children }: NodeSurroundings,
    edit: {
      readonly compacts: Compacts;
      readonly content: NonEmptyArray<TextBlock>;
      readonly remember: Remember<ChangedNode>;
    },
  ): Promise<Result<ChangedNode, Refusal>> {
    const text = editedSummaryText(edit.content.map((block) => block.text).join(""), actor.name);
    const message: UserMessage = { role: "user", content: [{ type: "text", text }], instruction: "compaction" };
    const compacts: Compacts = { ...edit.compacts, tokensAfter: roughTokensOf(message), editedBy: actor.name };
    const hash = prefixHash(parent?.prefixHash ?? null, message);
    const answer = { nodeId: node.id };
    const changed: ForestNode = { ...node, message, compacts, prefixHash: hash };
    // The summaries after it were made from its text.
    const later = await outdatedSummaries(this.#base.deps.store, node, new Set());
    const change = { ...noChange, changed: [changed, ...later], rehashedBelow: children.length === 0 ? [] : [node.id] };
    const stored = await this.#apply([], change, { writes: edit.remember(answer, node.rootId), feed: [] });
    return stored.ok ? ok(answer) : stored;
  }

  /** Stores nodes whose messages are unchanged. */
  #putNodes(nodes: readonly ForestNode[], besides: readonly StoreWrite[]): Promise<Result<void, Refusal>> {
    const { conversation } = this.#base;
    return conversation.commit({
      writes: [...nodes.map((node) => ({ type: "put-node", node }) as const), ...besides],
      feed: nodes.map((node) => ({ type: "node-changed", node })),
      runs: headChanges(conversation.runs, { known: [], changed: nodes, removed: [] }),
    });
  }

  /** Reads a node and what a decision about it needs, unless a run writes at it or below it. */
  async #around(nodeId: NodeId): Promise<Result<NodeSurroundings, Refusal>> {
    const { store } = this.#base.deps;
    const found = await this.#base.messageHere(nodeId);
    if (!found.ok) return found;
    if (await this.#base.isBeingWritten(new Set([nodeId]))) {
      return err(refusal("BRANCH_BUSY", { node_id: nodeId }));
    }
    const node = found.value;
    const [parent, siblings, children] = await Promise.all([
      node.parentId === null ? null : store.node(node.parentId),
      store.children(node.rootId, node.parentId),
      store.children(node.rootId, node.id),
    ]);
    return ok({ node, parent, siblings, children });
  }

  /** Returns all descendants of a node, parents before children. */
  async #below({ id }: ForestNode): Promise<readonly ForestNode[]> {
    return (await this.#base.deps.store.subtree(id)).filter((each) => each.id !== id);
  }

  /** Returns nodes that are tool results, with the results below them: parents before children. */
  async #results(children: readonly ForestNode[]): Promise<readonly ForestNode[]> {
    const found: ForestNode[] = [];
    for (let level = children; level.length > 0;) {
      found.push(...level);
      const results = level.filter(({ message }) => message.role === "tool");
      const { store } = this.#base.deps;
      level = (await Promise.all(results.map(({ rootId, id }) => store.children(rootId, id)))).flat();
    }
    return found;
  }

  /** Keeps the taint of nodes that move up: they may repeat words of the deleted message. */
  async #withTaint(change: ForestChange, below: readonly ForestNode[]): Promise<ForestChange> {
    const parentById = new Map(below.map(({ id, parentId }) => [id, parentId]));
    const taintByParent = new Map<NodeId | null, Taint>();
    const changed: ForestNode[] = [];
    for (const node of change.changed) {
      const parentId = parentById.get(node.id) ?? null;
      const taint = taintByParent.get(parentId) ?? (await taintAt(this.#base.deps, parentId));
      taintByParent.set(parentId, taint);
      const isTainted = taint.holdsPrivate || taint.holdsUntrusted;
      changed.push(isTainted ? { ...node, taint: joinTaints(taint, node.taint ?? noTaint) } : node);
    }
    return { ...change, changed };
  }

  /** Marks the summaries below a deleted node, which may still tell of it. */
  async #withOutdated(node: ForestNode, change: ForestChange): Promise<ForestChange> {
    const summaries = await outdatedSummaries(this.#base.deps.store, node, new Set(change.removed));
    const movedById = new Map(change.changed.map((each) => [each.id, each]));
    for (const each of summaries) {
      movedById.set(each.id, {
        ...(movedById.get(each.id) ?? each),
        ...(each.compacts && { compacts: each.compacts }),
      });
    }
    return { ...change, changed: [...movedById.values()] };
  }

  /** The drafts of messages go to the trash with them, and come back. */
  #movedDrafts(nodes: readonly ForestNode[], to: "trash" | "branch"): ReturnType<BranchDrafts["moved"]> {
    const { deps, rootId, conversation } = this.#base;
    const { canvasId } = conversation.root;
    return (deps.drafts ?? noBranchDrafts).moved({ rootId, canvasId, nodes, to });
  }

  async #bookmarksOn(ids: ReadonlySet<NodeId>): Promise<readonly Bookmark[]> {
    const bookmarks = await this.#base.deps.store.bookmarks(this.#base.rootId);
    return bookmarks.filter(({ nodeId }) => nodeId !== null && ids.has(nodeId));
  }

  /** Applies a change. `known`: the removed nodes, their ancestors, and the nodes whose text changes. */
  async #apply(known: readonly ForestNode[], change: ForestChange, besides: Besides): Promise<Result<void, Refusal>> {
    const { conversation, rootId, deps } = this.#base;
    const { added, changed, removed, rehashedBelow } = change;
    const at = deps.platform.clock.now();
    const runs = headChanges(conversation.runs, { known, changed, removed });
    const moved = runs.filter(({ run, next }) => next.head?.id !== run.snapshot.head?.id);
    const root = this.#withSpent(known, change);
    const stored = await conversation.commit({
      writes: [
        ...[...added, ...changed].map((node) => ({ type: "put-node", node }) as const),
        ...(removed.length === 0 ? [] : [{ type: "delete-nodes", rootId, ids: removed, at } as const]),
        ...rehashedBelow.map((nodeId) => ({ type: "rehash-below", nodeId }) as const),
        ...(root === null ? [] : [{ type: "put-root", root } as const]),
        ...besides.writes,
      ],
      feed: [
        ...added.map((node) => ({ type: "node-added", node }) as const),
        ...changed.map((node) => ({ type: "node-changed", node }) as const),
        ...(removed.length === 0 ? [] : [{ type: "nodes-removed", ids: removed } as const]),
        ...(root === null ? [] : [{ type: "root-changed", root } as const]),
        ...besides.feed,
        ...moved.map(({ next }) => statusOf(next)),
      ],
      runs,
    });
    if (stored.ok && rehashedBelow.length > 0) await conversation.readHeads();
    return stored;
  }

  /** Returns the root with the usage of deleted and rewritten replies added; null if they cost nothing. */
  #withSpent(known: readonly ForestNode[], { removed, changed }: ForestChange): ForestRoot | null {
    const removedIds = new Set(removed);
    const unpaid = new Set(changed.filter(({ usage }) => usage === null).map(({ id }) => id));
    const lost = known.filter(({ id, usage }) => removedIds.has(id) || (unpaid.has(id) && usage !== null));
    const { root } = this.#base.conversation;
    if (usageWith([], lost).length === 0) return null;
    const deletedUsage = usageWith(root.deletedUsage ?? [], lost);
    return { ...root, deletedUsage, updatedAt: this.#base.deps.platform.clock.now() };
  }
}
