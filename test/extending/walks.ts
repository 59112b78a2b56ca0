import { must } from "../../src/core/base/assert.ts";

/** The change that one code block of docs/extending.md makes to the sources. Paths are relative to the repository. */
export type WalkStep =
  | { readonly type: "new-file"; readonly path: string; readonly text: string }
  | { readonly type: "change"; readonly path: string; readonly hunks: readonly WalkHunk[] };

/** Lines that occur once in the file, in sequence, and the lines that replace them. */
interface WalkHunk {
  readonly before: string;
  readonly after: string;
}

/** Reads the code blocks of a page: a new file begins with `// PATH`, a change with `--- PATH`. */
export function walkSteps(page: string): readonly WalkStep[] {
  return [...page.matchAll(/^```(ts|diff)\n([\s\S]*?)^```$/gm)].map(([, language, code = ""]) => {
    const newLine = code.indexOf("\n");
    const [first, rest] = [code.slice(0, newLine), code.slice(newLine + 1)];
    const path = must(/^(?:\/\/|---) (\S+)$/.exec(first)?.[1], `"${first}" names a file`);
    return language === "ts" ? { type: "new-file", path, text: rest } : { type: "change", path, hunks: hunksOf(rest) };
  });
}

function hunksOf(code: string): readonly WalkHunk[] {
  return code.split(/^@@\n/m).map((hunk) => {
    const lines = hunk.split("\n").slice(0, -1);
    const without = (sign: "+" | "-"): string =>
      lines.flatMap((line) => (line.startsWith(sign) ? [] : [`${line.slice(1)}\n`])).join("");
    return { before: without("+"), after: without("-") };
  });
}

/** Returns the text after a change. Throws if the change's context lines are not in the text exactly once. */
export function changed(text: string, { path, hunks }: Extract<WalkStep, { readonly type: "change" }>): string {
  return hunks.reduce((current, { before, after }) => {
    const sought = `\n${before}`;
    const at = `\n${current}`.indexOf(sought);
    if (at === -1) throw new Error(`docs/extending.md: ${path} does not have these lines:\n${before}`);
    if (`\n${current}`.includes(sought, at + 1)) {
      throw new Error(`docs/extending.md: ${path} has these lines more than once:\n${before}`);
    }
    return current.slice(0, at) + after + current.slice(at + before.length);
  }, text);
}
