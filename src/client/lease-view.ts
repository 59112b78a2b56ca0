import type { DownMessage } from "../core/protocol/messages.ts";
import type { LeaseView } from "./types.ts";

/** A lease as the server told it at `now` of this machine, whose clock may stand elsewhere than the server's. */
export function leaseView(told: Extract<DownMessage, { type: "lease-changed" }>, now: number): LeaseView {
  const { epoch, held, at } = told;
  if (held === null) return { epoch, held };
  const { runId, holderName } = held;
  const here = (time: number): number => time - at + now;
  return {
    epoch,
    held: {
      runId,
      holderName,
      since: here(held.since),
      renewedAt: here(held.renewedAt),
      expiresAt: here(held.expiresAt),
    },
  };
}
