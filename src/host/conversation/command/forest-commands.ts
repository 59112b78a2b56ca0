import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { planContentEdit } from "../../../core/forest/content-edit.ts";
import { planDelete, type DeleteMode } from "../../../core/forest/delete.ts";
import type { ForestChange, NodeSurroundings } from "../../../core/forest/forest-change.ts";
import { planSplit } from "../../../core/forest/split.ts";
import type { Bookmark, ForestNode, ForestRoot, Taint } from "../../../core/forest/types.ts";
import type { TextBlock } from "../../../core/message/types.ts";
import { usageWith } from "../../../core/model/spent.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { RunFeedBody } from "../../../core/turn/feed.ts";
import { joinTaints, noTaint } from "../../../core/turn/taint.ts";
import type { Remember } from "../../base/once.ts";
import type { CommandGround } from "./command-base.ts";
import { taintAt } from "../run/context-taint.ts";
import { headChanges } from "../plan/head-changes.ts";
import { statusOf } from "../base/run-snapshot.ts";
import type { ChangedNode, Done, NodeLabels, RemovedNodes } from "../base/types.ts";

/** What is stored in the transaction of a change of the tree besides the change. */
interface Besides {
  readonly writes: readonly StoreWrite[];
  readonly feed: readonly RunFeedBody[];
}

/**
 * What people change in the tree of one conversation. Each is one transaction in its queue, and touches no branch that is
 * being written.
 */
export class ForestCommands {
  readonly #ground: CommandGround;

  constructor(ground: CommandGround) {
    this.#ground = ground;
  }

  /** Makes two nodes of one; answers the new one, which holds the first half. */
  split(nodeId: NodeId, at: number, remember: Remember<ChangedNode>): Promise<Result<ChangedNode, Refusal>> {
    return this.#ground.conversation.command(async () => {
      const around = await this.#around(nodeId);
      if (!around.ok) return around;
      const { ids, platform } = this.#ground.deps;
      const plan = planSplit(around.value, { at, newId: ids.node(), now: platform.clock.now() });
      if (!plan.ok) return plan;
      const answer = { nodeId: plan.value.left.id };
      const stored = await this.#apply([], plan.value, { writes: remember(answer, this.#ground.rootId), feed: [] });
      return stored.ok ? ok(answer) : stored;
    });
  }

  /** Gives a node another text by the rules of `planContentEdit`; its bookmarks follow the text. */
  rewrite(
    actor: Actor,
    nodeId: NodeId,
    { content, remember }: { readonly content: NonEmptyArray<TextBlock>; readonly remember: Remember<ChangedNode> },
  ): Promise<Result<ChangedNode, Refusal>> {
    return this.#ground.conversation.command(async () => {
      const around = await this.#around(nodeId);
      if (!around.ok) return around;
      const { ids, platform } = this.#ground.deps;
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
          ...remember(answer, this.#ground.rootId),
        ],
        feed: moved.map((bookmark) => ({ type: "bookmark-changed", title: bookmark.title, bookmark }) as const),
      });
      return stored.ok ? ok(answer) : stored;
    });
  }

  /**
   * Takes a node out, with everything below it or (`reparent`) alone. What carries a bookmark stays, unless `force` says that the
   * bookmark may go with it. A node that is gone already has been deleted.
   */
  delete(
    nodeId: NodeId,
    { reparent = false, force = false }: { readonly reparent?: boolean; readonly force?: boolean },
    remember: Remember<RemovedNodes>,
  ): Promise<Result<RemovedNodes, Refusal>> {
    const { conversation, deps } = this.#ground;
    return conversation.command(async () => {
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
      const change = await this.#withTaint(plan.value, below);
      const answer = { nodeIds: plan.value.removed };
      const stored = await this.#apply([...above, node, ...below], change, {
        writes: remember(answer, this.#ground.rootId),
        feed: marked.map(({ title }) => ({ type: "bookmark-changed", title, bookmark: null }) as const),
      });
      return stored.ok ? ok(answer) : stored;
    });
  }

  /** Sets the labels of a node. Whoever writes below it is not disturbed: no model reads them. */
  label(nodeId: NodeId, { tags, customData }: NodeLabels, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#ground.conversation.command(async () => {
      const found = await this.#ground.messageHere(nodeId);
      if (!found.ok) return found;
      const { tags: tagsBefore, customData: dataBefore, ...rest } = found.value;
      const nextTags = tags === undefined ? tagsBefore : [...new Set(tags)];
      const nextData = customData === undefined ? dataBefore : (customData ?? undefined);
      const node: ForestNode = {
        ...rest,
        ...(nextTags === undefined || nextTags.length === 0 ? {} : { tags: nextTags }),
        ...(nextData === undefined ? {} : { customData: nextData }),
      };
      const { conversation } = this.#ground;
      return conversation.commit({
        writes: [{ type: "put-node", node }, ...remember({}, node.rootId)],
        feed: [{ type: "node-changed", node }],
        runs: headChanges(conversation.runs, { known: [], changed: [node], removed: [] }),
      });
    });
  }

  /** A node and what a decision about it must know, provided that nobody writes at it or below it. */
  async #around(nodeId: NodeId): Promise<Result<NodeSurroundings, Refusal>> {
    const { store } = this.#ground.deps;
    const found = await this.#ground.messageHere(nodeId);
    if (!found.ok) return found;
    if (await this.#ground.isBeingWritten(new Set([nodeId]))) {
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

  /** Everything below a node, parents before children. */
  async #below({ id }: ForestNode): Promise<readonly ForestNode[]> {
    return (await this.#ground.deps.store.subtree(id)).filter((each) => each.id !== id);
  }

  /** Nodes, and what is below those of them that are results, as far as there are results: parents before children. */
  async #results(children: readonly ForestNode[]): Promise<readonly ForestNode[]> {
    const found: ForestNode[] = [];
    for (let level = children; level.length > 0;) {
      found.push(...level);
      const results = level.filter(({ message }) => message.role === "tool");
      const { store } = this.#ground.deps;
      level = (await Promise.all(results.map(({ rootId, id }) => store.children(rootId, id)))).flat();
    }
    return found;
  }

  /** What moves up keeps what was in its context: what was taken out may stand in it in other words. */
  async #withTaint(change: ForestChange, below: readonly ForestNode[]): Promise<ForestChange> {
    const parentById = new Map(below.map(({ id, parentId }) => [id, parentId]));
    const taintByParent = new Map<NodeId | null, Taint>();
    const changed: ForestNode[] = [];
    for (const node of change.changed) {
      const parentId = parentById.get(node.id) ?? null;
      const taint = taintByParent.get(parentId) ?? (await taintAt(this.#ground.deps, parentId));
      taintByParent.set(parentId, taint);
      const isTainted = taint.holdsPrivate || taint.holdsUntrusted;
      changed.push(isTainted ? { ...node, taint: joinTaints(taint, node.taint ?? noTaint) } : node);
    }
    return { ...change, changed };
  }

  async #bookmarksOn(ids: ReadonlySet<NodeId>): Promise<readonly Bookmark[]> {
    const bookmarks = await this.#ground.deps.store.bookmarks(this.#ground.rootId);
    return bookmarks.filter(({ nodeId }) => nodeId !== null && ids.has(nodeId));
  }

  /** `known`: the removed nodes, those above them, and those that get another text. */
  async #apply(known: readonly ForestNode[], change: ForestChange, besides: Besides): Promise<Result<void, Refusal>> {
    const { conversation, rootId, deps } = this.#ground;
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

  /** The conversation that remembers what replies had cost that are no more as they came; null where none was paid for. */
  #withSpent(known: readonly ForestNode[], { removed, changed }: ForestChange): ForestRoot | null {
    const gone = new Set(removed);
    const unpaid = new Set(changed.filter(({ usage }) => usage === null).map(({ id }) => id));
    const lost = known.filter(({ id, usage }) => gone.has(id) || (unpaid.has(id) && usage !== null));
    const { root } = this.#ground.conversation;
    if (usageWith([], lost).length === 0) return null;
    const deletedUsage = usageWith(root.deletedUsage ?? [], lost);
    return { ...root, deletedUsage, updatedAt: this.#ground.deps.platform.clock.now() };
  }
}
