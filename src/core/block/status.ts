import { refusal, type Refusal } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
import { type BlockKind, traitsOf } from "./kinds.ts";
import type { BlockStatus } from "./types.ts";

const statusesAfter: Readonly<Record<BlockStatus, readonly BlockStatus[]>> = {
  pending: ["pending", "running", "done", "error"],
  running: ["running", "done", "error"],
  done: ["done", "running"],
  error: ["error", "running"],
};

/**
 * Returns the new status that `block_status` sets, if the transition is allowed; setting the current status changes nothing.
 */
export function moveStatus(current: BlockStatus, wanted: BlockStatus): Result<BlockStatus, Refusal> {
  const allowed = statusesAfter[current];
  if (allowed.includes(wanted)) return ok(wanted);
  const others = allowed.filter((status) => status !== current);
  return err(
    refusal(
      "STATUS_CONFLICT",
      { status: current, requested: wanted, allowed: others },
      `A block that is ${current} cannot become ${wanted}. It can become ${others.join(" or ")}.`,
    ),
  );
}

/** Returns the status after a write to the text, if the kind allows writes in this status. */
export function statusOnWrite(block: {
  readonly kind: BlockKind;
  readonly status: BlockStatus;
}): Result<BlockStatus, Refusal> {
  const { kind, status } = block;
  if (status === "pending" || status === "running") return ok("running");
  return traitsOf(kind).editable === "always" ? ok(status) : err(refusal("STATUS_CONFLICT", { status, kind }));
}
