import type { IncomingHttpHeaders } from "node:http";
import { readLabel } from "./door-call.ts";

/** The headers by which a program says who it is; the name is percent-encoded. */
export const sessionHeader = "heddle-session";
export const clientHeader = "heddle-client";

/** Returns what a request says of its program: a session of its own, and a name. Both are labels, which decide no right. */
export function readProgram(headers: IncomingHttpHeaders): {
  readonly session: string | null;
  readonly client: string | null;
} {
  return { session: readLabel(headers[sessionHeader]), client: readLabel(decoded(headers[clientHeader])) };
}

function decoded(given: string | string[] | undefined): string | null {
  try {
    return typeof given === "string" ? decodeURIComponent(given) : null;
  } catch {
    return null;
  }
}
