import type { BlockChange } from "../../../core/block/types.ts";
import type { AgentId, OpSpan } from "../../../core/text/types.ts";
import type { Retention } from "./limits.ts";
import type { KeptFrom } from "./log-start.ts";

/** What a block is to be compacted to. */
export interface Compaction {
  readonly from: KeptFrom;
  /** What can still be undone and redone. */
  readonly spans: readonly OpSpan[];
  /** The block's version when it was planned. */
  readonly version: number;
  /** Units of which nothing is kept. */
  readonly forgotten: (unitId: string) => boolean;
}

/** When it is worth a look again: from that time on (UTC milliseconds), or from that version on. */
export interface Later {
  readonly notBefore: number;
  readonly unlessVersion: number;
}

/** When a log that begins with this version is worth a look, as far as its length says. */
export function laterByLength(beforeVersion: number, { changesMin, stepChanges }: Retention): Later {
  return {
    notBefore: Number.POSITIVE_INFINITY,
    unlessVersion: beforeVersion - 1 + Math.max(1, changesMin) + stepChanges,
  };
}

/**
 * When a log of which too little can go is worth another look. An eighth of a long one goes at once, since all of it is
 * read for that.
 */
export function later(log: readonly { readonly at: number }[], beforeVersion: number, retention: Retention): Later {
  const { changesMax, stepChanges, ageMs } = retention;
  const byLength = laterByLength(beforeVersion, retention);
  if (beforeVersion - 1 + log.length < byLength.unlessVersion) return byLength;
  const oldest = log.slice(0, Math.max(stepChanges, Math.floor(log.length / 8)));
  return {
    // A clock may have been set back: the youngest of them decides.
    notBefore: oldest.reduce((latest, { at }) => Math.max(latest, at), 0) + ageMs,
    unlessVersion: beforeVersion - 1 + changesMax + Math.max(stepChanges, Math.floor(changesMax / 8)),
  };
}

/** How many of the oldest changes need not be kept. The last one always is. */
export function countGone(log: readonly { readonly at: number }[], now: number, retention: Retention): number {
  const { length } = log;
  const oldest = Math.max(0, length - retention.changesMax);
  const recent = log.findIndex(({ at }) => at > now - retention.ageMs);
  const newest = Math.min(length - Math.max(1, retention.changesMin), recent === -1 ? length : recent);
  return Math.max(0, oldest, newest);
}

/** The units that a change is of, or that it turns over. */
export function unitsNamedBy({ what }: BlockChange): readonly string[] {
  if (what.type !== "text" && what.type !== "review") return [];
  return what.undoes ?? what.redoes ?? [what.unit.id];
}

/** The agent whose undo takes a change back, or the hand that wrote for it; undefined for what no undo is about. */
function writerOf({ what }: BlockChange): AgentId | undefined {
  if (what.type === "review") return what.reviewer;
  if (what.type !== "text") return undefined;
  return what.kept?.reviewer ?? what.spans[0]?.agent;
}

/** Changes that can be undone with the agent that each belongs to; the others are left out. */
export async function withOwners(
  log: readonly BlockChange[],
  ownerOf: (agent: AgentId) => Promise<AgentId>,
): Promise<readonly { readonly change: BlockChange; readonly owner: AgentId }[]> {
  const owners = new Map<AgentId, AgentId>();
  const owned: { readonly change: BlockChange; readonly owner: AgentId }[] = [];
  for (const change of log) {
    const by = writerOf(change);
    if (by === undefined) continue;
    const owner = owners.get(by) ?? (await ownerOf(by));
    owners.set(by, owner);
    owned.push({ change, owner });
  }
  return owned;
}
