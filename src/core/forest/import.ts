import type { NodeId, RootId } from "../base/ids.ts";
import { must } from "../base/assert.ts";
import type { PortableNode } from "./portable.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** The destination of an import. */
export interface ImportWish {
  readonly rootId: RootId;
  /** Arranged: parents before children. */
  readonly nodes: readonly PortableNode[];
  /** One for each node. */
  readonly newIds: readonly NodeId[];
  /** The existing nodes of the root by prefix hash. Empty for a new root. */
  readonly existing: ReadonlyMap<string, NodeId>;
}

/** The additions of an import. */
export interface ImportPlan {
  /** Parents before children. */
  readonly added: readonly ForestNode[];
  /** The new id of each node of the source. */
  readonly idsBySource: ReadonlyMap<string, NodeId>;
}

/** A new node, and what its source says about other nodes of the source. */
type AddedNode = { readonly node: ForestNode } & Pick<PortableNode, "splitFrom" | "continues" | "compacts">;

/**
 * Plans the import of another tree's nodes. A node whose message exists at its place already becomes that node, so
 * a repeated import adds nothing. Hashes are recomputed, ids are new.
 */
export function planImport({ rootId, nodes, newIds, existing }: ImportWish): ImportPlan {
  const idsByHash = new Map(existing);
  const placesBySource = new Map<string, { readonly id: NodeId; readonly hash: string }>();
  const added: AddedNode[] = [];
  for (const [index, { splitFrom, continues, compacts, spent: _spent, ...source }] of nodes.entries()) {
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
      ...(compacts === undefined ? {} : { compacts }),
    });
  }
  const idsBySource = new Map([...placesBySource].map(([source, { id }]) => [source, id]));
  return {
    added: added.map(({ node, splitFrom, continues, compacts }) => {
      const rest = idsBySource.get(splitFrom ?? "");
      const full = idsBySource.get(continues ?? "");
      return {
        ...node,
        ...(rest === undefined ? {} : { splitFrom: rest }),
        ...(full === undefined ? {} : { continues: full }),
        ...(compacts === undefined
          ? {}
          : { compacts: { ...compacts, through: idsBySource.get(compacts.through ?? "") ?? null } }),
      };
    }),
    idsBySource,
  };
}
