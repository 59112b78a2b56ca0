import type { PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DraftId } from "../../core/base/ids.ts";
import { err, type Result } from "../../core/base/result.ts";
import { leasePlace } from "./lease-place.ts";
import { isPersonsRun, personsRun } from "./outside-runs.ts";
import type { LeaseGrant, LeaseKeeper } from "./types.ts";

/** Who writes in a draft now. */
export interface DraftWriter {
  readonly name: string;
  readonly isAgent: boolean;
  readonly isYou: boolean;
}

interface Pen {
  readonly canvasId: BlockId;
  readonly draftId: DraftId;
  readonly actor: PersonActor;
}

/** Returns who holds the lease of a draft; null when nobody writes there. */
export function writerOf(leases: LeaseKeeper, { canvasId, draftId, actor }: Pen): DraftWriter | null {
  const { held } = leases.status(leasePlace(canvasId, draftId));
  if (held === null) return null;
  return { name: held.holderName, isAgent: !isPersonsRun(held.holder), isYou: held.holder === personsRun(actor.id) };
}

/**
 * Gives a person the lease of a draft, in which one writes at a time. An agent's lease ends at once; another person's only
 * where the person takes over.
 */
export async function takePen(
  leases: LeaseKeeper,
  {
    canvasId,
    draftId,
    actor,
    revisionId,
    takesOver,
  }: Pen & { readonly revisionId: string; readonly takesOver: boolean },
): Promise<Result<LeaseGrant, Refusal>> {
  const place = leasePlace(canvasId, draftId);
  const runId = personsRun(actor.id);
  const writer = writerOf(leases, { canvasId, draftId, actor });
  if (writer !== null && !writer.isYou) {
    if (!writer.isAgent && !takesOver) return err(writtenBy(writer.name));
    const ended = await leases.takeControl(place);
    if (!ended.ok) return ended;
  }
  const taken = await leases.acquire({ canvasId, draftId, runId, holderName: actor.name, revisionId });
  return taken.ok ? leases.use({ canvasId, leaseId: taken.value.leaseId, runId }) : taken;
}

function writtenBy(name: string): Refusal {
  return refusal(
    "LOCK_NOT_AVAILABLE",
    { held_by: name },
    `${name} is writing in this draft, so your words were not put in. They are kept here; wait until ${name} has stopped, or take over.`,
  );
}
