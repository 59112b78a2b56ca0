import { timeSortedId, type LeaseId, type RunId } from "../../core/base/ids.ts";
import type { Platform } from "../../core/port/platform.ts";
import { isOutsideRun } from "./outside-runs.ts";

/** An outside agent's lease passes through other programs, so nobody may guess its id: 128 random bits. */
export function newLeaseId(runId: RunId, { clock, random }: Pick<Platform, "clock" | "random">): LeaseId {
  return (
    isOutsideRun(runId)
      ? `lease_${Buffer.from(random.bytes(16)).toString("hex")}`
      : timeSortedId("lease", clock.now(), random.bytes(12))
  ) as LeaseId;
}
