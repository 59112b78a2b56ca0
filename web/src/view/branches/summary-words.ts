import type { Compacts } from "../../../../src/core/forest/types.ts";

const number = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Returns the title of a compaction node's row. */
export function summaryTitle({ messages, off, editedBy, outdated }: Compacts): string {
  const counted = `${messages} ${messages === 1 ? "message" : "messages"}`;
  const by = editedBy === undefined ? "" : `, edited by ${editedBy}`;
  if (off === true) return `Summary of ${counted}${by}, not in use: the model reads the original messages`;
  const stale = outdated === true ? ". Some of them were changed since: sum up again" : "";
  return `The model reads a summary instead of the ${counted} above${by}${stale}`;
}

/** Returns what a compaction saves, in tokens, and who asked for it. */
export function summaryFigures({ tokensBefore, tokensAfter, by }: Compacts): string {
  const asked = by === "person" ? " · asked for by a person" : "";
  return `${number.format(tokensBefore)} → ${number.format(tokensAfter)} tokens${asked}`;
}
