/** How far a node is with the right to write. */
export const claimTypes = ["none", "acquiring", "opening", "serving", "closing", "handing-over"] as const;
export type ClaimType = (typeof claimTypes)[number];

/** Counts and times what a node of a cluster does. */
export interface NodeMeters {
  /** `late`: the node had stopped acting on its memory by then. `failed`: the database did not answer. */
  renewed(outcome: "in-time" | "late" | "failed"): void;
  /** A write was refused since the right to write is another's. */
  fenceRefused(): void;
  /** This node declared another dead. */
  reaped(): void;
  /** Sessions of a dead node were ended, since they held its row. */
  sessionsEnded(count: number): void;
  claimChanged(claim: ClaimType): void;
  /** From asking for the right to write until the workspace was served. */
  tookOver(seconds: number): void;
  /** From the request to stop until another node had the right. */
  handedOver(seconds: number): void;
  /** A client connected: it is served here, or passed on to the owner. */
  clientCame(way: "here" | "passed-on"): void;
  /** Bytes of clients went over a link between nodes. */
  linkCarried(direction: "in" | "out", bytes: number): void;
  /** What goes over a link has to wait until the other side has read. */
  linkStalled(): void;
  /**
   * `joined`: one of several that were told as one. `useless`: nothing had changed. `missed`: a change was found by looking,
   * before or without a hint.
   */
  hint(type: "sent" | "joined" | "useless" | "missed"): void;
  /** A transaction of so many commits was made. */
  committed(transaction: { readonly commits: number; readonly seconds: number }): void;
  /** A client was refused or let go, since this node's time had run out. */
  pauseTold(): void;
}
