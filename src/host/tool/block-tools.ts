import { refusal, type Refusal } from "../../core/base/errors.ts";
import { timeSortedId, type BlockId, type DocumentId, type ToolCallId } from "../../core/base/ids.ts";
import { lineCount, prevailingLineEnd } from "../../core/base/lines.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { traitsOf } from "../../core/block/kinds.ts";
import { planLineEditsFrom } from "../../core/block/edit/line-edit.ts";
import type { LineBase } from "../../core/block/edit/anchor.ts";
import { planPatch } from "../../core/block/patch/apply.ts";
import { revisionId } from "../../core/block/revision.ts";
import { hasFinalNewline } from "../../core/block/edit/text-facts.ts";
import { planSplice } from "../../core/block/edit/splice.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { byWords } from "../../core/block/change/word-changes.ts";
import type { TextChange } from "../../core/text/types.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import {
  blockHistoryContent,
  blockReadContent,
  blockSearchContent,
  blockSearchQuery,
  patchErrorsContent,
} from "../../core/tool/block/block-content.ts";
import {
  blockAppend,
  blockApplyPatch,
  blockCreate,
  blockDelete,
  blockEdit,
  blockHistory,
  blockList,
  blockRead,
  blockRedo,
  blockRestore,
  blockSearch,
  blockSplice,
  blockStatus,
  blockUndo,
  blockUpdate,
  kernelSearch,
} from "../../core/tool/block/block-tools.ts";
import {
  modelBlockEdit,
  modelBlockRead,
  modelBlockSearch,
  modelKernelSearch,
} from "../../core/tool/block/model-block-tools.ts";
import { editSuggestedContent } from "../../core/tool/canvas/canvas-content.ts";
import { givenMetadataRefusal } from "../../core/tool/block/given-metadata.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import { hubLimits } from "../document/record/limits.ts";
import { blockNotFound } from "../document/block/closed-refusal.ts";
import { metadataRefusal } from "../document/record/metadata-refusal.ts";
import type { Author, EditOptions } from "../document/record/types.ts";
import type { LeaseGrant } from "../lease/types.ts";
import type { TrashEntry } from "../../core/forest/trash-entry.ts";
import { documentOfConversation } from "../document/record/document-of.ts";
import { restoreBlock } from "../files/block-files.ts";
import { cancelledCall, type ToolOutput, type ToolRefusal } from "./answer.ts";
import { seenEntry } from "./seen-entry.ts";
import { whyNotMadeThere, whyNotMoved } from "./why-not-placed.ts";
import { isOverlaid, keepLateEdit, seenCanvas, suggestEdit, type PlannedEdit } from "./canvas-edit.ts";
import { listForTool } from "./block-list.ts";
import { deleteOpened, isUnderReview, moveOpened, propose } from "./file-moves.ts";
import { searchBlocks } from "./kernel-search.ts";
import {
  guardsOf,
  isInReach,
  isNamed,
  isWithin,
  openForTool,
  openToRead,
  recordRead,
  recordWrite,
  type OpenedBlock,
} from "./opened-block.ts";
import { runnable, type BlockToolRun, type RunnableTool } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

const toolsOfBothForms: readonly RunnableTool<BlockToolRun>[] = [
  runnable(blockList, listForTool),
  runnable(blockHistory, history),
  runnable(blockApplyPatch, applyPatch),
  runnable(blockAppend, append),
  runnable(blockSplice, splice),
  runnable(blockUndo, undo),
  runnable(blockRedo, redo),
  runnable(blockCreate, create),
  runnable(blockStatus, setStatus),
  runnable(blockUpdate, update),
  runnable(blockDelete, remove),
  runnable(blockRestore, restore),
];

/** The block tools in the founding design's form: lines count from 0 and ends are exclusive. */
export const runnableBlockTools: readonly RunnableTool<BlockToolRun>[] = [
  runnable(blockRead, (input, run) => read({ ...input, base: 0 }, run)),
  runnable(blockSearch, (input, run) => search({ ...input, base: 0 }, run)),
  runnable(kernelSearch, (input, run) => searchBlocks({ ...input, base: 0 }, run)),
  runnable(blockEdit, (input, run) => edit({ ...input, base: 0 }, run)),
  ...toolsOfBothForms,
];

/** The block tools as models have them: lines count from 1 and ends are included. */
export const runnableModelBlockTools: readonly RunnableTool<BlockToolRun>[] = [
  runnable(modelBlockRead, readFromOne),
  runnable(modelBlockSearch, (input, run) => search({ ...input, base: 1 }, run)),
  runnable(modelKernelSearch, (input, run) => searchBlocks({ ...input, base: 1 }, run)),
  runnable(modelBlockEdit, (input, run) => edit({ ...input, base: 1 }, run)),
  ...toolsOfBothForms,
];

/** How a caller's lines count: from 0 with exclusive ends, or from 1 with ends included. */
interface Numbered {
  readonly base: LineBase;
}

async function readFromOne(
  { start_line: start = 1, end_line: end, ...input }: ToolInput<typeof modelBlockRead>,
  run: BlockToolRun,
): Output {
  if (end !== undefined && end < start) {
    const expected = "at least start_line; it is included";
    return err(refusal("INVALID_PARAMS", { path: "end_line", expected, start_line: start, end_line: end }));
  }
  const range = start === 1 && end === undefined ? {} : { range: { start: start - 1, end: end ?? Infinity } };
  return read({ ...input, ...range, base: 1 }, run);
}

async function read(input: ToolInput<typeof blockRead> & Numbered, run: BlockToolRun): Output {
  const found = await openToRead(input.block_id, run);
  if (!found.ok) return found;
  const { header, text } = found.value.reading;
  const content = blockReadContent(header, text, input);
  return content.ok ? recordRead(found.value, run, content.value) : content;
}

async function search(input: ToolInput<typeof blockSearch> & Numbered, run: BlockToolRun): Output {
  const found = await openToRead(input.block_id, run);
  if (!found.ok) return found;
  const searched = await run.ports.searcher.search(found.value.reading.text, blockSearchQuery(input));
  return searched.ok ? recordRead(found.value, run, blockSearchContent(searched.value, input.base)) : searched;
}

async function edit(input: ToolInput<typeof blockEdit> & Numbered, run: BlockToolRun): Output {
  const { base, operations } = input;
  const plan: LinePlan = (text) => planLineEditsFrom(base, { text, operations, unitsMax: hubLimits.textUnitsMax });
  return change(input.block_id, { baseVersion: input.base_version, plan }, run);
}

async function splice(input: ToolInput<typeof blockSplice>, run: BlockToolRun): Output {
  const plan: LinePlan = (text) => planSplice(text, input);
  return change(input.block_id, { baseVersion: input.base_version, plan }, run);
}

/** The longest text that is appended in batches; a longer one is a change of its own, refused as a whole. UTF-16 units. */
const pieceUnitsMax = 1_000;

async function append(input: ToolInput<typeof blockAppend>, run: BlockToolRun): Output {
  const { block_id: id, text: added, new_line: newLine = false } = input;
  // A document's text is written at once, under its lease; a part of a conversation grows like a reply, in batches.
  const isPiece = added !== "" && added.length <= pieceUnitsMax && added.isWellFormed();
  if (isPiece && isWithin(id, run) && !newLine) {
    if (run.signal.aborted) return err(cancelledCall());
    const streamed = await run.ports.hub.editor.appendInBatches(await run.author(), id, added);
    return streamed.ok ? ok({ content: { version: streamed.value.version } }) : streamed;
  }
  const plan: LinePlan = (text) => {
    const separator = newLine && text !== "" && !hasFinalNewline(text) ? prevailingLineEnd(text) : "";
    const insert = added === "" ? "" : `${separator}${added}`;
    return ok(insert === "" ? [] : [{ from: text.length, to: text.length, insert }]);
  };
  return change(id, { baseVersion: undefined, plan }, run);
}

async function create(input: ToolInput<typeof blockCreate>, run: BlockToolRun): Output {
  const { hub, platform } = run.ports;
  const file = input.kind === "file";
  const text = input.content ?? "";
  if (run.signal.aborted) return err(cancelledCall());
  const { metadata = {} } = input;
  const notGiven = givenMetadataRefusal(metadata) ?? metadataRefusal(metadata);
  if (notGiven !== null) return err(notGiven);
  const notThere = file ? whyNotMadeThere(metadata, run) : null;
  if (notThere !== null) return err(notThere);
  const { path } = metadata;
  const hasPath = file && typeof path === "string";
  const taken = hasPath ? await whyTaken(path, run) : null;
  if (taken !== null) return err(taken);
  for (const named of [input.parent_id, input.after]) {
    if (named !== undefined && !isWithin(named, run) && !(await isFile(named, run))) {
      return err(blockNotFound(named));
    }
  }
  if (file && run.reach && run.reach.agent?.mayCreate !== true) {
    const message = "No document was made: this token reaches single documents and conversations only.";
    return err(refusal("FORBIDDEN", { kind: "file" }, message));
  }
  // A file is a document of its own, so that it outlives the conversation and has its own queue.
  const fresh = timeSortedId("doc", platform.clock.now(), platform.random.bytes(12));
  const created = await hub.editor.create(await run.author(), {
    documentId: file ? (fresh as DocumentId) : run.documentId,
    parentId: input.parent_id ?? null,
    ...(input.after === undefined ? {} : { after: input.after }),
    role: input.role,
    kind: input.kind,
    text,
    status: traitsOf(input.kind).editable === "always" ? "done" : text === "" ? "pending" : "running",
    metadata: hasPath ? { ...metadata, folder: run.folderId } : metadata,
  });
  if (!created.ok) return created;
  const { id: blockId, version } = created.value;
  return ok({ content: { block_id: blockId, version }, revisionId: revisionId(version, text) });
}

/** Returns why the caller may create no file with this path; null when it may. Without a folder a path is a name only. */
async function whyTaken(path: string, { folder }: BlockToolRun): Promise<Refusal | null> {
  if (folder === null) return null;
  if (!folder.ok) return folder.error;
  if (folder.value.folder.rights === "read") return refusal("FOLDER_READ_ONLY", { path });
  return folder.value.files.whyTaken(path);
}

async function setStatus(input: ToolInput<typeof blockStatus>, run: BlockToolRun): Output {
  const { hub } = run.ports;
  return changeHeader(input.block_id, run, (author, id, options) =>
    hub.editor.setStatus(author, id, input.status, options),
  );
}

async function update(input: ToolInput<typeof blockUpdate>, run: BlockToolRun): Output {
  const { block_id: blockId, ...given } = input;
  const notGiven = givenMetadataRefusal(given.metadata ?? {});
  if (notGiven !== null) return err(notGiven);
  const found = await openForTool(blockId, run);
  if (!found.ok) return found;
  const { path, wish } = withoutPath(given, found.value.reading.header);
  const notMoved = whyNotMoved(found.value.reading.header, wish.metadata ?? {}, run);
  if (notMoved !== null) return err(notMoved);
  if (path !== null) {
    // A move is decided first: where it is refused, nothing has changed.
    const moved = await moveOpened(found.value, path, run);
    if (!moved.ok || isNothing(wish)) return moved;
  }
  if (isUnderReview(found.value)) return propose(found.value, { type: "update", ...wish }, run);
  return changeHeader(blockId, run, (author, id, options) => run.ports.hub.editor.update(author, id, wish, options));
}

async function remove(input: ToolInput<typeof blockDelete>, run: BlockToolRun): Output {
  const found = await openForTool(input.block_id, run, { draft: "place" });
  if (!found.ok) return found;
  if (run.signal.aborted) return err(cancelledCall());
  return deleteOpened(found.value, run);
}

async function restore(input: ToolInput<typeof blockRestore>, run: BlockToolRun): Output {
  const { hub, store } = run.ports;
  const { block_id: blockId } = input;
  const entry = await store.trashed(blockId);
  if (entry === null || !isNamed(blockId, entry.object.type, run)) {
    const known = await hub.reader.read(blockId);
    const isReachable = known.ok && isKnown(known.value.header, run);
    return err(isReachable ? refusal("NOT_IN_TRASH", { block_id: blockId }) : blockNotFound(blockId));
  }
  const before = await store.block(blockId);
  if (run.reach && before !== null && !isInReach(before, run)) return err(blockNotFound(blockId));
  if (!(await mayRestore(entry, run))) return err(refusal("TRASH_NOT_YOURS", { block_id: blockId }));
  if (run.signal.aborted) return err(cancelledCall());
  const { object } = entry;
  if (!("blockId" in object)) return err(blockNotFound(blockId));
  const header = await store.block(blockId);
  if (run.leaseHolder !== null && header !== null && !isInReach(header, run)) return err(blockNotFound(blockId));
  const ports = { folders: run.ports.folders, deletion: hub.deletion };
  const restored = await restoreBlock(ports, await run.author(), { entry: { ...entry, object }, header }, {});
  return restored.ok
    ? ok({ content: present({ version: restored.value.version, path: restored.value.path ?? undefined }) })
    : restored;
}

function isKnown(header: BlockHeader, run: BlockToolRun): boolean {
  return isWithin(header.id, run) || (header.kind === "file" && (!run.reach || isInReach(header, run)));
}

type HeaderGiven = Omit<ToolInput<typeof blockUpdate>, "block_id">;

/** Takes the path out of the metadata to set, where it would move a file. */
function withoutPath(
  given: HeaderGiven,
  header: BlockHeader,
): { readonly path: string | null; readonly wish: HeaderGiven } {
  const { path, ...metadata } = given.metadata ?? {};
  const now = blockPath(header);
  if (typeof path !== "string" || now === undefined || path === now) return { path: null, wish: given };
  return { path, wish: { ...given, metadata } };
}

function isNothing({ collapsed, excluded, metadata = {} }: HeaderGiven): boolean {
  return collapsed === undefined && excluded === undefined && Object.keys(metadata).length === 0;
}

/** Returns whether the caller may restore an entry: a person any, an agent what agents of its conversation deleted. */
async function mayRestore({ by }: TrashEntry, { leaseHolder, documentId, ports }: BlockToolRun): Promise<boolean> {
  if (leaseHolder === null) return true;
  if (by.type !== "model") return false;
  if (by.runId === leaseHolder) return true;
  const deleter = await ports.store.run(by.runId);
  return deleter !== null && documentOfConversation(deleter.rootId) === documentId;
}

/** Changes a block's header. */
async function changeHeader(
  id: BlockId,
  run: BlockToolRun,
  make: (author: Author, id: BlockId, options: EditOptions) => Promise<Result<{ readonly version: number }, Refusal>>,
): Output {
  const found = await openForTool(id, run);
  if (!found.ok) return found;
  if (run.signal.aborted) return err(cancelledCall());
  const inDraft = refusedInDraft(found.value);
  if (inDraft !== null) return err(inDraft);
  const options = { guards: guardsOf(found.value, run) };
  const made = await make(await run.author(), found.value.reading.header.id, options);
  return made.ok ? ok({ content: { version: made.value.version } }) : made;
}

async function applyPatch(input: ToolInput<typeof blockApplyPatch>, run: BlockToolRun): Output {
  const plan: LinePlan = (text) => {
    const planned = planPatch(text, input.patch);
    return planned.ok ? ok(planned.value.changes) : planned;
  };
  const wish = { baseVersion: input.base_version, plan, dryRun: input.dry_run };
  const patched = await change(input.block_id, wish, run);
  if (!patched.ok) {
    return patched.error.code === "PATCH_REJECTED" ? ok({ content: patchErrorsContent(patched.error) }) : patched;
  }
  if (input.dry_run === true) return ok({ content: { success: true } });
  const { content, ...rest } = patched.value;
  const suggested = content["awaiting_review"] === true ? content : {};
  return ok({ ...rest, content: present({ ...suggested, success: true, version: content["version"] }) });
}

async function undo(input: ToolInput<typeof blockUndo>, run: BlockToolRun): Output {
  return revert(input, run, "undo");
}

async function redo(input: ToolInput<typeof blockRedo>, run: BlockToolRun): Output {
  return revert(input, run, "redo");
}

async function revert(input: ToolInput<typeof blockUndo>, run: BlockToolRun, which: "undo" | "redo"): Output {
  const found = await openForTool(input.block_id, run);
  if (!found.ok) return found;
  if (run.signal.aborted) return err(cancelledCall());
  const inDraft = refusedInDraft(found.value);
  if (inDraft !== null) return err(inDraft);
  const options = {
    guards: guardsOf(found.value, run),
    toolCallId: input.tool_call_id === undefined ? undefined : (input.tool_call_id as ToolCallId),
  };
  const reverted = await run.ports.hub.history[which](await run.author(), found.value.reading.header.id, options);
  if (!reverted.ok) return reverted;
  const { version, text, changedByOthers } = reverted.value;
  const content = { version, line_count: lineCount(text), changed_by_others: changedByOthers };
  return ok({ content, revisionId: recordWrite(found.value, run, reverted.value) });
}

async function history(input: ToolInput<typeof blockHistory>, run: BlockToolRun): Output {
  const found = await openForTool(input.block_id, run);
  if (!found.ok) return found;
  const page = { beforeVersion: input.before_version, entriesMax: input.max_entries ?? historyEntriesDefault };
  const read = await run.ports.hub.history.page(found.value.reading.header.id, page);
  if (!read.ok) return read;
  const entries = await Promise.all(read.value.entries.map((entry) => seenEntry(entry, run)));
  return ok({ content: blockHistoryContent(entries, read.value.truncated) });
}

const historyEntriesDefault = 20;

type LinePlan = (text: string) => Result<readonly TextChange[], Refusal>;

/** A change of a text, planned against a version or the current text. A dry run only reports whether it would succeed. */
interface ChangeWish {
  readonly baseVersion: number | undefined;
  readonly plan: LinePlan;
  readonly dryRun?: boolean | undefined;
}

/** Refuses what would change the shared canvas from within a draft. */
function refusedInDraft({ grant }: OpenedBlock): Refusal | null {
  if (grant === null || grant.draftId === null) return null;
  return refusal(
    "REVIEW_NEEDED",
    { draft: grant.draftId },
    "You work in a draft of this canvas, and this tool changes what everybody shares, so nothing was changed. Edit the text with canvas_edit or canvas_apply_patch; a person takes the draft.",
  );
}

/** Makes a change word by word; keeps it as a suggestion when a person took control first. */
async function change(id: BlockId, wish: ChangeWish, run: BlockToolRun): Output {
  const plan: LinePlan = (text) => {
    const planned = wish.plan(text);
    return planned.ok ? ok(byWords(text, planned.value)) : planned;
  };
  // Read first: the grant of a run that is being stopped is soon dropped.
  const grant = run.leaseHolder === null ? undefined : run.ports.leases.grantOf(run.leaseHolder, id);
  const found = await openForTool(id, run, { draft: "write" });
  const changed = found.ok ? await changeOpened(found.value, { ...wish, plan }, run) : found;
  if (changed.ok || grant === undefined || wish.dryRun === true) return changed;
  const edit = async (): Promise<Result<PlannedEdit, Refusal>> => {
    const base = await textAt({ blockId: grant.canvasId, grant }, wish.baseVersion, run);
    if (!base.ok) return base;
    const changes = plan(base.value.text);
    return changes.ok ? ok({ base: base.value.text, changes: changes.value }) : changes;
  };
  return err(await keepLateEdit(changed.error, { grant, edit }, run));
}

/** Returns the text of a block that the model has read, or would read now. */
async function textAt(
  { blockId, grant }: { readonly blockId: BlockId; readonly grant: LeaseGrant | null },
  version: number | undefined,
  run: BlockToolRun,
): Promise<Result<{ readonly text: string }, Refusal>> {
  if (version === undefined) return seenCanvas(blockId, run);
  const view = grant?.views.findLast((shown) => shown.version === version);
  return view === undefined ? run.ports.hub.reader.readAt(blockId, version) : ok(view);
}

/** Plans against the text that the model has read; later changes are merged, or a person reviews the edit. */
async function changeOpened(found: OpenedBlock, wish: ChangeWish, run: BlockToolRun): Output {
  const { grant } = found;
  if (grant !== null && isOverlaid(found.reading.header, grant)) return suggestChange(grant, wish, run);
  const { hub } = run.ports;
  const { baseVersion, plan, dryRun = false } = wish;
  const blockId = found.reading.header.id;
  const base = baseVersion === undefined ? null : await hub.reader.readAt(blockId, baseVersion);
  if (base?.ok === false) return base;
  const planAt: Parameters<typeof hub.editor.editWith>[2] = (now) => {
    if (run.signal.aborted) return err(cancelledCall());
    const from = base?.value ?? now;
    const changes = plan(from.text);
    return changes.ok ? ok({ changes: changes.value, at: from.textVersion }) : changes;
  };
  const author = await run.author();
  const options = { guards: guardsOf(found, run) };
  if (dryRun) {
    const tried = await hub.editor.tryEdit(author, blockId, planAt, options);
    return tried.ok ? ok({ content: {} }) : tried;
  }
  const edited = await hub.editor.editWith(author, blockId, planAt, options);
  if (!edited.ok) return edited;
  const { version, text } = edited.value;
  return ok({ content: { version, line_count: lineCount(text) }, revisionId: recordWrite(found, run, edited.value) });
}

async function suggestChange(grant: LeaseGrant, wish: ChangeWish, run: BlockToolRun): Output {
  const { baseVersion, plan, dryRun } = wish;
  const base = baseVersion === undefined ? null : await textAt({ blockId: grant.canvasId, grant }, baseVersion, run);
  if (base?.ok === false) return base;
  const planFor = (seen: string): Result<PlannedEdit, Refusal> => {
    const from = base?.value.text ?? seen;
    const changes = plan(from);
    return changes.ok ? ok({ base: from, changes: changes.value }) : changes;
  };
  const taken = await suggestEdit({ grant, plan: planFor, patchHash: null, dryRun }, run);
  if (!taken.ok) return taken;
  const { header, suggestion, text, revisionId: revision } = taken.value;
  const content = editSuggestedContent(
    { ...taken.value, suggestedHunks: suggestion?.hunks.length ?? 0, draftId: grant.draftId },
    { text, revisionId: revision },
  );
  return ok({ content: { version: header.version, ...content }, revisionId: revision });
}

async function isFile(blockId: BlockId, run: BlockToolRun): Promise<boolean> {
  const found = await run.ports.hub.reader.read(blockId);
  return found.ok && found.value.header.kind === "file" && isKnown(found.value.header, run);
}
