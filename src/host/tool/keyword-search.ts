import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { Matches } from "../../core/block/search/search.ts";
import { present } from "../../core/tool/answer-content.ts";
import type { keywordSearch } from "../../core/tool/file-tools.ts";
import type { ToolInput } from "../../core/tool/types.ts";
import type { ToolOutput } from "./answer.ts";
import { boundedReading } from "./bounded-reading.ts";
import { open } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

const filesDefault = 20;
/** How long all files together may be searched. */
const deadlineMs = 2_000;
/** How many files with matches are looked at to find the best. */
const rankedMax = 2_000;
const linesLookedAt = 100;
/** How much of a long line, and of all lines together, is looked at for keywords, in UTF-16 units. */
const lineUnitsLookedAt = 50_000;
const unitsLookedAt = 32 * 1024 * 1024;
const linesShown = 5;
const lineUnitsMax = 200;

/** One file that may be read, and how its text is had. */
interface Candidate {
  readonly path: FilePath;
  readonly id: string;
  readonly version: number;
  load(): Promise<{ readonly version: number; readonly text: string } | null>;
}

/**
 * Finds the files in which keywords stand, in their text or their path: first those with the most of the keywords, then
 * those with the most lines. No block is made of a file that is merely found. A canvas is passed over without its lease.
 */
export async function searchFiles(
  input: ToolInput<typeof keywordSearch>,
  run: BlockToolRun,
): Promise<Result<ToolOutput, Refusal>> {
  const { keywords, path_prefix: prefix = "", max_files: filesMax = filesDefault } = input;
  await run.ports.hub.flush();
  const candidates = await candidatesOf(prefix, run);
  if (!candidates.ok) return candidates;
  const { files, unread } = candidates.value;
  const reading = boundedReading({ of: files, load: async (index) => (await files[index]?.load()) ?? null }, run);
  const searched = await run.ports.searcher.searchKept(
    reading.texts,
    {
      query: anyOf(keywords),
      mode: "regex",
      flags: "i",
      contextLines: 0,
      maxMatches: linesLookedAt,
      oncePerLine: true,
      lineUnitsMax: lineUnitsLookedAt,
    },
    { deadlineMs, textsMax: rankedMax, unitsMax: unitsLookedAt },
  );
  if (!searched.ok) return searched;
  const unreached = reading.note();
  const notes = [
    ...(unread === 0 ? [] : [`${unread} canvas(es) were not searched. Check out the canvas that you need.`]),
    ...(unreached === undefined ? [] : [unreached]),
  ];
  const matchesByIndex = new Map(searched.value.found.map(({ index, matches }) => [index, matches]));
  const found = files
    .map((file, index) => foundIn(file.path, matchesByIndex.get(index), keywords))
    .filter(({ keywords: those }) => those.length > 0)
    .toSorted((a, b) => b.keywords.length - a.keywords.length || b.lines - a.lines || (a.path < b.path ? -1 : 1));
  return ok({
    content: present({
      files: found.slice(0, filesMax).map(({ path, keywords: those, lines, shown }): JsonObject => ({
        path,
        keywords: [...those],
        lines,
        matches: [...shown],
      })),
      truncated: found.length > filesMax || unreached !== undefined || searched.value.isFull ? true : undefined,
      note: notes.length === 0 ? undefined : notes.join(" "),
    }),
  });
}

async function candidatesOf(
  prefix: string,
  run: BlockToolRun,
): Promise<Result<{ readonly files: readonly Candidate[]; readonly unread: number }, Refusal>> {
  const { hub } = run.ports;
  const folder = must(run.ports.files, "there is a workspace folder");
  const unopened = await folder.unopened(prefix);
  if (!unopened.ok) return unopened;
  const headersById = new Map((await hub.reader.list(null)).map((header) => [header.id, header]));
  const files: Candidate[] = unopened.value.map(({ path, version }) => ({
    path,
    id: `disk:${path}`,
    version,
    async load() {
      const text = await folder.peek(path);
      return text === null ? null : { version, text };
    },
  }));
  let unread = 0;
  for (const { path, blockId } of await folder.opened()) {
    const header = blockId === null ? undefined : headersById.get(blockId);
    if (header === undefined || !path.startsWith(prefix)) continue;
    if (header.policy !== undefined && !(await open(header.id, run)).ok) unread += 1;
    else files.push({ path, id: header.id, version: header.version, load: () => textOf(header.id, run) });
  }
  return ok({ files, unread });
}

async function textOf(
  id: BlockId,
  { ports: { hub } }: BlockToolRun,
): Promise<{ version: number; text: string } | null> {
  const read = await hub.reader.read(id);
  return read.ok ? { version: read.value.header.version, text: read.value.text } : null;
}

function anyOf(keywords: readonly string[]): string {
  return keywords.map((keyword) => keyword.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)).join("|");
}

interface Found {
  readonly path: string;
  /** Those that stand there, as they were asked for. */
  readonly keywords: readonly string[];
  /** How many lines have one. */
  readonly lines: number;
  readonly shown: readonly JsonObject[];
}

function foundIn(path: string, matches: Matches | undefined, keywords: readonly string[]): Found {
  const lines = matches?.matches ?? [];
  const told = [path, ...lines.map(({ context, contextStart, line }) => context[line - contextStart] ?? "")].map(
    (text) => text.toLowerCase(),
  );
  return {
    path,
    keywords: keywords.filter((keyword) => told.some((text) => text.includes(keyword.toLowerCase()))),
    lines: lines.length,
    shown: lines.slice(0, linesShown).map(({ line, context, contextStart }) => ({
      line: line + 1,
      text: (context[line - contextStart] ?? "").slice(0, lineUnitsMax).toWellFormed(),
    })),
  };
}
