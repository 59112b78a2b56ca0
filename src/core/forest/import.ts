import type { NodeId, RootId } from "../base/ids.ts";
import { must } from "../base/assert.ts";
import type { PortableNode } from "./portable.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** Where a tree is taken over to. */
export interface ImportWish {
  readonly rootId: RootId;
  /** Arranged: parents before children. */
  readonly nodes: readonly PortableNode[];
  /** One for each node. */
  readonly newIds: readonly NodeId[];
  /** What the root has already: its nodes by prefix hash. Empty for a new root. */
  readonly standing: ReadonlyMap<string, NodeId>;
}

/** What taking a tree over adds here. */
export interface ImportPlan {
  /** Parents before children. */
  readonly added: readonly ForestNode[];
  /** What each node of the source is called here. */
  readonly idsBySource: ReadonlyMap<string, NodeId>;
}

/**
 * Gives the nodes of another tree a place in this one. A node that says what stands at its place already is that one, so
 * that taking the same tree over twice adds nothing the second time. Hashes are computed anew, ids are new.
 */
export function planImport({ rootId, nodes, newIds, standing }: ImportWish): ImportPlan {
  const idsByHash = new Map(standing);
  const placesBySource = new Map<string, { readonly id: NodeId; readonly hash: string }>();
  const added: { readonly node: ForestNode; readonly splitFrom?: string; readonly continues?: string }[] = [];
  for (const [index, { splitFrom, continues, ...source }] of nodes.entries()) {
    const above = source.parentId === null ? null : must(placesBySource.get(source.parentId), "parents come first");
    const hash = prefixHash(above?.hash ?? null, source.message);
    const twin = idsByHash.get(hash);
    const id = twin ?? must(newIds[index], "there is an id for each node");
    placesBySource.set(source.id, { id, hash });
    if (twin !== undefined) continue;
    idsByHash.set(hash, id);
    const node = { ...source, id, rootId, parentId: above?.id ?? null, prefixHash: hash, runId: null, turnId: null };
    added.push({
      node,
      ...(splitFrom === undefined ? {} : { splitFrom }),
      ...(continues === undefined ? {} : { continues }),
    });
  }
  const idsBySource = new Map([...placesBySource].map(([source, { id }]) => [source, id]));
  return {
    added: added.map(({ node, splitFrom, continues }) => {
      const rest = idsBySource.get(splitFrom ?? "");
      const full = idsBySource.get(continues ?? "");
      return {
        ...node,
        ...(rest === undefined ? {} : { splitFrom: rest }),
        ...(full === undefined ? {} : { continues: full }),
      };
    }),
    idsBySource,
  };
}
