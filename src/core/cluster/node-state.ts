import { hasExpired, ownerIn, type ClusterView, type NodeRow } from "./cluster-view.ts";
import { placed } from "./placement.ts";

/** What a node is, for as long as its process lives. */
export interface NodeIdentity {
  readonly nodeId: string;
  /** How long a row is valid without a renewal. */
  readonly ttlMs: number;
}

/** An instant on both of a process's clocks. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** How far this process is with the right to write. */
type Claim =
  | { readonly type: "none" }
  | { readonly type: "acquiring" }
  /** The rows give it to this process; it loads what it will serve. */
  | { readonly type: "opening" | "serving"; readonly epoch: number; readonly sinceMs: number }
  /** What it served is being closed; `handsOver` when the right is still its own then. */
  | { readonly type: "closing"; readonly epoch: number; readonly handsOver: boolean }
  | { readonly type: "handing-over"; readonly epoch: number };

/** A node's own view of itself and of the others. */
export interface NodeState {
  readonly identity: NodeIdentity;
  readonly phase: "joining" | "live" | "over" | "draining" | "leaving" | "gone";
  /** Null before the first join. */
  readonly incarnation: number | null;
  /** When the last renewal that succeeded was sent; null: none. */
  readonly renewed: Instant | null;
  readonly claim: Claim;
  /** Since when each row has been unchanged, by this process's own clock. */
  readonly unchangedSince: ReadonlyMap<number, { readonly stamp: string; readonly sinceMs: number }>;
  /** Since when nobody living has had the right to write; null while somebody has. */
  readonly freeSinceMs: number | null;
  /** The epoch of an owner that was seen to live, by this incarnation and while the database was there; null: none was. */
  readonly witnessed: number | null;
  readonly view: ClusterView | null;
}

export type NodeEvent =
  /** The join was answered; null: another process runs as this node. */
  | { readonly type: "joined"; readonly incarnation: number | null; readonly sent: Instant }
  /** A renewal or a commit of this incarnation was answered. */
  | { readonly type: "renewed"; readonly incarnation: number; readonly sent: Instant }
  /** The row is gone or dead, or a write was refused as stale: nothing of this incarnation counts any longer. */
  | { readonly type: "ended"; readonly incarnation: number }
  | { readonly type: "looked"; readonly view: ClusterView; readonly askedMs: number; readonly nowMs: number }
  /** The database did not answer: the time in which rows were unchanged is counted again. */
  | { readonly type: "database-away" }
  /** The epoch of the right that was acquired; null: another was sooner. */
  | { readonly type: "acquired"; readonly epoch: number | null; readonly nowMs: number }
  | { readonly type: "opened"; readonly epoch: number }
  | { readonly type: "open-failed"; readonly epoch: number }
  | { readonly type: "closed" }
  | { readonly type: "handed-over" }
  | { readonly type: "stop-requested" }
  | { readonly type: "left" };

export type NodeEffect =
  | { readonly type: "join"; readonly again: number | null }
  | { readonly type: "reap"; readonly incarnation: number }
  | { readonly type: "acquire"; readonly epoch: number }
  /** Load and serve under this epoch. `follows`: the owner right before was seen to live, so that its history goes on. */
  | { readonly type: "open"; readonly epoch: number; readonly follows: boolean }
  /** Stop serving and drop what was loaded; answered by `closed`. */
  | { readonly type: "close" }
  /** Let no other node choose this one. */
  | { readonly type: "drain" }
  | { readonly type: "hand-over"; readonly epoch: number; readonly to: number }
  /** Declare this incarnation dead itself. */
  | { readonly type: "leave" }
  | { readonly type: "exit"; readonly reason: "taken" | "open-failed" | "stopped" };

export interface NodeStep {
  readonly state: NodeState;
  readonly effects: readonly NodeEffect[];
}

/** How long before its time runs out a node stops by itself. */
const stopEarlyMs = 250;
/** How long after a row has run out it is declared dead. */
const reapDelayMs = 20;
/** How long the second best node leaves a free right to the best, the third to both, and so on. */
const patienceMs = 300;
/** The one right to write of a workspace. */
export const workspaceKey = "w/all";

export function startingNode(identity: NodeIdentity): NodeStep {
  const state: NodeState = {
    identity,
    phase: "joining",
    incarnation: null,
    renewed: null,
    claim: { type: "none" },
    unchangedSince: new Map(),
    freeSinceMs: null,
    witnessed: null,
    view: null,
  };
  return { state, effects: [{ type: "join", again: null }] };
}

/**
 * Whether a node must not act on what it has in memory: its time has nearly run out, or the machine slept, during which the
 * monotonic clock is stopped. Another may own everything since then.
 */
export function isLate({ identity, renewed, phase }: NodeState, now: Instant): boolean {
  if (renewed === null || (phase !== "live" && phase !== "draining")) return true;
  const passedMs = now.monotonicMs - renewed.monotonicMs;
  const sleptMs = now.wallMs - renewed.wallMs - passedMs;
  return passedMs > identity.ttlMs - stopEarlyMs || sleptMs > identity.ttlMs / 4;
}

/** Returns in how many milliseconds to look at the database again, at the latest. */
export function nextLookMs(
  { identity, unchangedSince, freeSinceMs, incarnation, view }: NodeState,
  now: number,
): number {
  const usualMs = Math.min(400, identity.ttlMs / 4);
  const others = (view?.nodes ?? []).filter((row) => row.incarnation !== incarnation);
  const reaps = others.map((row) => {
    const sinceMs = unchangedSince.get(row.incarnation)?.sinceMs ?? now;
    return Math.max(row.remainingMs + reapDelayMs, sinceMs + identity.ttlMs / 2 - now);
  });
  const turn = freeSinceMs === null ? [] : [freeSinceMs + patienceMs - now];
  return Math.max(5, Math.min(usualMs, ...[...reaps, ...turn].filter((ms) => ms > 0)));
}

/** Decides what an event does to a node. Pure. */
export function stepNode(state: NodeState, event: NodeEvent): NodeStep {
  switch (event.type) {
    case "joined":
      return joined(state, event);
    case "renewed":
      return event.incarnation === state.incarnation
        ? keep({ ...state, renewed: later(state.renewed, event.sent) })
        : keep(state);
    case "ended":
      return event.incarnation === state.incarnation ? ended(state) : keep(state);
    case "looked":
      return looked(state, event);
    case "database-away":
      return keep({ ...state, unchangedSince: new Map(), freeSinceMs: null, witnessed: null });
    case "acquired":
      return acquired(state, event);
    case "opened":
      return state.claim.type === "opening" && state.claim.epoch === event.epoch
        ? keep({ ...state, claim: { ...state.claim, type: "serving" } })
        : keep(state);
    case "open-failed":
      return state.claim.type === "opening" && state.claim.epoch === event.epoch
        ? {
            state: { ...state, phase: "leaving", claim: none },
            effects: [{ type: "leave" }, { type: "exit", reason: "open-failed" }],
          }
        : keep(state);
    case "closed":
      return closed(state);
    case "handed-over":
      return state.claim.type === "handing-over" ? leave({ ...state, claim: none }) : keep(state);
    case "stop-requested":
      return stopRequested(state);
    case "left":
      return { state: { ...state, phase: "gone" }, effects: [{ type: "exit", reason: "stopped" }] };
  }
}

const none: Claim = { type: "none" };

function keep(state: NodeState): NodeStep {
  return { state, effects: [] };
}

function later(known: Instant | null, sent: Instant): Instant {
  return known !== null && known.monotonicMs > sent.monotonicMs ? known : sent;
}

function joined(state: NodeState, { incarnation, sent }: Extract<NodeEvent, { type: "joined" }>): NodeStep {
  if (incarnation !== null && (state.phase === "leaving" || state.phase === "gone")) {
    return { state: { ...state, incarnation }, effects: [{ type: "leave" }] };
  }
  if (state.phase !== "joining") return keep(state);
  if (incarnation === null) return { state: { ...state, phase: "gone" }, effects: [{ type: "exit", reason: "taken" }] };
  return keep({
    ...state,
    phase: "live",
    incarnation,
    renewed: sent,
    claim: none,
    unchangedSince: new Map(),
    freeSinceMs: null,
    witnessed: null,
    view: null,
  });
}

/** Everything of the incarnation is lost; it joins again once nothing of it runs. */
function ended(state: NodeState): NodeStep {
  if (state.phase === "gone" || state.phase === "leaving" || state.phase === "joining") return keep(state);
  const isDraining = state.phase === "draining";
  const over: NodeState = { ...state, phase: isDraining ? "draining" : "over", renewed: null };
  switch (state.claim.type) {
    case "opening":
    case "serving":
      return {
        state: { ...over, claim: { type: "closing", epoch: state.claim.epoch, handsOver: false } },
        effects: [{ type: "close" }],
      };
    case "closing":
      return keep({ ...over, claim: { ...state.claim, handsOver: false } });
    case "none":
    case "acquiring":
    case "handing-over":
      return isDraining ? leave({ ...over, claim: none }) : rejoin({ ...over, claim: none });
  }
}

function rejoin(state: NodeState): NodeStep {
  return { state: { ...state, phase: "joining" }, effects: [{ type: "join", again: state.incarnation }] };
}

function leave(state: NodeState): NodeStep {
  return { state: { ...state, phase: "leaving" }, effects: [{ type: "leave" }] };
}

function looked(state: NodeState, { view, askedMs, nowMs }: Extract<NodeEvent, { type: "looked" }>): NodeStep {
  if (state.phase !== "live" && state.phase !== "draining") return keep(state);
  if (!view.nodes.some(({ incarnation }) => incarnation === state.incarnation)) return ended(state);
  const unchangedSince = new Map(
    view.nodes.map(({ incarnation, stamp }) => {
      const known = state.unchangedSince.get(incarnation);
      return [incarnation, known?.stamp === stamp ? known : { stamp, sinceMs: askedMs }];
    }),
  );
  const seen: NodeState = { ...state, view, unchangedSince, witnessed: witnessedIn(state, view) };
  const reaps = view.nodes
    .filter((row) => row.incarnation !== state.incarnation && mayReap(seen, row, nowMs))
    .map(({ incarnation }): NodeEffect => ({ type: "reap", incarnation }));
  const next = ownerIn(view) === null ? free(seen, nowMs) : owned(seen, askedMs, nowMs);
  return { state: next.state, effects: [...reaps, ...next.effects] };
}

/** An owner lives whose row was renewed between two looks under one epoch. */
function witnessedIn({ view: before, witnessed }: NodeState, view: ClusterView): number | null {
  const known = before?.claim.epoch === view.claim.epoch ? ownerIn(before) : null;
  const owner = ownerIn(view);
  const isRenewed = owner !== null && known?.incarnation === owner.incarnation && known.stamp !== owner.stamp;
  return isRenewed ? view.claim.epoch : witnessed;
}

/** A row that nobody has renewed for half its time, though the database was there: its node is not. */
function mayReap({ identity, unchangedSince }: NodeState, row: NodeRow, nowMs: number): boolean {
  const sinceMs = unchangedSince.get(row.incarnation)?.sinceMs ?? nowMs;
  return hasExpired(row) && nowMs - sinceMs >= identity.ttlMs / 2;
}

/** Nobody living may write: the best node asks for the right at once, the next ones after some patience. */
function free(state: NodeState, nowMs: number): NodeStep {
  const { view, claim, identity } = state;
  const freeSinceMs = state.freeSinceMs ?? nowMs;
  const waiting = { ...state, freeSinceMs };
  if (view === null || state.phase !== "live" || claim.type !== "none") return keep(waiting);
  const able = view.nodes.filter((row) => row.state === "live" && !hasExpired(row)).map(({ nodeId }) => nodeId);
  const rank = placed(able, workspaceKey).indexOf(identity.nodeId);
  if (rank === -1 || nowMs - freeSinceMs < rank * patienceMs) return keep(waiting);
  return {
    state: { ...waiting, claim: { type: "acquiring" } },
    effects: [{ type: "acquire", epoch: view.claim.epoch }],
  };
}

/** Somebody living may write: this node, by its own asking or because another handed it over, or another. */
function owned(state: NodeState, askedMs: number, nowMs: number): NodeStep {
  const { view, claim, incarnation } = state;
  const settled = { ...state, freeSinceMs: null };
  if (view === null) return keep(settled);
  const isOurs = view.claim.incarnation === incarnation;
  switch (claim.type) {
    case "none":
      return isOurs && state.phase === "live" ? open(settled, view.claim.epoch, nowMs) : keep(settled);
    case "opening":
    case "serving":
      // What was asked before the right was ours says nothing about it.
      if ((isOurs && view.claim.epoch === claim.epoch) || askedMs < claim.sinceMs) return keep(settled);
      return {
        state: { ...settled, claim: { type: "closing", epoch: claim.epoch, handsOver: false } },
        effects: [{ type: "close" }],
      };
    case "acquiring":
    case "closing":
    case "handing-over":
      return keep(settled);
  }
}

function open(state: NodeState, epoch: number, nowMs: number): NodeStep {
  return {
    state: { ...state, claim: { type: "opening", epoch, sinceMs: nowMs } },
    effects: [{ type: "open", epoch, follows: state.witnessed === epoch - 1 }],
  };
}

function acquired(state: NodeState, { epoch, nowMs }: Extract<NodeEvent, { type: "acquired" }>): NodeStep {
  if (state.claim.type !== "acquiring") return keep(state);
  const settled: NodeState = { ...state, claim: none, freeSinceMs: null };
  if (state.phase === "draining") return leave(settled);
  return epoch === null || state.phase !== "live" ? keep(settled) : open(settled, epoch, nowMs);
}

function closed(state: NodeState): NodeStep {
  if (state.claim.type !== "closing") return keep(state);
  const { epoch, handsOver } = state.claim;
  const bare: NodeState = { ...state, claim: none };
  if (state.phase === "over") return rejoin(bare);
  if (state.phase !== "draining") return keep(bare);
  const successor = handsOver ? successorOf(state) : null;
  if (successor === null) return leave(bare);
  return {
    state: { ...state, claim: { type: "handing-over", epoch } },
    effects: [{ type: "hand-over", epoch, to: successor }],
  };
}

function successorOf({ view, incarnation }: NodeState): number | null {
  const able = (view?.nodes ?? []).filter(
    (row) => row.incarnation !== incarnation && row.state === "live" && !hasExpired(row),
  );
  const [best] = placed(
    able.map(({ nodeId }) => nodeId),
    workspaceKey,
  );
  return able.find(({ nodeId }) => nodeId === best)?.incarnation ?? null;
}

function stopRequested(state: NodeState): NodeStep {
  const { claim } = state;
  switch (state.phase) {
    case "joining":
    case "over":
      // No incarnation is valid; what is still being closed is waited for.
      return claim.type === "closing" ? keep({ ...state, phase: "draining" }) : leave({ ...state, claim: none });
    case "live":
      break;
    case "draining":
    case "leaving":
    case "gone":
      return keep(state);
  }
  const draining: NodeState = { ...state, phase: "draining" };
  const drain: NodeEffect = { type: "drain" };
  switch (claim.type) {
    case "none":
      return leave(draining);
    case "opening":
    case "serving":
      return {
        state: { ...draining, claim: { type: "closing", epoch: claim.epoch, handsOver: true } },
        effects: [drain, { type: "close" }],
      };
    case "acquiring":
    case "closing":
    case "handing-over":
      return { state: draining, effects: [drain] };
  }
}
