/** git's diff of one changed file: its hunks and, with `--full-index`, the object names of both contents. */
export interface FileDiff {
  readonly beforeId: string;
  readonly afterId: string;
  /** The old side's path, as after `--- `. */
  readonly path: string;
  readonly hunks: string;
}

/** Reads the output of `git diff` or `git log -p` with `--full-index --no-renames`; skips files without hunks. */
export function readGitDiff(printed: string): readonly FileDiff[] {
  const files: FileDiff[] = [];
  for (const section of printed.split(/^diff --git .*\n/m).slice(1)) {
    const start = section.search(/^@@ /m);
    const ids = /^index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})/m.exec(section);
    const path = /^--- (.*)$/m.exec(section)?.[1];
    if (start === -1 || ids === null || path === undefined) continue;
    const [, beforeId = "", afterId = ""] = ids;
    files.push({ beforeId, afterId, path, hunks: hunkLines(section.slice(start)) });
  }
  return files;
}

/** Removes what the log prints between one file and the next commit. */
function hunkLines(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !/^[-+ @\\]/.test(line));
  return lines
    .slice(0, end === -1 ? lines.length : end)
    .map((line) => `${line}\n`)
    .join("");
}
