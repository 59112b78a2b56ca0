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

/** The status that `block_status` sets, if the block may go there; its own changes nothing. */
export function moveStatus(current: BlockStatus, wanted: BlockStatus): Result<BlockStatus, Refusal> {
  const allowed = statusesAfter[current];
  if (allowed.includes(wanted)) return ok(wanted);
  const others = allowed.filter((status) => status !== current);
  return err(
    refusal(
      "STATUS_CONFLICT",
      { status: current, requested: wanted, allowed: others },
      `A block that is ${current} cannot become ${wanted}; it can become ${others.join(" or ")}.`,
    ),
  );
}

/** The status after a write to the text, if its kind takes one then. */
export function statusOnWrite(block: {
  readonly kind: BlockKind;
  readonly status: BlockStatus;
}): Result<BlockStatus, Refusal> {
  const { kind, status } = block;
  if (status === "pending" || status === "running") return ok("running");
  return traitsOf(kind).editable === "always" ? ok(status) : err(refusal("STATUS_CONFLICT", { status, kind }));
}
