import type { Actor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, RootId, RunId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import type { OpOrigin } from "../../core/protocol/commands.ts";
import type { OpId, OpSpan } from "../../core/text/types.ts";

/** Which change wrote each of these units of a block's text, as far as its log is kept. */
export async function originsOfOps(
  store: Pick<Store, "block" | "changes" | "run">,
  { blockId, ops }: { readonly blockId: BlockId; readonly ops: readonly OpId[] },
): Promise<Result<{ readonly origins: readonly (OpOrigin | null)[] }, Refusal>> {
  const header = await store.block(blockId);
  if (header === null || header.deletedAt !== undefined) return err(refusal("BLOCK_NOT_FOUND", { block_id: blockId }));
  const places = placesByAgent(await store.changes({ blockId, afterVersion: 0 }));
  const found = ops.map((op) => placeOf(places.get(op.agent) ?? [], op.seq));
  const rootsByRun = new Map<RunId, RootId | null>();
  for (const place of found) {
    const actor = place === null ? undefined : writerOf(place.change);
    if (actor?.type !== "model" || rootsByRun.has(actor.runId)) continue;
    rootsByRun.set(actor.runId, (await store.run(actor.runId))?.rootId ?? null);
  }
  return ok({ origins: found.map((place) => (place === null ? null : originOf(place, rootsByRun))) });
}

/** A change, and one run of units that it wrote. */
interface Place {
  readonly span: OpSpan;
  readonly change: BlockChange;
}

/** Each agent's runs of units, in the order of their numbers: an agent counts on and never back. */
function placesByAgent(changes: readonly BlockChange[]): ReadonlyMap<number, readonly Place[]> {
  const places = new Map<number, Place[]>();
  for (const change of changes) {
    const { what } = change;
    if (what.type !== "text" && what.type !== "created") continue;
    for (const span of what.spans) {
      const known = places.get(span.agent);
      if (known === undefined) places.set(span.agent, [{ span, change }]);
      else known.push({ span, change });
    }
  }
  return places;
}

function placeOf(places: readonly Place[], seq: number): Place | null {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const span = places[middle]?.span;
    if (span !== undefined && span.seq + span.length <= seq) low = middle + 1;
    else high = middle;
  }
  const place = places[low];
  return place !== undefined && place.span.seq <= seq ? place : null;
}

/** Who wrote it: of what a person kept, the agent that had suggested it; an agent with the tool call that it wrote by. */
function writerOf({ actor, what }: BlockChange): Actor {
  if (what.type === "text" && what.kept !== undefined) return what.kept.author;
  const call = what.type === "text" ? what.unit.toolCallId : undefined;
  return actor.type === "model" && call !== undefined ? { ...actor, toolCallId: call } : actor;
}

function originOf({ span, change }: Place, rootsByRun: ReadonlyMap<RunId, RootId | null>): OpOrigin {
  const { version, at, what } = change;
  const actor = writerOf(change);
  const keptBy = what.type === "text" && what.kept !== undefined ? change.actor : null;
  const rootId = actor.type === "model" ? (rootsByRun.get(actor.runId) ?? null) : null;
  return { span, version, at, actor, keptBy, rootId };
}
