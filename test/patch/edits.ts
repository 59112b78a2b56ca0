/** One file before and after an edit, with git's hunks for it. */
export interface Edit {
  readonly before: string;
  readonly after: string;
  /** Only the hunks, without file names. */
  readonly patch: string;
}

const hunkHeader = /^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@(.*)$/;

/** Splits a patch into hunks. No line of a hunk's body begins with `@`. */
export function hunksOf(patch: string): readonly string[] {
  return patch.split(/^(?=@@ )/m).filter((hunk) => hunk !== "");
}

export function countHunks(edits: readonly Edit[]): number {
  return edits.reduce((sum, { patch }) => sum + hunksOf(patch).length, 0);
}

/** Returns the first edits that together have that many hunks. */
export function firstHunks(edits: readonly Edit[], count: number): readonly Edit[] {
  let hunks = 0;
  const enough = edits.findIndex(({ patch }) => (hunks += hunksOf(patch).length) >= count);
  return enough === -1 ? edits : edits.slice(0, enough + 1);
}

export interface HeaderParts {
  readonly old: number;
  /** With its comma; empty for one. */
  readonly oldCount: string;
  readonly fresh: number;
  readonly freshCount: string;
}

/** Returns the patch with other headers. */
export function mapHeaders(patch: string, map: (parts: HeaderParts) => string): string {
  return hunksOf(patch)
    .map((hunk) => {
      const end = hunk.indexOf("\n");
      const [, old, oldCount = "", fresh, freshCount = ""] = hunkHeader.exec(hunk.slice(0, end)) ?? [];
      return map({ old: Number(old), oldCount, fresh: Number(fresh), freshCount }) + hunk.slice(end);
    })
    .join("");
}

/** Shifts all line numbers of the patch, but none below 1. */
export function shiftHeaders(patch: string, by: number): string {
  return mapHeaders(patch, ({ old, oldCount, fresh, freshCount }) => {
    return `@@ -${Math.max(1, old + by)}${oldCount} +${Math.max(1, fresh + by)}${freshCount} @@`;
  });
}

/** Returns the line of the old side where a hunk's header says it begins. */
export function oldStartOf(hunk: string): number {
  return Number(hunkHeader.exec(hunk.slice(0, hunk.indexOf("\n")))?.[1]);
}
