import type { ActorId, NodeId, RootId } from "../base/ids.ts";
import type { PersonActor } from "../base/actor.ts";
import type { Message } from "../message/types.ts";
import type { DeleteSurroundings } from "./delete.ts";
import type { ForestChange, NodeSurroundings } from "./forest-change.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

export const ada: PersonActor = { type: "person", id: "ada" as ActorId, name: "Ada" };
export const bob: PersonActor = { type: "person", id: "bob" as ActorId, name: "Bob" };

/** One root's tree in an array, with the lookups that a store does for the host. Ids are `n0`, `n1`, … */
export class Tree {
  nodes: readonly ForestNode[] = [];
  #made = 0;

  newId(): NodeId {
    this.#made += 1;
    return `n${this.#made - 1}` as NodeId;
  }

  /** Adds a chain below a node and returns its last node. */
  grow(parentId: NodeId | null, ...messages: readonly [Message, ...Message[]]): ForestNode {
    let parent = parentId === null ? null : this.node(parentId);
    let last: ForestNode | null = null;
    for (const message of messages) {
      last = {
        id: this.newId(),
        rootId: "root" as RootId,
        parentId: parent?.id ?? null,
        prefixHash: prefixHash(parent?.prefixHash ?? null, message),
        message,
        actor: ada,
        runId: null,
        turnId: null,
        usage: null,
        createdAt: this.#made,
      };
      this.nodes = [...this.nodes, last];
      parent = last;
    }
    if (last === null) throw new Error("a chain has a node");
    return last;
  }

  /** Stores a change like a store: a changed node keeps its place among its siblings, a new one comes last. */
  store({ added, changed, removed, rehashedBelow }: ForestChange): void {
    const byId = new Map(changed.map((node) => [node.id, node]));
    this.nodes = [...this.nodes, ...added]
      .map((node) => byId.get(node.id) ?? node)
      .filter((node) => !removed.includes(node.id));
    for (const id of rehashedBelow) this.#rehashBelow(this.node(id));
  }

  #rehashBelow({ id, prefixHash: above }: ForestNode): void {
    for (const child of this.children(id)) {
      const next = { ...child, prefixHash: prefixHash(above, child.message) };
      this.nodes = this.nodes.map((each) => (each.id === child.id ? next : each));
      this.#rehashBelow(next);
    }
  }

  node(id: NodeId): ForestNode {
    const found = this.nodes.find((each) => each.id === id);
    if (found === undefined) throw new Error(`there is no node ${id}`);
    return found;
  }

  children(parentId: NodeId | null): readonly ForestNode[] {
    return this.nodes.filter((each) => each.parentId === parentId);
  }

  below(id: NodeId): readonly ForestNode[] {
    return this.children(id).flatMap((child) => [child, ...this.below(child.id)]);
  }

  /** Returns the descendants of a node as far as results go: the input of a reparenting. */
  near(id: NodeId): readonly ForestNode[] {
    return this.children(id).flatMap((child) => [child, ...(child.message.role === "tool" ? this.near(child.id) : [])]);
  }

  path(id: NodeId): readonly ForestNode[] {
    const node = this.node(id);
    return node.parentId === null ? [node] : [...this.path(node.parentId), node];
  }

  around(id: NodeId): NodeSurroundings & DeleteSurroundings {
    const node = this.node(id);
    const above = this.path(id).slice(0, -1);
    const parent = above.at(-1) ?? null;
    const children = this.children(id);
    return { node, parent, above, siblings: this.children(node.parentId), children, below: this.below(id) };
  }

  /** Returns the tree as nested texts with ids: `["n0 u", ["n1 a"], ["n2 b"]]`. */
  shape(parentId: NodeId | null = null): readonly unknown[] {
    return this.children(parentId).map((node) => [`${node.id} ${wordsOf(node.message)}`, ...this.shape(node.id)]);
  }
}

/** Returns the text of a message, shortened to its kinds of blocks. */
export function wordsOf(message: Message): string {
  return message.content
    .map((block) => (block.type === "text" ? block.text : block.type === "tool-use" ? `?${block.id}` : block.type))
    .join("");
}
