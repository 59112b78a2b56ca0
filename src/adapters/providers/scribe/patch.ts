import { must } from "../../../core/base/assert.ts";

/** Replaces `remove` lines from line `from` on by `insert`. Lines count from 1; `from` may be one past the last. */
export interface LineChange {
  readonly from: number;
  readonly remove: number;
  readonly insert: readonly string[];
}

const contextLines = 3;

/** Most hunks in a patch, well below the tool's limit. */
const hunksMax = 500;

/**
 * Groups changes, one group per hunk: changes whose context meets share a hunk, and more changes do when there are too
 * many.
 */
export function groupChanges(changes: readonly LineChange[]): readonly (readonly LineChange[])[] {
  const sorted = changes.toSorted((a, b) => a.from - b.from || b.remove - a.remove);
  for (let reach = 2 * contextLines + 1; ; reach *= 4) {
    const groups: LineChange[][] = [];
    let end = Number.NEGATIVE_INFINITY;
    for (const change of sorted) {
      const group = groups.at(-1);
      if (group !== undefined && change.from <= end + reach) group.push(change);
      else groups.push([change]);
      end = change.from + change.remove - 1;
    }
    if (groups.length <= hunksMax) return groups;
  }
}

/** The lines that a hunk for these ordered changes shows, [from, to]; none when the document is empty. */
export function patchSpan(
  changes: readonly LineChange[],
  lineCount: number,
): { readonly from: number; readonly to: number } {
  const first = must(changes[0], "a hunk changes something");
  const last = must(changes.at(-1), "a hunk changes something");
  return {
    from: Math.max(1, first.from - contextLines),
    to: Math.min(lineCount, last.from + last.remove - 1 + contextLines),
  };
}

/**
 * Writes changes as a unified diff with three lines of context. `lineAt` gives the document's lines, from 1, without
 * their ends. The changes do not overlap and are grouped by `groupChanges`.
 */
export function writePatch(
  groups: readonly (readonly LineChange[])[],
  lineAt: (line: number) => string,
  lineCount: number,
): string {
  let shift = 0;
  const hunks = groups.map((group) => {
    const { from, to } = patchSpan(group, lineCount);
    const body: string[] = [];
    let at = from;
    for (const change of group) {
      while (at < change.from) body.push(` ${lineAt(at++)}`);
      for (let n = 0; n < change.remove; n += 1) body.push(`-${lineAt(at++)}`);
      body.push(...change.insert.map((line) => `+${line}`));
    }
    while (at <= to) body.push(` ${lineAt(at++)}`);
    const before = body.filter((line) => !line.startsWith("+")).length;
    const after = body.filter((line) => !line.startsWith("-")).length;
    // In this format, a side without lines names the line before it.
    const header = `@@ -${before === 0 ? from - 1 : from},${before} +${after === 0 ? from + shift - 1 : from + shift},${after} @@`;
    shift += after - before;
    return [header, ...body].join("\n");
  });
  return `${hunks.join("\n")}\n`;
}
