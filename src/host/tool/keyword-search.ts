import type { Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { counted } from "../../core/base/counted.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { KeptTexts } from "../../core/port/searcher.ts";
import type { Matches } from "../../core/block/search/search.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import type { keywordSearch } from "../../core/tool/file/file-tools.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import type { ToolOutput } from "./answer.ts";
import { boundedReading } from "./bounded-reading.ts";
import { indexedReading, storedTexts } from "./indexed-reading.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import { draftPlaces } from "./draft-places.ts";
import { asSeen, textInDraft } from "./drafts-to-search.ts";
import { filesOf, isLeftOut, openForTool } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

const filesDefault = 20;
/** Time limit for all files together. */
const deadlineMs = 2_000;
/** Maximum number of matching files that are ranked. */
const rankedMax = 2_000;
const linesLookedAt = 100;
/** Bounds of one line, and of all lines together, that are searched for keywords, in UTF-16 units. */
const lineUnitsLookedAt = 50_000;
const unitsLookedAt = 32 * 1024 * 1024;
const linesShown = 5;
const lineUnitsMax = 200;

/** A readable file, and how to load its text. */
interface Candidate {
  readonly path: FilePath;
  readonly id: string;
  readonly version: number;
  /** Of a file that has a block. */
  readonly header?: BlockHeader;
  load(): Promise<{ readonly version: number; readonly text: string } | null>;
}

/**
 * Finds files whose text or path contains keywords: first the files with the most keywords, then those with the most
 * matching lines. A match does not open a file. A canvas is skipped without its lease.
 */
export async function searchFiles(
  input: ToolInput<typeof keywordSearch>,
  run: BlockToolRun,
): Promise<Result<ToolOutput, Refusal>> {
  const { keywords, path_prefix: prefix = "", max_files: filesMax = filesDefault } = input;
  await run.ports.hub.flush();
  const candidates = await candidatesOf(prefix, run);
  if (!candidates.ok) return candidates;
  const { files, unread, leftOut } = candidates.value;
  const indexed = indexedReading(
    files.map(({ header }) => header),
    run.ports.store,
  );
  const load: KeptTexts["load"] = async (index) => {
    const file = files[index];
    const text = file?.header === undefined ? null : await indexed(index);
    return file === undefined ? null : text === null ? file.load() : { version: file.version, text };
  };
  const stored = storedTexts((index) => files[index]?.header, run.ports.store);
  const reading = boundedReading({ of: files, stored, load }, run);
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
    ...(leftOut === 0 ? [] : [`Not searched, because people or agents left them out: ${counted(leftOut, "file")}.`]),
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
): Promise<
  Result<{ readonly files: readonly Candidate[]; readonly unread: number; readonly leftOut: number }, Refusal>
> {
  const { hub } = run.ports;
  const folder = filesOf(run);
  const unopened = await folder.unopened(prefix);
  if (!unopened.ok) return unopened;
  const headersById = new Map((await hub.reader.list(null)).map((header) => [header.id, header]));
  const { seen, made, changed } = await draftPlaces(run);
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
  let leftOut = 0;
  const opened = (await folder.opened()).flatMap(({ blockId }) => {
    const header = blockId === null ? undefined : headersById.get(blockId);
    return header === undefined ? [] : (seen(header) ?? []);
  });
  for (const header of [...made, ...opened]) {
    const path = blockPath(header) as FilePath | undefined;
    if (path === undefined || !path.startsWith(prefix)) continue;
    if (isLeftOut(header, run)) {
      leftOut += 1;
      continue;
    }
    const needsLease = header.policy !== undefined && run.canvases;
    if (needsLease && !(await openForTool(header.id, run)).ok) unread += 1;
    else if (changed.has(header.id)) files.push({ path, ...asSeen(header), load: () => textInDraft(header.id, run) });
    else files.push({ path, id: header.id, version: header.version, header, load: () => textOf(header.id, run) });
  }
  return ok({ files, unread, leftOut });
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
  /** The requested keywords that were found. */
  readonly keywords: readonly string[];
  /** Number of matching lines. */
  readonly lines: number;
  readonly shown: readonly JsonObject[];
}

function foundIn(path: string, matches: Matches | undefined, keywords: readonly string[]): Found {
  const lines = matches?.matches ?? [];
  const texts = [path, ...lines.map(({ context, contextStart, line }) => context[line - contextStart] ?? "")].map(
    (text) => text.toLowerCase(),
  );
  return {
    path,
    keywords: keywords.filter((keyword) => texts.some((text) => text.includes(keyword.toLowerCase()))),
    lines: lines.length,
    shown: lines.slice(0, linesShown).map(({ line, context, contextStart }) => ({
      line: line + 1,
      text: (context[line - contextStart] ?? "").slice(0, lineUnitsMax).toWellFormed(),
    })),
  };
}
