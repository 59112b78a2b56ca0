import { refusal, type Refusal } from "../base/errors.ts";
import type { EditPolicy } from "../block/types.ts";

/** A patch's base among the versions of its canvas. */
export interface BaseRevision {
  readonly policy: EditPolicy;
  /** The version that the patch was written against. */
  readonly baseVersion: number;
  readonly currentVersion: number;
  /** The version that the lease's own last write made; null before its first. */
  readonly lastWriteVersion: number | null;
}

/**
 * Why a patch may not be placed at its base, if it may not: under an exclusive lease the base is the current revision,
 * elsewhere at least the lease's own last write.
 */
export function staleBase(base: BaseRevision): Refusal | undefined {
  const oldest = base.policy === "lease" ? base.currentVersion : (base.lastWriteVersion ?? 0);
  if (base.baseVersion >= oldest && base.baseVersion <= base.currentVersion) return undefined;
  return refusal(
    "PATCH_REJECTED",
    { reason: "STALE_BASE", base_version: base.baseVersion, current_version: base.currentVersion, hunks: [] },
    "The patch was written for an older revision; nothing was changed. Read the lines again and send a new patch.",
  );
}
