import { must } from "../../core/base/assert.ts";
import { counted } from "../../core/base/counted.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { LineBase } from "../../core/block/edit/anchor.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
import type { Matches } from "../../core/block/search/search.ts";
import type { BlockKind } from "../../core/block/kinds.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { literalNote } from "../../core/tool/base/answer-content.ts";
import { kernelSearchContent, kernelSearchQuery, type SearchedBlock } from "../../core/tool/block/block-content.ts";
import type { kernelSearch } from "../../core/tool/block/block-tools.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import type { UnopenedFile } from "../files/workspace-files-types.ts";
import type { ToolOutput } from "./answer.ts";
import { isShownAsMessage, messagesToSearch, type SearchedMessage } from "./message-blocks.ts";
import { asSeen, seenBlocks, textInDraft } from "./drafts-to-search.ts";
import { boundedReading } from "./bounded-reading.ts";
import { indexedReading, storedTexts } from "./indexed-reading.ts";
import { draftOf, isOverlaid, noteSeen, seenCanvas } from "./canvas-edit.ts";
import { filesOf, isLeftOut, openForTool, type OpenedBlock } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

const blocksDefault = 20;
/** Time limit of an expression for all blocks together. */
const deadlineMs = 2000;
/** Bound of all shown lines together, in UTF-16 units. */
const answerUnitsMax = 500_000;
const unopenableShownMax = 3;
/** Best matches of the index among which the reachable blocks are searched. */
const rankedMax = 1_000;

/**
 * Searches every block that the caller can reach, in list order, then the messages of all conversations when their kinds are
 * asked for, then the unopened files, until more blocks match than requested or the time limit ends. Lines count from `base`. A file with a match is opened. An agent searches a canvas only under its lease; other
 * canvases are skipped and counted.
 */
export async function searchBlocks(
  input: ToolInput<typeof kernelSearch> & { readonly base: LineBase },
  run: BlockToolRun,
): Promise<Result<ToolOutput, Refusal>> {
  const kinds = input.kinds ?? ["file"];
  if (input.mode === "words" && kinds.some((kind) => kind !== "file")) return err(onlyFilesByWords());
  const blocksMax = input.max_blocks ?? blocksDefault;
  await run.ports.hub.flush();
  const { headers: reachable, laidOver } = await seenBlocks(run);
  const ofKinds = wantedBlocks(reachable, input);
  const wanted = ofKinds.filter((header) => !isLeftOut(header, run));
  const { headers, held, unread } = await readable(await ranked(wanted, input, run), run);
  const unopened = await unopenedFiles(input, run);
  if (!unopened.ok) return unopened;
  const none = { messages: [], isCut: false };
  const { messages: said, isCut } = input.path_prefix === undefined ? await messagesToSearch(kinds, run) : none;
  const messages = said.filter(({ header }) => !isLeftOut(header, run));
  const leftOut = ofKinds.length - wanted.length + said.length - messages.length;
  const files = unopened.value;
  /** What is searched at an index: a stored block, a message, or a file that has no block yet. */
  const at = (index: number): Searched => ({
    header: headers[index],
    message: messages[index - headers.length],
    file: files[index - headers.length - messages.length],
  });
  const indexedAt = (index: number): BlockHeader | undefined => {
    const header = headers[index];
    return header !== undefined && !laidOver.has(header.id) && isIndexed(header, run) ? header : undefined;
  };
  const indexed = indexedReading(headers, run.ports.store);
  const reading = boundedReading(
    {
      of: [
        ...headers.map((header) => (laidOver.has(header.id) || isOverlaidFor(header, run) ? asSeen(header) : header)),
        ...messages.map(({ header, textVersion }) => ({ id: header.id, version: textVersion })),
        ...files.map(({ path, version }) => ({ id: `disk:${path}`, version })),
      ],
      stored: storedTexts(indexedAt, run.ports.store),
      load: async (index) => {
        const header = indexedAt(index);
        const text = header === undefined ? null : await indexed(index);
        return header !== undefined && text !== null
          ? { version: header.version, text }
          : load({ ...at(index), laidOver }, run);
      },
    },
    run,
  );
  const bounds = { deadlineMs, textsMax: blocksMax + 1, unitsMax: answerUnitsMax };
  const searched = await run.ports.searcher.searchKept(reading.texts, kernelSearchQuery(input), bounds);
  if (!searched.ok) return err(searched.error);
  const { found, isFull } = searched.value;
  const shown: SearchedBlock[] = [];
  const unopenable: string[] = [];
  for (const { index, matches } of found.slice(0, blocksMax)) {
    const searchedAt = at(index);
    const { file } = searchedAt;
    const block = await asBlock(searchedAt, matches, run);
    if (block.ok) {
      noteFound(held.get(block.value.header.id), run);
      shown.push(block.value);
    } else if (block.error.code !== "FILE_NOT_FOUND" && file !== undefined) {
      const { message, details } = block.error;
      const problem = details?.["problem"];
      const why = typeof problem === "string" ? `${problem}.` : message;
      unopenable.push(`Also found in ${file.path}, which cannot be opened: ${why}`);
    }
  }
  const unreached = reading.note();
  const note = joinedNotes([
    literalNote(searched.value),
    unreached,
    isCut ? "Older conversations were not searched: the newest ones fill a search." : undefined,
    leftOut === 0 ? undefined : `Not searched, because people or agents left them out: ${counted(leftOut, "block")}.`,
    awayNote(run),
    ...unopenable.slice(0, unopenableShownMax),
  ]);
  const moreBlocks = found.length > blocksMax || isFull || isCut || unreached !== undefined;
  return ok({ content: kernelSearchContent(shown, { moreBlocks, unread, note, base: input.base }) });
}

function joinedNotes(notes: readonly (string | undefined)[]): string | undefined {
  const said = notes.filter((note) => note !== undefined);
  return said.length === 0 ? undefined : said.join(" ");
}

function onlyFilesByWords(): Refusal {
  return refusal(
    "INVALID_PARAMS",
    { path: "kinds", expected: '["file"] or omitted when mode is words' },
    "Mode words searches only files. Use mode literal or regex for blocks of other kinds.",
  );
}

function wantedBlocks(
  headers: readonly BlockHeader[],
  { kinds, path_prefix: prefix }: ToolInput<typeof kernelSearch>,
): readonly BlockHeader[] {
  const wanted: ReadonlySet<BlockKind> = new Set(kinds ?? ["file"]);
  return headers.filter(
    (header) =>
      wanted.has(header.kind) &&
      !isShownAsMessage(header) &&
      (prefix === undefined || (blockPath(header)?.startsWith(prefix) ?? false)),
  );
}

/** Returns, in mode words, the blocks that contain every word, best first. */
async function ranked(
  wanted: readonly BlockHeader[],
  { mode, query }: ToolInput<typeof kernelSearch>,
  { ports: { store, words } }: BlockToolRun,
): Promise<readonly BlockHeader[]> {
  if (mode !== "words") return wanted;
  await words.settle();
  const byId = new Map<string, BlockHeader>(wanted.map((header) => [header.id, header]));
  const matches = await store.searchWords({ words: query, in: "blocks", rootId: null, limit: rankedMax });
  return matches.flatMap(({ id }) => byId.get(id) ?? []);
}

async function unopenedFiles(
  { mode, kinds, path_prefix: prefix = "" }: ToolInput<typeof kernelSearch>,
  { folder }: BlockToolRun,
): Promise<Result<readonly UnopenedFile[], Refusal>> {
  // Unopened files are not in the word index.
  const none = folder?.ok !== true || mode === "words" || kinds?.includes("file") === false;
  return none ? ok([]) : folder.value.files.unopened(prefix);
}

/** Says that the files of the folder were not searched. */
function awayNote({ folder }: BlockToolRun): string | undefined {
  return folder?.ok === false ? folder.error.message : undefined;
}

interface Searched {
  readonly header: BlockHeader | undefined;
  readonly message: SearchedMessage | undefined;
  readonly file: UnopenedFile | undefined;
}

async function load(
  { header, message, file, laidOver }: Searched & { readonly laidOver: ReadonlySet<BlockId> },
  run: BlockToolRun,
): Promise<{ readonly version: number; readonly text: string } | null> {
  if (message !== undefined) return { version: message.textVersion, text: message.text };
  if (header !== undefined && laidOver.has(header.id)) return textInDraft(header.id, run);
  if (header !== undefined) {
    const read = await seenCanvas(header.id, run);
    if (!read.ok) return null;
    return { version: isOverlaidFor(header, run) ? -1 : read.value.header.version, text: read.value.text };
  }
  const { path, version } = must(file, "every search index has a text");
  const text = await filesOf(run).peek(path);
  return text === null ? null : { version, text };
}

/** Whether the block's text is as the index has it: an agent sees a canvas under review with its own suggestions in it. */
function isIndexed(header: BlockHeader, run: BlockToolRun): boolean {
  return header.kind === "file" && !isOverlaidFor(header, run);
}

function isOverlaidFor(header: BlockHeader, run: BlockToolRun): boolean {
  const isCanvas = header.policy !== undefined && run.leaseHolder !== null;
  return isCanvas && isOverlaid(header, { draftId: draftOf(header.id, run) });
}

/** Returns the matches with their block; FILE_NOT_FOUND for a file that was deleted meanwhile. */
async function asBlock(
  { header, message, file }: Searched,
  found: Matches,
  run: BlockToolRun,
): Promise<Result<SearchedBlock, Refusal>> {
  if (header !== undefined) return ok({ header, found });
  if (message !== undefined) return ok({ header: message.header, conversation: message.conversation, found });
  const opened = await filesOf(run).open(must(file, "every search index has a text").path);
  const read = opened.ok ? await run.ports.hub.reader.read(opened.value) : opened;
  return read.ok ? ok({ header: read.value.header, found }) : read;
}

interface Readable {
  readonly headers: readonly BlockHeader[];
  /** The canvases among the headers that the agent holds. */
  readonly held: ReadonlyMap<BlockId, OpenedBlock>;
  readonly unread: number;
}

/** Returns the blocks without the canvases that the agent has not checked out. */
async function readable(wanted: readonly BlockHeader[], run: BlockToolRun): Promise<Readable> {
  if (run.leaseHolder === null) return { headers: wanted, held: new Map(), unread: 0 };
  const headers: BlockHeader[] = [];
  const held = new Map<BlockId, OpenedBlock>();
  let unread = 0;
  for (const header of wanted) {
    const opened = header.policy === undefined ? null : await openForTool(header.id, run);
    if (opened?.ok === false) {
      if (opened.error.code !== "BLOCK_NOT_FOUND" && opened.error.code !== "IN_TRASH") unread += 1;
      continue;
    }
    if (opened !== null) held.set(header.id, opened.value);
    headers.push(header);
  }
  return { headers, held, unread };
}

/** Records that a canvas's holder has seen its text. */
function noteFound(canvas: OpenedBlock | undefined, run: BlockToolRun): void {
  if (canvas === undefined || canvas.grant === null) return;
  const { header, text } = canvas.reading;
  const seen = { header, text, revisionId: revisionId(header.version, text) };
  noteSeen(canvas.grant.leaseId, seen, run);
}
