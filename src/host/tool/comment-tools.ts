import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { findNamedRange } from "../../core/block/comment/named-range.ts";
import { linesOfRange } from "../../core/block/comment/range-anchor.ts";
import { begunByRun, decided, replied, type ThreadStep } from "../../core/block/comment/thread-steps.ts";
import type { Thread } from "../../core/block/comment/thread.ts";
import { parseRevisionId } from "../../core/block/revision.ts";
import { commentListContent } from "../../core/tool/comment/comment-content.ts";
import { commentAdd, commentList, commentReply, commentResolve } from "../../core/tool/comment/comment-tools.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import type { Reach } from "../access/reach.ts";
import type { ToolOutput, ToolRefusal } from "./answer.ts";
import { whyNotDocument } from "./document-within-reach.ts";
import { runnable, type RunnableTool, type ToolRun } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

/** The comment tools: they read and write threads, never the text, and need no lease. */
export const runnableCommentTools: readonly RunnableTool<ToolRun>[] = [
  runnable(commentList, list),
  runnable(commentAdd, add),
  runnable(commentReply, reply),
  runnable(commentResolve, resolve),
];

async function list(input: ToolInput<typeof commentList>, run: ToolRun): Output {
  const canvasId = canvasOf(input.canvas_id, run);
  if (!canvasId.ok) return canvasId;
  const lacks = await whyNotDocument(canvasId.value, null, run);
  if (lacks !== null) return err(lacks);
  const { state = "open", after = null } = input;
  const listed = await run.ports.hub.comments.list(canvasId.value, (placed, { document }) => {
    const text = document.text();
    const range = input.lines === undefined ? ok(null) : findNamedRange(text, { lines: input.lines });
    if (!range.ok) return range;
    const within = range.value === null ? null : linesOfRange(text, range.value);
    return ok({ content: commentListContent(text, placed, { canvasId: canvasId.value, state, within, after }) });
  });
  return listed.ok ? listed.value : listed;
}

async function add(input: ToolInput<typeof commentAdd>, run: ToolRun): Output {
  const canvasId = canvasOf(input.canvas_id, run);
  if (!canvasId.ok) return canvasId;
  const lacks = await whyNotDocument(canvasId.value, run.context.reach?.agent?.toComment ?? null, run);
  if (lacks !== null) return err(lacks);
  const { lines, quote, occurrence, text } = input;
  const named = present({ lines, quote, occurrence }) as Pick<typeof input, "lines" | "quote" | "occurrence">;
  const seen = await seenText(canvasId.value, run);
  const { actor } = await run.author();
  const made = await run.ports.hub.comments.add(actor, {
    blockId: canvasId.value,
    at: { type: "named", named, ...(seen === null ? {} : { seen }) },
    text,
  });
  return made.ok ? ok({ content: { comment_id: made.value.id } }) : made;
}

async function reply({ comment_id: id, text }: ToolInput<typeof commentReply>, run: ToolRun): Output {
  const lacks = await whyNotThread(id, run.context.reach?.agent?.toComment ?? null, run);
  if (lacks !== null) return err(lacks);
  const by = await stepOf(run);
  return said(await run.ports.hub.comments.change(id, (thread) => replied(thread, by, text)));
}

async function resolve({ comment_id: id, text, reopen }: ToolInput<typeof commentResolve>, run: ToolRun): Output {
  const lacks = await whyNotThread(id, run.context.reach?.agent?.toComment ?? null, run);
  if (lacks !== null) return err(lacks);
  const by = await stepOf(run);
  const isOwn = await belongsToConversation(id, run);
  const changed = await run.ports.hub.comments.change(id, (thread) => {
    const decision = decided(thread, by, reopen === true ? "open" : "resolved", () => isOwn);
    if (!decision.ok || text === undefined) return decision;
    // The last answer goes before the decision; both are one change of the thread.
    const answered = replied(thread, by, text);
    if (!answered.ok) return answered;
    const both = decided(answered.value, by, reopen === true ? "open" : "resolved", () => isOwn);
    return both.ok ? ok({ ...both.value, version: thread.version + 1 }) : both;
  });
  return said(changed);
}

/** Returns why a call may not do this to a thread of comments; null also where there is none, which the change finds out. */
async function whyNotThread(id: Thread["id"], reach: Reach | null, run: ToolRun): Promise<Refusal | null> {
  const thread = await run.ports.store.thread(id);
  const lacks = thread === null ? null : await whyNotDocument(thread.blockId, reach, run);
  if (lacks === null || lacks.code === "FORBIDDEN") return lacks;
  return refusal("COMMENT_NOT_FOUND", { comment_id: id });
}

/** Whether the conversation of this run began a thread, or works in it. */
async function belongsToConversation(id: Thread["id"], { context, ports }: ToolRun): Promise<boolean> {
  const thread = await ports.store.thread(id);
  if (thread === null) return false;
  if (thread.conversationId === context.rootId) return true;
  const runId = begunByRun(thread);
  return runId !== null && (runId === context.runId || (await ports.store.run(runId))?.rootId === context.rootId);
}

/** The text that the run was shown last under a lease: line numbers are of it. */
async function seenText(canvasId: BlockId, { context, ports }: ToolRun): Promise<string | null> {
  const grant = ports.leases.grantOf(context.runId, canvasId);
  const revision = grant === undefined ? undefined : parseRevisionId(grant.lastRevisionId);
  if (revision === undefined || revision === null) return null;
  const then = await ports.hub.reader.readAt(canvasId, revision.version);
  return then.ok ? then.value.text : null;
}

async function stepOf(run: ToolRun): Promise<ThreadStep> {
  return { by: (await run.author()).actor, at: run.ports.platform.clock.now() };
}

function canvasOf(named: BlockId | undefined, run: ToolRun): Result<BlockId, Refusal> {
  const id = named ?? run.context.canvasId;
  return id === null ? err(refusal("CANVAS_UNAVAILABLE")) : ok(id);
}

function said(changed: Result<Thread, Refusal>): Result<ToolOutput, ToolRefusal> {
  if (!changed.ok) return changed;
  const { id, state, comments } = changed.value;
  return ok({ content: { comment_id: id, state, comments: comments.length } });
}
