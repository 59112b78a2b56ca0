import { readFilePath } from "../../core/base/file-path.ts";
import { readGlob } from "../../core/base/glob.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { timeSortedId, type BlockId, type DocumentId, type DraftId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { lineCount } from "../../core/base/lines.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import { planPatch } from "../../core/block/patch/apply.ts";
import { planPlaceEdits } from "../../core/block/markdown/place-edits.ts";
import { planReplacements } from "../../core/block/edit/replace-text.ts";
import { applyChanges } from "../../core/block/change/text-change.ts";
import type { TextChange, TextVersion } from "../../core/text/types.ts";
import type { FileBlock, ImageBlock } from "../../core/message/types.ts";
import { present, refusalContent } from "../../core/tool/base/answer-content.ts";
import { fileListContent, fileReadContent, readUnitsMax } from "../../core/tool/file/file-content.ts";
import type {
  deleteFile,
  listFiles,
  moveFile,
  patchFiles,
  readFiles,
  replaceInFile,
  writeFile,
} from "../../core/tool/file/file-tools.ts";
import * as specs from "../../core/tool/file/file-tools.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import { draftContent, onlyInDraft } from "../../core/tool/canvas/canvas-content.ts";
import type { LeaseGrant } from "../lease/types.ts";
import { whyUnfit } from "../document/review/why-unfit.ts";
import { keepLateEdit, suggestEdit, suggester, type PlannedEdit } from "./canvas-edit.ts";
import { goneFrom } from "../files/trashed-files.ts";
import { cancelledCall, type ToolOutput, type ToolRefusal } from "./answer.ts";
import { readMedia } from "./file-media.ts";
import { draftPlaces, notInDraft, type DraftFileAt } from "./draft-places.ts";
import { draftLease } from "./draft-files.ts";
import { deleteOpened, draftGrantOf, moveOpened, placeInDraft, whyTakenInDraft } from "./file-moves.ts";
import { searchFiles } from "./keyword-search.ts";
import { filesOf, guardsOf, openForTool, recordWrite, type OpenedBlock } from "./opened-block.ts";
import { runnable, type BlockToolRun, type RunnableTool } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

/** The tools for files of the workspace folder. They change files through the files' blocks. */
export const runnableFileTools: readonly RunnableTool<BlockToolRun>[] = [
  runnable(specs.listFiles, list),
  runnable(specs.readFiles, read),
  runnable(specs.keywordSearch, searchFiles),
  runnable(specs.replaceInFile, replace),
  runnable(specs.patchFiles, patch),
  runnable(specs.writeFile, write),
  runnable(specs.moveFile, move),
  runnable(specs.deleteFile, remove),
];

async function list(input: ToolInput<typeof listFiles>, run: BlockToolRun): Output {
  const glob = input.glob === undefined ? ok(() => true) : readGlob(input.glob);
  if (!glob.ok) return glob;
  const listed = await filesOf(run).paths();
  if (!listed.ok) return listed;
  const paths = (await pathsSeen(listed.value.paths, run)).filter(glob.value);
  return ok({
    content: fileListContent(paths, {
      max: input.max_files ?? specs.listedFilesMax.usual,
      isCut: listed.value.truncated,
    }),
  });
}

async function read(input: ToolInput<typeof readFiles>, run: BlockToolRun): Output {
  const shown: JsonObject[] = [];
  const media: (ImageBlock | FileBlock)[] = [];
  let left = readUnitsMax;
  for (const wish of input.files) {
    const shownText = (text: string) =>
      fileReadContent(text, { ...wish, numbers: input.line_numbers ?? true, unitsMax: left });
    const found = await readOne(wish.path, run);
    // The text of a PDF's bytes tells nobody anything.
    const isOther = found.ok ? found.value.startsWith("%PDF-") : found.error.code === "FILE_NOT_TEXT";
    const picture = isOther ? await readMedia(filesOf(run), await pathOnDisk(wish.path, run), media.length) : null;
    if (picture?.ok === true) {
      media.push(picture.value.block);
      shown.push({ path: wish.path, ...picture.value.content });
      continue;
    }
    const read = found.ok ? shownText(found.value) : found;
    const content = picture ?? read;
    if (!content.ok) {
      // A file that cannot be read does not fail the others.
      if (input.files.length === 1) return content;
      shown.push({ path: wish.path, ...refusalContent(content.error) });
      continue;
    }
    left = Math.max(0, left - content.value.units);
    shown.push({ path: wish.path, ...content.value.content });
  }
  return ok({ content: { files: shown }, media });
}

/** Reads a file's current text: from its block when it has one; a canvas only under its lease. */
async function readOne(path: string, run: BlockToolRun): Promise<Result<string, Refusal>> {
  const inDraft = (await draftPlaces(run)).at(path);
  if (inDraft !== undefined) {
    const opened = await openAt(path, inDraft, run, { draft: "read" });
    return opened.ok ? ok(opened.value.opened.reading.text) : opened;
  }
  const reading = await filesOf(run).read(path);
  if (!reading.ok) return reading;
  const { blockId, text } = reading.value;
  if (blockId === null) return ok(text);
  const opened = await openForTool(blockId, run, { draft: "read" });
  if (opened.ok) return ok(opened.value.reading.text);
  return isOnlyForPeople(opened.error, run) ? ok(text) : opened;
}

async function write({ path, content }: ToolInput<typeof writeFile>, run: BlockToolRun): Output {
  const inDraft = (await draftPlaces(run)).at(path);
  if (inDraft?.type === "deleted") {
    const back = await undelete(inDraft.blockId, run);
    if (!back.ok) return back;
  }
  const found = await openFile(path, run);
  if (!found.ok) {
    const made = found.error.code === "FILE_NOT_FOUND" ? await make(path, content, run) : found;
    if (!made.ok) return made;
    const { lineCount: count, saved, draftId } = made.value;
    const facts = { path, created: true, line_count: count, ...diskFacts(saved), ...draftFacts(draftId) };
    return ok({ content: present(facts) });
  }
  const file = found.value;
  // In a draft it is written again with the take.
  const isGone = draftGrantOf(file.opened) === null && filesOf(run).isGone(file.opened.reading.header);
  const changed = await change(file, run, ({ text }) => ok({ changes: diffChanges(text, content) }));
  // The same text as before the file was deleted changes no block.
  const back = changed.ok && isGone ? await filesOf(run).bringBack(file.opened.reading.header.id) : ok(undefined);
  const done = changed.ok && !back.ok ? ok({ ...changed.value, saved: back }) : changed;
  return done.ok ? answer([done.value], { path, created: isGone }) : done;
}

async function move({ path, to }: ToolInput<typeof moveFile>, run: BlockToolRun): Output {
  const found = await holdFile(path, run);
  if (!found.ok) return found;
  if (run.signal.aborted) return err(cancelledCall());
  return moveOpened(found.value.opened, to, run);
}

async function remove({ path }: ToolInput<typeof deleteFile>, run: BlockToolRun): Output {
  const found = await holdFile(path, run);
  if (!found.ok) return found;
  if (run.signal.aborted) return err(cancelledCall());
  return deleteOpened(found.value.opened, run);
}

/** Creates a new file, as a block and on disk; in a draft for the draft alone. */
async function make(path: string, text: string, run: BlockToolRun): Promise<Result<Changed, ToolRefusal>> {
  if (run.signal.aborted) return err(cancelledCall());
  const { draft } = run;
  if (draft !== undefined && run.leaseHolder !== null) return makeInDraft({ draftId: draft.id, path, text }, run);
  const made = await filesOf(run).make(await run.author(), path, text);
  if (!made.ok) return made;
  return ok({ path, lineCount: lineCount(text), changed: true, saved: await filesOf(run).save(made.value.id) });
}

async function replace({ path, replacements }: ToolInput<typeof replaceInFile>, run: BlockToolRun): Output {
  const found = await openOnDisk(path, run);
  if (!found.ok) return found;
  const file = found.value;
  if (run.leaseHolder !== null && file.opened.reading.header.policy !== undefined) return err(isCanvas(path));
  const changed = await change(file, run, ({ text }) => {
    const planned = planFileEdits(path, text, replacements);
    return planned.ok ? ok({ changes: planned.value }) : planned;
  });
  return changed.ok ? answer([changed.value], { path }) : changed;
}

/** Plans replacements by passage and by section, all or none. Sections are Markdown's: a comment of code is no heading. */
function planFileEdits(
  path: string,
  text: string,
  given: ToolInput<typeof replaceInFile>["replacements"],
): ReturnType<typeof planPlaceEdits> {
  const passages = given.flatMap(({ search, section, replace: to }) =>
    search === undefined || section !== undefined ? [] : [{ search, replace: to }],
  );
  if (passages.length === given.length) return planReplacements(text, passages);
  const bySection = given.findIndex(({ section }) => section !== undefined);
  if (bySection !== -1 && !/\.(?:md|markdown|mdx|txt)$/iu.test(path)) {
    const expected = "search: only Markdown files have sections";
    return err(refusal("INVALID_PARAMS", { path: `replacements[${bySection}].section`, expected }));
  }
  return planPlaceEdits(
    text,
    given.map(({ search, section, replace: to }) => ({ search, section, text: to })),
  );
}

interface PlannedPatch {
  readonly file: FileToChange | null;
  readonly path: string;
  readonly plan: PlannedText;
}

/** Plans all patches before applying any. Changes made meanwhile are merged. */
async function patch(input: ToolInput<typeof patchFiles>, run: BlockToolRun): Output {
  const twice = input.files.find(({ path }, at) => input.files.findIndex((other) => other.path === path) !== at);
  if (twice !== undefined) {
    return err(refusal("INVALID_PARAMS", { path: twice.path, expected: "all hunks of a file in one patch" }));
  }
  const planned: PlannedPatch[] = [];
  for (const wish of input.files) {
    const plan = await planFile(wish, run);
    if (!plan.ok) return err(inFile(plan.error, wish.path, input.files.length > 1));
    planned.push(plan.value);
  }
  const done: Changed[] = [];
  for (const { file, path, plan } of planned) {
    const changed =
      file === null ? await make(path, applyChanges("", plan.changes), run) : await change(file, run, () => ok(plan));
    // A disk error or an ended lease: the refusal lists the files already changed.
    if (!changed.ok) return err(halfWay(changed.error, path, done));
    done.push(changed.value);
  }
  return answer(done, {});
}

async function planFile(
  { path, patch: diff }: ToolInput<typeof patchFiles>["files"][number],
  run: BlockToolRun,
): Promise<Result<PlannedPatch, Refusal>> {
  const found = await openOnDisk(path, run);
  if (!found.ok && found.error.code !== "FILE_NOT_FOUND") return found;
  const file = found.ok ? found.value : null;
  const planned = planPatch(file?.opened.reading.text ?? "", diff);
  if (!planned.ok) return found.ok ? planned : found;
  const { textVersion: at, text: base } = file?.opened.reading ?? {};
  return ok({ file, path, plan: { changes: planned.value.changes, ...(at && { at }), ...(base && { base }) } });
}

interface FileToChange {
  readonly path: string;
  readonly opened: OpenedBlock;
}

interface PlannedText {
  readonly changes: readonly TextChange[];
  /** The text that they change, where it was read before: its version, and for a draft the text itself. */
  readonly at?: TextVersion;
  readonly base?: string;
}

interface Changed {
  readonly path: string;
  readonly lineCount: number;
  readonly changed: boolean;
  /** Whether the text is on disk. */
  readonly saved: Result<void, Refusal>;
  readonly revisionId?: string;
  /** The draft that has the change; the disk does not. */
  readonly draftId?: DraftId | null;
}

/** Opens the block of an existing file; a canvas only under its lease. */
async function openFile(path: string, run: BlockToolRun): Promise<Result<FileToChange, Refusal>> {
  const inDraft = (await draftPlaces(run)).at(path);
  if (inDraft !== undefined) return openAt(path, inDraft, run, { draft: "write" });
  return openedAt(path, await filesOf(run).open(path), run, { draft: "write" });
}

/** Like `openFile`, also for a file that is not text. */
async function holdFile(path: string, run: BlockToolRun): Promise<Result<FileToChange, Refusal>> {
  const how = { binary: true, draft: "place" } as const;
  const inDraft = (await draftPlaces(run)).at(path);
  if (inDraft !== undefined) return openAt(path, inDraft, run, how);
  return openedAt(path, await filesOf(run).hold(path), run, how);
}

/** Opens what the agent's draft has at a path. */
async function openAt(
  path: string,
  at: DraftFileAt,
  run: BlockToolRun,
  how: Parameters<typeof openForTool>[2],
): Promise<Result<FileToChange, Refusal>> {
  if (at.type !== "here") return err(notInDraft(path, at.type));
  return openedAt(path, ok(at.header.id), run, how);
}

/** Returns the paths of the folder as the agent's draft has it. */
async function pathsSeen(paths: readonly string[], run: BlockToolRun): Promise<readonly string[]> {
  const places = await draftPlaces(run);
  const there = paths.filter((path) => places.at(path) === undefined);
  const here = places.here.flatMap((header) => blockPath(header) ?? []);
  return here.length === 0 ? there : [...there, ...here].toSorted();
}

/** Returns where the bytes of a file are that the agent's draft moves. */
async function pathOnDisk(path: string, run: BlockToolRun): Promise<string> {
  const inDraft = (await draftPlaces(run)).at(path);
  const header = inDraft?.type === "here" ? await run.ports.store.block(inDraft.header.id) : null;
  return (header === null ? undefined : blockPath(header)) ?? path;
}

/** Creates a file that only the agent's draft has. */
async function makeInDraft(
  file: { readonly draftId: DraftId; readonly path: string; readonly text: string },
  run: BlockToolRun,
): Promise<Result<Changed, ToolRefusal>> {
  const { hub, platform } = run.ports;
  const path = readFilePath(file.path);
  if (!path.ok) return path;
  if (run.folder?.ok === true && run.folder.value.folder.rights === "read") {
    return err(refusal("FOLDER_READ_ONLY", { path: path.value }));
  }
  const taken = await whyTakenInDraft(path.value, null, run);
  if (taken !== null) return err(taken);
  const refused = whyUnfit(file.text);
  if (refused !== null) return err(refused);
  const author = await suggester(run);
  const suggested = hub.suggestions.newFile(author, { ...file, path: path.value });
  const documentId = timeSortedId("doc", platform.clock.now(), platform.random.bytes(12)) as DocumentId;
  const place = { documentId, parentId: null, role: "user", kind: "file", status: "done", text: "" } as const;
  const metadata = { path: path.value, ...(run.folderId !== null && { folder: run.folderId }) };
  const also = (id: BlockId) => [{ type: "put-suggestion", suggestion: suggested(id) } as const];
  const created = await hub.editor.create(author, { ...place, metadata }, { inDraft: true, also });
  if (!created.ok) return created;
  hub.suggestions.tell(created.value.id, [suggested(created.value.id)]);
  const { text, draftId } = file;
  return ok({ path: path.value, lineCount: lineCount(text), changed: true, saved: ok(undefined), draftId });
}

/** Has a file again that the agent's draft deleted. */
async function undelete(blockId: BlockId, run: BlockToolRun): Promise<Result<void, Refusal>> {
  const grant = await draftLease(blockId, run);
  if (grant === null) return ok(undefined);
  if (!grant.ok) return grant;
  const placed = await placeInDraft(grant.value, { type: "undelete" }, run);
  return placed.ok ? ok(undefined) : placed;
}

async function openedAt(
  path: string,
  id: Result<BlockId, Refusal>,
  run: BlockToolRun,
  how: Parameters<typeof openForTool>[2],
): Promise<Result<FileToChange, Refusal>> {
  if (!id.ok) return id;
  const opened = await openForTool(id.value, run, how);
  if (opened.ok) return ok({ path, opened: opened.value });
  return isOnlyForPeople(opened.error, run) ? err(onlyForPeople(path)) : opened;
}

/** Like `openFile`; FILE_NOT_FOUND for a file that was deleted on disk, whose text the agent has not seen as a file's. */
async function openOnDisk(path: string, run: BlockToolRun): Promise<Result<FileToChange, Refusal>> {
  const found = await openFile(path, run);
  if (!found.ok || !filesOf(run).isGone(found.value.opened.reading.header)) return found;
  return err(goneFrom(path));
}

type TextPlan = (now: { readonly text: string }) => Result<PlannedText, Refusal>;

/** Changes the block within its queue, then writes the file; in a draft only the draft's part of it. */
async function change(file: FileToChange, run: BlockToolRun, plan: TextPlan): Promise<Result<Changed, ToolRefusal>> {
  const { path, opened } = file;
  const { grant } = opened;
  if (grant !== null && grant.draftId !== null) return changeInDraft(file, { grant, plan }, run);
  const blockId: BlockId = opened.reading.header.id;
  const edited = await run.ports.hub.editor.editWith(
    await run.author(),
    blockId,
    (now) => (run.signal.aborted ? err(cancelledCall()) : plan(now)),
    { guards: guardsOf(opened, run) },
  );
  if (!edited.ok) return edited;
  const { text, delta } = edited.value;
  return ok({
    path,
    lineCount: lineCount(text),
    changed: delta.length > 0,
    saved: await filesOf(run).save(blockId),
    revisionId: recordWrite(opened, run, edited.value),
  });
}

async function changeInDraft(
  { path, opened }: FileToChange,
  { grant, plan }: { readonly grant: LeaseGrant; readonly plan: TextPlan },
  run: BlockToolRun,
): Promise<Result<Changed, ToolRefusal>> {
  const planFor = (text: string): Result<PlannedEdit, Refusal> => {
    const planned = plan({ text });
    return planned.ok ? ok({ base: planned.value.base ?? text, changes: planned.value.changes }) : planned;
  };
  const made = await suggestEdit({ grant, plan: planFor, patchHash: null }, run);
  if (!made.ok) {
    const edit = async (): Promise<Result<PlannedEdit, Refusal>> => planFor(opened.reading.text);
    return err(await keepLateEdit(made.error, { grant, edit }, run));
  }
  const { text, delta, revisionId } = made.value;
  const { draftId } = grant;
  return ok({ path, lineCount: lineCount(text), changed: delta.length > 0, saved: ok(undefined), revisionId, draftId });
}

function answer(changed: readonly Changed[], facts: JsonObject): Result<ToolOutput, ToolRefusal> {
  const files = changed.map(({ path, lineCount: count, changed: differs, saved, draftId }) =>
    present({
      path,
      line_count: count,
      changed: differs,
      ...diskFacts(saved),
      ...draftFacts(draftId),
    }),
  );
  const [only, ...others] = files;
  if (only === undefined || others.length > 0) return ok({ content: { ...facts, files } });
  const revisionId = changed[0]?.revisionId;
  return ok({ content: { ...only, ...facts }, ...(revisionId === undefined ? {} : { revisionId }) });
}

function draftFacts(draftId: DraftId | null | undefined) {
  return { ...draftContent(draftId), note: draftId === undefined || draftId === null ? undefined : onlyInDraft };
}

/** Returns why a file could not be written to disk; the write is retried later. */
function diskFacts(saved: Changed["saved"]): { readonly not_on_disk: string | undefined } {
  return { not_on_disk: saved.ok ? undefined : saved.error.code };
}

/** Adds the path to the refusal of one file of several. */
function inFile(error: Refusal, path: string, oneOfSeveral: boolean): Refusal {
  const details = { path, ...error.details };
  return oneOfSeveral
    ? { ...error, message: `${path}: ${error.message} No file was changed.`, details }
    : { ...error, details };
}

function halfWay(error: ToolRefusal, path: string, done: readonly Changed[]): ToolRefusal {
  if (done.length === 0) return error;
  const changed = done.map((file) => file.path);
  return {
    ...error,
    message: `${path}: ${error.message} These files were already changed: ${changed.join(", ")}.`,
    details: { ...error.details, path, changed },
  };
}

/** Whether a block is hidden from the caller because its canvas tools are switched off; as a file it can still be read. */
function isOnlyForPeople({ code }: Refusal, run: BlockToolRun): boolean {
  return code === "BLOCK_NOT_FOUND" && !run.canvases;
}

function onlyForPeople(path: string): Refusal {
  return refusal(
    "FORBIDDEN",
    { path },
    `People edit ${path} in Heddle, and agents may only read it. Nothing was changed.`,
  );
}

function isCanvas(path: string): Refusal {
  return refusal(
    "FORBIDDEN",
    { path },
    `${path} is a canvas. Check it out with canvas_check_out and edit it with canvas_edit.`,
  );
}
