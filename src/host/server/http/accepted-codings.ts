import type { IncomingMessage } from "node:http";

/** Returns the codings that a reader accepts, without those it refuses. */
export function acceptedCodings({ headers }: Pick<IncomingMessage, "headers">): ReadonlySet<string> {
  const parts = (headers["accept-encoding"]?.toString() ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part));
  return new Set(parts.flatMap((part) => part.split(";").slice(0, 1)));
}
