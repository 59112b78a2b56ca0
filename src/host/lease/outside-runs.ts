import { sha256Hex } from "../../core/base/hash.ts";
import type { ActorId, RunId } from "../../core/base/ids.ts";

const prefix = "agent";
const personPrefix = "writer_";

/** Who holds the leases of an outside agent: a token, and the session of the program that uses it. */
export interface OutsideHolder {
  readonly tokenId: string;
  /** What tells two programs with one token apart: a session, or the name that a program gives itself. */
  readonly session: string;
}

/** Returns the run under which an outside agent acts and holds its leases; it has no turn machine. */
export function outsideRun({ tokenId, session }: OutsideHolder): RunId {
  return `${prefix}_${tokenId}_${sha256Hex(session).slice(0, 16)}` as RunId;
}

/** Returns whether a run is an outside agent's. */
export function isOutsideRun(runId: RunId): boolean {
  return runId.startsWith(`${prefix}_`);
}

/** Returns the run under which a person holds the lease of a draft that they write in. */
export function personsRun(id: ActorId): RunId {
  return `${personPrefix}${id}` as RunId;
}

/** Returns whether a run is a person's, who has no turn. */
export function isPersonsRun(runId: RunId): boolean {
  return runId.startsWith(personPrefix);
}

/** Returns whether a run is one of the agents that use this token. */
export function isRunOfToken(runId: RunId, tokenId: string): boolean {
  return runId.startsWith(`${prefix}_${tokenId}_`);
}
