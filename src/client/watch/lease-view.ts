import type { DownMessage } from "../../core/protocol/base/messages.ts";
import type { LeaseView } from "../base/types.ts";

/** Converts the times of a lease from the server's clock to this machine's, which is `now` (UTC milliseconds) on arrival. */
export function leaseView(message: Extract<DownMessage, { type: "lease-changed" }>, now: number): LeaseView {
  const { epoch, held, at } = message;
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
