import { refusal, type Refusal } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortened } from "../../base/shortened.ts";
import { textLines, lineOf } from "../../block/change/text-lines.ts";
import { present } from "../base/answer-content.ts";

/** The most text that one read_files shows, in UTF-16 units. */
export const readUnitsMax = 60_000;
/** The most text of one line, in UTF-16 units. */
const lineUnitsMax = 4_000;

interface FileRange {
  /** From 1; the end is included. */
  readonly start_line?: number;
  readonly end_line?: number;
  readonly numbers: boolean;
  readonly unitsMax: number;
}

/** Builds the answer of read_files for one file, with its length. A non-empty file always shows at least one line. */
export function fileReadContent(
  text: string,
  { start_line: start = 1, end_line: end = Infinity, numbers, unitsMax }: FileRange,
): Result<{ readonly content: JsonObject; readonly units: number }, Refusal> {
  const all = textLines(text);
  const count = all.starts.length;
  if (start > end) {
    return err(refusal("INVALID_PARAMS", { path: "end_line", expected: "at least start_line", start, end }));
  }
  if (start > Math.max(count, 1)) return err(refusal("LINE_OUT_OF_RANGE", { requested: start, max: count }));
  const shown: string[] = [];
  let units = 0;
  let at = start;
  for (; at <= Math.min(end, count); at += 1) {
    const line = lineOf(all, at - 1).text;
    const cut = shortened(line, lineUnitsMax);
    const said = numbers ? `${at}→${cut}` : cut;
    if (shown.length > 0 && units + said.length > unitsMax) break;
    shown.push(said);
    units += said.length + 1;
  }
  const more = at <= Math.min(end, count);
  const content = present({
    text: shown.join("\n"),
    start_line: start,
    end_line: at - 1,
    line_count: count,
    truncated: more ? true : undefined,
    note: more ? `Continue with start_line ${at}.` : undefined,
  });
  return ok({ content, units });
}

/** The folders of the first level that are counted, at most. */
const countedFoldersMax = 50;

/** Builds the answer of list_files; `isCut`: the folder itself has more files than were looked at. */
export function fileListContent(
  paths: readonly string[],
  { max, isCut }: { readonly max: number; readonly isCut: boolean },
): JsonObject {
  const isWhole = paths.length <= max && !isCut;
  return present({
    files: paths.slice(0, max),
    count: paths.length,
    truncated: isWhole ? undefined : true,
    folders: isWhole ? undefined : countsByFolder(paths),
    note: isWhole ? undefined : "There are more files. Narrow the glob to a folder or an ending.",
  });
}

function countsByFolder(paths: readonly string[]): JsonObject {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.includes("/") ? `${path.slice(0, path.indexOf("/"))}/` : "./";
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const most = [...counts].toSorted(([, a], [, b]) => b - a);
  return Object.fromEntries(most.slice(0, countedFoldersMax));
}
