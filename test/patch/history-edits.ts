import { git } from "./git.ts";
import { readGitDiff } from "./read-git-diff.ts";
import { countHunks, firstHunks, type Edit } from "./edits.ts";

/** An edit, and another version of its text. */
export interface HistoryEdit extends Edit {
  /** A version some edits away, which the patch may be applied to instead; the text itself if no other is known. */
  readonly elsewhere: string;
}

/**
 * Edits from this repository's own history, the latest first, with at least `hunks` hunks if possible: in a shallow
 * clone, or outside a repository, there are fewer or none.
 */
export function historyEdits(hunks: number): readonly HistoryEdit[] {
  const log = git(["log", "-p", "-U3", "--no-renames", "--diff-filter=M", "--full-index", "--no-color", "--format="]);
  if (log.code !== 0) return [];
  const files = readGitDiff(log.output.toString("utf8"));
  const texts = readTexts([...new Set(files.flatMap(({ beforeId, afterId }) => [beforeId, afterId]))]);
  const edits: HistoryEdit[] = [];
  const laterByPath = new Map<string, number>();
  for (const { beforeId, afterId, path, hunks: patch } of files) {
    const [before, after] = [texts.get(beforeId), texts.get(afterId)];
    if (before === undefined || after === undefined) continue;
    const later = laterByPath.get(path);
    const laterEdit = later === undefined ? undefined : edits[later];
    if (later !== undefined && laterEdit !== undefined) edits[later] = { ...laterEdit, elsewhere: before };
    laterByPath.set(path, edits.length);
    edits.push({ before, after, patch, elsewhere: before });
    if (edits.length % 100 === 0 && countHunks(edits) >= hunks) break;
  }
  return firstHunks(edits, hunks) as readonly HistoryEdit[];
}

/** Reads the contents that are UTF-8 and that this clone has. */
function readTexts(ids: readonly string[]): ReadonlyMap<string, string> {
  const { output } = git(["cat-file", "--batch"], { input: ids.map((id) => `${id}\n`).join("") });
  const texts = new Map<string, string>();
  for (let at = 0; at < output.length;) {
    const lineEnd = output.indexOf(10, at);
    const [id = "", type, size = "0"] = output.toString("utf8", at, lineEnd).split(" ");
    at = lineEnd + 1;
    if (type !== "blob") continue;
    const bytes = output.subarray(at, at + Number(size));
    const text = bytes.toString("utf8");
    if (Buffer.from(text).equals(bytes)) texts.set(id, text);
    at += Number(size) + 1;
  }
  return texts;
}
