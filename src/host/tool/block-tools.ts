import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { timeSortedId, type BlockId, type DocumentId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { lineCount } from "../../core/base/lines.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { planLineEdits } from "../../core/block/line-edit.ts";
import { listBlocks } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
import { planSplice } from "../../core/block/splice.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { TextChange } from "../../core/text/types.ts";
import {
  blockListContent,
  blockReadContent,
  blockSearchContent,
  blockSearchQuery,
  type ListedBlock,
} from "../../core/tool/block-content.ts";
import {
  blockAppend,
  blockCreate,
  blockEdit,
  blockList,
  blockRead,
  blockSearch,
  blockSplice,
  blockStatus,
} from "../../core/tool/block-tools.ts";
import type { ToolInput } from "../../core/tool/types.ts";
import { blockNotFound } from "../document/lane.ts";
import type { BlockReading } from "../document/types.ts";
import type { LeaseGrant } from "../lease/keeper.ts";
import { cancelledCall, type ToolOutput, type ToolRefusal } from "./answer.ts";
import { runnable, type BlockToolRun, type RunnableTool } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

/** The block tools, for the blocks of the caller's document and for files. */
export const runnableBlockTools: readonly RunnableTool<BlockToolRun>[] = [
  runnable(blockRead, read),
  runnable(blockSearch, search),
  runnable(blockList, list),
  runnable(blockEdit, edit),
  runnable(blockAppend, append),
  runnable(blockSplice, splice),
  runnable(blockCreate, create),
  runnable(blockStatus, setStatus),
];

async function read(input: ToolInput<typeof blockRead>, run: BlockToolRun): Output {
  const found = await open(input.block_id, run);
  if (!found.ok) return found;
  const { header, text } = found.value.reading;
  const content = blockReadContent(header, text, input);
  return content.ok ? shown(found.value, run, content.value) : content;
}

async function search(input: ToolInput<typeof blockSearch>, run: BlockToolRun): Output {
  const found = await open(input.block_id, run);
  if (!found.ok) return found;
  const searched = await run.ports.searcher.search([found.value.reading.text], blockSearchQuery(input));
  if (!searched.ok) return searched;
  return shown(found.value, run, blockSearchContent(must(searched.value[0], "one result a text")));
}

async function list(input: ToolInput<typeof blockList>, run: BlockToolRun): Output {
  const { hub } = run.ports;
  const own = await hub.list(run.documentId);
  const files = (await hub.list(null)).filter((header) => header.documentId !== run.documentId);
  const matching = listBlocks([...own, ...files], {
    parentId: input.parent_id === undefined ? undefined : (input.parent_id as BlockId),
    kind: input.kind,
    status: input.status,
    pathPrefix: input.path_prefix,
    depth: input.depth ?? 1,
  });
  if (!matching.ok) return matching;
  const listed: ListedBlock[] = [];
  for (const header of matching.value.slice(0, listedBlocksMax)) {
    listed.push({ header, text: await summarised(header, run) });
  }
  const truncated = matching.value.length > listedBlocksMax;
  return ok({
    content: { ...blockListContent(listed), ...(truncated ? { truncated, count: matching.value.length } : {}) },
  });
}

const listedBlocksMax = 200;

/** What a block's summary is taken from. An agent reads a canvas's text under its lease only. */
async function summarised(header: BlockHeader, run: BlockToolRun): Promise<string> {
  if (header.policy !== undefined && run.leaseHolder !== null) {
    const title = header.metadata["title"];
    return typeof title === "string" ? title : "";
  }
  const now = await run.ports.hub.read(header.id);
  return now.ok ? now.value.text : "";
}

async function edit(input: ToolInput<typeof blockEdit>, run: BlockToolRun): Output {
  return change(input.block_id, input.base_version, run, (text) => planLineEdits(text, input.operations));
}

async function splice(input: ToolInput<typeof blockSplice>, run: BlockToolRun): Output {
  return change(input.block_id, input.base_version, run, (text) => planSplice(text, input));
}

async function append(input: ToolInput<typeof blockAppend>, run: BlockToolRun): Output {
  return change(input.block_id, undefined, run, (text) =>
    ok(input.text === "" ? [] : [{ from: text.length, to: text.length, insert: input.text }]),
  );
}

async function create(input: ToolInput<typeof blockCreate>, run: BlockToolRun): Output {
  const { hub, platform } = run.ports;
  const file = input.kind === "file";
  const text = input.content ?? "";
  if (run.signal.aborted) return err(cancelledCall());
  for (const named of [input.parent_id, input.after]) {
    if (named !== undefined && !isWithin(named, run) && !(await isFile(named as BlockId, run))) {
      return err(blockNotFound(named as BlockId));
    }
  }
  // A file is a document of its own, so that it outlives the conversation and has its own queue.
  const fresh = timeSortedId("doc", platform.clock.now(), platform.random.bytes(12));
  const created = await hub.create(await run.author(), {
    documentId: file ? (fresh as DocumentId) : run.documentId,
    parentId: input.parent_id === undefined ? null : (input.parent_id as BlockId),
    ...(input.after === undefined ? {} : { after: input.after as BlockId }),
    role: input.role,
    kind: input.kind,
    text,
    status: file ? "done" : text === "" ? "pending" : "running",
    metadata: input.metadata ?? {},
  });
  if (!created.ok) return created;
  const { id: blockId, version } = created.value;
  return ok({ content: { block_id: blockId, version }, revisionId: revisionId(version, text) });
}

async function setStatus(input: ToolInput<typeof blockStatus>, run: BlockToolRun): Output {
  const found = await open(input.block_id, run);
  if (!found.ok) return found;
  if (run.signal.aborted) return err(cancelledCall());
  const set = await run.ports.hub.setStatus(await run.author(), found.value.reading.header.id, input.status);
  return set.ok ? ok({ content: { version: set.value.version } }) : set;
}

/** A block that may be touched, as it is now; with the lease that allows it where an agent works on a canvas. */
interface OpenedBlock {
  readonly reading: BlockReading;
  readonly grant: LeaseGrant | null;
}

/** On a canvas an agent needs the canvas's lease whatever tool it takes; a person is refused by the policy, where at all. */
async function open(id: string, run: BlockToolRun): Promise<Result<OpenedBlock, Refusal>> {
  const { hub, leases } = run.ports;
  const blockId = id as BlockId;
  const now = await hub.read(blockId);
  if (!now.ok) return now;
  const { header } = now.value;
  if (header.kind !== "file" && !isWithin(id, run)) return err(blockNotFound(blockId));
  const { leaseHolder: runId } = run;
  if (header.policy === undefined || runId === null) return ok({ reading: now.value, grant: null });
  const taken = leases.grantOf(runId, blockId);
  if (taken === undefined) return err(refusal("LOCK_NOT_OWNED", { canvas_id: blockId }));
  const grant = await leases.use({ canvasId: blockId, leaseId: taken.leaseId, runId });
  return grant.ok ? ok({ reading: now.value, grant: grant.value }) : grant;
}

/** Plans against the text that the model has read, and lets the engine merge what came since. */
async function change(
  id: string,
  baseVersion: number | undefined,
  run: BlockToolRun,
  plan: (text: string) => Result<readonly TextChange[], Refusal>,
): Output {
  const found = await open(id, run);
  if (!found.ok) return found;
  const { hub, leases } = run.ports;
  const { grant, reading } = found.value;
  const blockId = reading.header.id;
  const base = baseVersion === undefined ? null : await hub.readAt(blockId, baseVersion);
  if (base?.ok === false) return base;
  const edited = await hub.editWith(
    await run.author(),
    blockId,
    (now) => {
      if (run.signal.aborted) return err(cancelledCall());
      const from = base?.value ?? now;
      const changes = plan(from.text);
      return changes.ok ? ok({ changes: changes.value, at: from.textVersion }) : changes;
    },
    { guards: grant === null ? undefined : [leases.guard(grant)] },
  );
  if (!edited.ok) return edited;
  const { version, text } = edited.value;
  const revision = revisionId(version, text);
  if (grant !== null) leases.noteWrite(grant.leaseId, { revisionId: revision, version, patchHash: null });
  return ok({ content: { version, line_count: lineCount(text) }, revisionId: revision });
}

/** What was read, and that the lease's holder has seen it. */
function shown({ reading, grant }: OpenedBlock, run: BlockToolRun, content: JsonObject): Result<ToolOutput, Refusal> {
  const revision = revisionId(reading.header.version, reading.text);
  if (grant !== null) run.ports.leases.noteRevision(grant.leaseId, revision);
  return ok({ content, revisionId: revision });
}

function isWithin(blockId: string, run: BlockToolRun): boolean {
  return blockId.startsWith(`${run.documentId}/`);
}

async function isFile(blockId: BlockId, run: BlockToolRun): Promise<boolean> {
  const found = await run.ports.hub.read(blockId);
  return found.ok && found.value.header.kind === "file";
}
