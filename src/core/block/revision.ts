import { must } from "../base/assert.ts";
import { hash8 } from "../base/hash.ts";

/** The parts of a revision id: the block's version, and the first 8 hex digits of its text's SHA-256. */
export interface Revision {
  readonly version: number;
  readonly hash: string;
}

/** Makes the id of a text at a version, `<version>-<hash8>`: unique, and equal texts have equal hashes. */
export function revisionId(version: number, text: string): string {
  return `${version}-${hash8(text)}`;
}

/** Makes the id of a draft's text over a version of the shared text, `<version>d<draft version>-<hash8>`. */
export function draftRevisionId(version: number, draftVersion: number, text: string): string {
  return `${version}d${draftVersion}-${hash8(text)}`;
}

/** Whether an id is of a draft's text with these first digits of its hash. */
export function isDraftRevisionId(id: string): boolean {
  return /^\d{1,15}d\d{1,15}-[0-9a-f]{8}$/.test(id);
}

/** Parses a revision id of the shared text; undefined for anything else. */
export function parseRevisionId(id: string): Revision | undefined {
  const match = /^(\d{1,15})-([0-9a-f]{8})$/.exec(id.trim());
  if (match === null) return undefined;
  return { version: Number(match[1]), hash: must(match[2], "the pattern has it") };
}
