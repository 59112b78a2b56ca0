import { serverLimits } from "../http/server-limits.ts";

/** Limits how many messages and bytes come from one connection: one object for both, because there are thousands. */
export class ArrivalRates {
  #messages: number = serverLimits.messagesBurst;
  #bytes: number = serverLimits.bytesBurst;
  #at: number;

  /** Times are monotonic milliseconds. */
  constructor(nowMs: number) {
    this.#at = nowMs;
  }

  /** Takes a message of so many bytes. Returns the milliseconds until both are within their rates again; 0 for none. */
  take(bytes: number, nowMs: number): number {
    const seconds = (nowMs - this.#at) / 1_000;
    const { messagesPerSecond, messagesBurst, bytesPerSecond, bytesBurst } = serverLimits;
    this.#messages = Math.min(messagesBurst, this.#messages + seconds * messagesPerSecond) - 1;
    this.#bytes = Math.min(bytesBurst, this.#bytes + seconds * bytesPerSecond) - bytes;
    this.#at = nowMs;
    return Math.max(msUntilPaid(this.#messages, messagesPerSecond), msUntilPaid(this.#bytes, bytesPerSecond));
  }
}

function msUntilPaid(level: number, perSecond: number): number {
  return level >= 0 ? 0 : Math.ceil((-level / perSecond) * 1_000);
}
