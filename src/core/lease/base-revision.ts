import { refusal, type Refusal } from "../base/errors.ts";
import type { EditPolicy } from "../block/types.ts";

/** A patch's base version, beside the versions of its canvas. */
export interface BaseRevision {
  readonly policy: EditPolicy;
  /** The version the patch was written against. */
  readonly baseVersion: number;
  readonly currentVersion: number;
  /** The version of the lease's own last write; null before the first. */
  readonly lastWriteVersion: number | null;
}

/**
 * Refuses a patch whose base is too old: under an exclusive lease the base must be the current revision, otherwise at least
 * the lease's own last write.
 */
export function staleBase(base: BaseRevision): Refusal | undefined {
  const oldest = base.policy === "lease" ? base.currentVersion : (base.lastWriteVersion ?? 0);
  if (base.baseVersion >= oldest && base.baseVersion <= base.currentVersion) return undefined;
  return refusal(
    "PATCH_REJECTED",
    { reason: "STALE_BASE", base_version: base.baseVersion, current_version: base.currentVersion, hunks: [] },
    "The patch was written for an older revision, so nothing was changed. Read the lines again and send a new patch.",
  );
}
