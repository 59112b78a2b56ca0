/** Replaces `remove` lines from line `from` on by `insert`. Lines count from 1; `from` may be one past the last. */
export interface LineChange {
  readonly from: number;
  readonly remove: number;
  readonly insert: readonly string[];
}

const contextLines = 3;

/** The lines that a patch for these changes shows, [from, to]; none where the document is empty. */
export function patchSpan(
  changes: readonly LineChange[],
  lineCount: number,
): { readonly from: number; readonly to: number } {
  const first = Math.min(...changes.map((change) => change.from));
  const last = Math.max(...changes.map((change) => change.from + change.remove - 1));
  return { from: Math.max(1, first - contextLines), to: Math.min(lineCount, last + contextLines) };
}

/**
 * Writes changes as a unified diff with three lines of context. `lineAt` gives the document's lines, from 1, without
 * their ends. The changes do not overlap; those whose context meets share a hunk.
 */
export function writePatch(
  changes: readonly LineChange[],
  lineAt: (line: number) => string,
  lineCount: number,
): string {
  const sorted = changes.toSorted((a, b) => a.from - b.from || b.remove - a.remove);
  const groups: LineChange[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const change of sorted) {
    const group = groups.at(-1);
    if (group !== undefined && change.from - contextLines <= end + contextLines + 1) group.push(change);
    else groups.push([change]);
    end = change.from + change.remove - 1;
  }
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
    // By the format a side without lines names the line before it.
    const header = `@@ -${before === 0 ? from - 1 : from},${before} +${after === 0 ? from + shift - 1 : from + shift},${after} @@`;
    shift += after - before;
    return [header, ...body].join("\n");
  });
  return `${hunks.join("\n")}\n`;
}
