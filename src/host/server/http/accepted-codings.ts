import type { IncomingMessage } from "node:http";

/** The names of the codings in which a reader takes an answer; those that it refuses are left out. */
export function acceptedCodings({ headers }: Pick<IncomingMessage, "headers">): ReadonlySet<string> {
  const parts = (headers["accept-encoding"]?.toString() ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part));
  return new Set(parts.flatMap((part) => part.split(";").slice(0, 1)));
}
