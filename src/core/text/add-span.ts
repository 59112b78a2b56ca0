import type { OpSpan } from "./types.ts";

/** Adds a span to a list, joined to the last one where it continues it. */
export function addSpan(spans: OpSpan[], { replica, seq, length }: OpSpan): void {
  const last = spans.at(-1);
  if (last !== undefined && last.replica === replica && last.seq + last.length === seq) {
    spans[spans.length - 1] = { replica, seq: last.seq, length: last.length + length };
  } else spans.push({ replica, seq, length });
}
