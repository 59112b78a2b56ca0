import { isRecord } from "../browser/stored.ts";

/** Returns whether a file is shown as Markdown rather than plain text. */
export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown|mdx|txt)$/iu.test(path) || !/\.[^/.]+$/u.test(path);
}

/** Returns whether a file is looked at rather than edited: an image or a PDF, by its ending. */
export function isLookedAt(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp|pdf)$/iu.test(path);
}

/** Splits a path into its last name and its folder with the slash; "" at the top. */
export function nameAndFolder(path: string): { readonly name: string; readonly folder: string } {
  const at = path.lastIndexOf("/") + 1;
  return { name: path.slice(at), folder: path.slice(0, at) };
}

/** Describes the state of a document's file in words and as a mark; `state` is null while unknown. */
export function fileStateWords(
  state: { readonly dirty: boolean; readonly problem: string | null; readonly gone?: boolean } | null,
  conflict: boolean,
): { readonly words: string; readonly hint: string; readonly mark: "conflict" | "dirty" | "clean" } {
  if (conflict) {
    return {
      words: "Conflict",
      hint: "Heddle writes nothing to the file until you resolve the conflict",
      mark: "conflict",
    };
  }
  if (state === null) return { words: "", hint: "", mark: "clean" };
  const { dirty, problem } = state;
  if (problem !== null) {
    const words = dirty ? "Can’t be saved" : "Can’t be read";
    return { words, hint: `Your text is safe here. Problem with the file: ${problem}`, mark: "conflict" };
  }
  if (state.gone === true) {
    return {
      words: "Deleted on disk",
      hint: "Another program deleted this file. Its text is safe here; typing writes the file again",
      mark: "conflict",
    };
  }
  return dirty
    ? { words: "Saving…", hint: "Heddle is about to write this text to the file", mark: "dirty" }
    : { words: "Saved", hint: "The file contains this text", mark: "clean" };
}

/** A conflict with the file, as in a block's metadata. */
interface Conflict {
  /** Lines that both sides changed, from 0, end exclusive. */
  readonly lines: readonly Lines[];
  /** The hash of the file's content. */
  readonly hash: string;
}

export function conflictIn(metadata: Readonly<Record<string, unknown>>): Conflict | null {
  const { conflict } = metadata;
  if (!isRecord(conflict)) return null;
  const { lines, hash } = conflict;
  return { lines: Array.isArray(lines) ? lines.filter(isLines) : [], hash: typeof hash === "string" ? hash : "" };
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

function isLines(value: unknown): value is Lines {
  return isRecord(value) && typeof value["start"] === "number" && typeof value["end"] === "number";
}

/** Returns places such as "Around line 3", "Around lines 3 and 8" or "In 5 places, the first around line 3". */
export function placesOf(lines: readonly Lines[]): string {
  const [first, second] = lines.map(({ start }) => start + 1);
  if (first === undefined) return "Throughout the text";
  if (lines.length > 2) return `In ${lines.length} places, the first around line ${first},`;
  return second === undefined ? `Around line ${first}` : `Around lines ${first} and ${second}`;
}

/** The choices that resolve a conflict. */
export const conflictChoices = [
  {
    keep: "ours",
    label: "Keep mine",
    says: "Writes the text shown here to the file. What the other program wrote is lost.",
  },
  {
    keep: "theirs",
    label: "Keep the file’s",
    says: "Replaces the text here with the file’s. “Undo mine” restores yours.",
  },
  {
    keep: "both",
    label: "Keep both",
    says: "Where they differ, puts your lines first and the file’s lines below, for you to edit.",
  },
] as const;
