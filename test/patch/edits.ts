/** One file before and after an edit, with the hunks that git wrote for it. */
export interface Edit {
  readonly before: string;
  readonly after: string;
  /** The hunks alone, without names. */
  readonly patch: string;
}

const hunkHeader = /^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@(.*)$/;

/** The hunks of a patch. A line of a hunk's body begins with another character than `@`. */
export function hunksOf(patch: string): readonly string[] {
  return patch.split(/^(?=@@ )/m).filter((hunk) => hunk !== "");
}

export function countHunks(edits: readonly Edit[]): number {
  return edits.reduce((sum, { patch }) => sum + hunksOf(patch).length, 0);
}

/** As many edits from the front as have that many hunks. */
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

/** The patch with other headers. */
export function mapHeaders(patch: string, map: (parts: HeaderParts) => string): string {
  return hunksOf(patch)
    .map((hunk) => {
      const end = hunk.indexOf("\n");
      const [, old, oldCount = "", fresh, freshCount = ""] = hunkHeader.exec(hunk.slice(0, end)) ?? [];
      return map({ old: Number(old), oldCount, fresh: Number(fresh), freshCount }) + hunk.slice(end);
    })
    .join("");
}

/** The patch with all line numbers so far off, but none below 1. */
export function shiftHeaders(patch: string, by: number): string {
  return mapHeaders(patch, ({ old, oldCount, fresh, freshCount }) => {
    return `@@ -${Math.max(1, old + by)}${oldCount} +${Math.max(1, fresh + by)}${freshCount} @@`;
  });
}

/** The line of the old side where a hunk says that it begins. */
export function oldStartOf(hunk: string): number {
  return Number(hunkHeader.exec(hunk.slice(0, hunk.indexOf("\n")))?.[1]);
}
