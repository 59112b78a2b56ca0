/** A server process of a cluster, as its row in the database says. All times are judged by the database's clock. */
export interface NodeRow {
  /** Kept in the node's data folder. */
  readonly nodeId: string;
  /** One start of the node; never used twice. */
  readonly incarnation: number;
  readonly state: "live" | "draining" | "dead";
  /** Milliseconds until the row expires; negative once it has. */
  readonly remainingMs: number;
  readonly ttlMs: number;
  /** Differs whenever the row was renewed. */
  readonly stamp: string;
  /** Where other nodes reach it, `host:port`. */
  readonly address: string;
}

/** Which node may write, and under which epoch. The epoch rises with every owner and is never used twice. */
interface ClaimRow {
  /** Null: nobody has ever had it. */
  readonly incarnation: number | null;
  readonly epoch: number;
}

/** What one look at the database finds. */
export interface ClusterView {
  /** Those that are not dead. */
  readonly nodes: readonly NodeRow[];
  readonly claim: ClaimRow;
}

/** Whether a row has run out: its time has passed, or the database's clock was set back so far that it says nothing. */
export function hasExpired({ remainingMs, ttlMs }: NodeRow): boolean {
  return remainingMs < 0 || remainingMs > 2 * ttlMs;
}

/** Returns the node that has the claim; null when nobody living has it. */
export function ownerIn({ nodes, claim }: ClusterView): NodeRow | null {
  return nodes.find(({ incarnation }) => incarnation === claim.incarnation) ?? null;
}
