import type { ClusterView } from "../cluster/cluster-view.ts";

/** What a node says of itself when it joins. */
export interface JoiningNode {
  readonly nodeId: string;
  readonly ttlMs: number;
  /** Where other nodes reach it, `host:port`. */
  readonly address: string;
  /**
   * The incarnation that this process had before; null at its start. A process that starts takes the node's row whatever it
   * says; one that joins again takes only its own, a dead or an expired one, else two would throw each other out for ever.
   */
  readonly again: number | null;
}

/**
 * The rows of a cluster in its database. Each method is one transaction, and rejects when the database does not answer;
 * then it may have taken effect.
 */
export interface ClusterTable {
  /** Makes a new incarnation, after any open transaction of the one before. Null: another process runs as this node. */
  join(node: JoiningNode): Promise<number | null>;
  /**
   * Renews the row of an incarnation. False: it is dead. A row that a transaction of this node holds counts as renewed later,
   * by that transaction: null.
   */
  renew(incarnation: number): Promise<boolean | null>;
  look(): Promise<ClusterView>;
  /** Declares an expired incarnation dead, and ends its open transaction first. Does nothing to one that has renewed. */
  reap(incarnation: number): Promise<void>;
  /** Takes the right to write, if nobody living has it and its epoch is this one. Returns the new epoch. */
  acquire(incarnation: number, epoch: number): Promise<number | null>;
  /** Gives the right to write to a live node, after any open transaction of this one. False: it is no longer ours, or the other is gone. */
  handOver(incarnation: number, epoch: number, to: number): Promise<boolean>;
  /** Lets no node hand anything over to this one. */
  drain(incarnation: number): Promise<void>;
  /** Declares an incarnation dead itself, after its open transaction. */
  leave(incarnation: number): Promise<void>;
  /** Calls back soon after rows changed; may call too often, late, or not at all. Returns what ends it. */
  onHint(listener: () => void): () => void;
  /** The secret of this cluster's links. */
  readonly secret: Uint8Array;
  close(): Promise<void>;
}
