import type { Actor } from "../../base/actor.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { RangeAnchor } from "./range-anchor.ts";
import { firstComment, threadEventsMax, type Comment, type Thread, type ThreadEvent } from "./thread.ts";

/** Comments of one thread. */
const commentsMax = 500;
/** UTF-16 units of one comment. */
export const commentUnitsMax = 16_000;
/** UTF-16 units of all comments of a thread. */
const threadUnitsMax = 500_000;
/** Texts before edits that a comment keeps. */
const earlierMax = 20;

/** Who takes a step, and when (UTC milliseconds). */
export interface ThreadStep {
  readonly by: Actor;
  readonly at: number;
}

type Stepped = Result<Thread, Refusal>;

/** Adds a comment; one to a resolved thread opens it again. */
export function replied(thread: Thread, { by, at }: ThreadStep, text: string): Stepped {
  const units = thread.comments.reduce((sum, comment) => sum + comment.text.length, 0);
  if (thread.comments.length >= commentsMax || units + text.length > threadUnitsMax) {
    return err(refusal("COMMENTS_FULL", { max: commentsMax }));
  }
  const seq = Math.max(...thread.comments.map((comment) => comment.seq)) + 1;
  const comment: Comment = { seq, actor: by, text, at };
  const opened = thread.state === "open" ? thread : withEvent({ ...thread, state: "open" }, "reopened", { by, at });
  return ok(next({ ...opened, comments: [...thread.comments, comment] }));
}

/** Changes the text of the actor's own comment. */
export function edited(thread: Thread, { by, at }: ThreadStep, seq: number, text: string): Stepped {
  const found = ownComment(thread, by, seq);
  if (!found.ok) return found;
  const { earlier = [], text: before } = found.value;
  if (before === text) return ok(thread);
  return ok(changed(thread, { ...found.value, text, editedAt: at, earlier: [...earlier, before].slice(-earlierMax) }));
}

/** Deletes the actor's own comment: a placeholder remains while others have answered. */
export function withdrawn(thread: Thread, { by, at }: ThreadStep, seq: number): Stepped {
  const found = ownComment(thread, by, seq);
  if (!found.ok) return found;
  const { earlier: _earlier, editedAt: _editedAt, ...kept } = found.value;
  if (thread.comments.at(-1)?.seq !== seq || thread.comments.length === 1) {
    return ok(changed(thread, { ...kept, text: "", deletedAt: at }));
  }
  const [first, ...rest] = thread.comments;
  return ok(next({ ...thread, comments: [first, ...rest.filter((comment) => comment.seq !== seq)] }));
}

/** Resolves a thread, or opens it again. A model does so with threads of its own conversation only. */
export function decided(thread: Thread, step: ThreadStep, state: Thread["state"], own: OwnThread): Stepped {
  if (step.by.type === "model" && !own(thread)) return err(refusal("COMMENT_NOT_YOURS", { comment_id: thread.id }));
  if (thread.state === state) return ok(thread);
  return ok(next(withEvent({ ...thread, state }, state === "resolved" ? "resolved" : "reopened", step)));
}

/** Moves a thread to another range. */
export function movedTo(thread: Thread, step: ThreadStep, anchor: RangeAnchor | null): Stepped {
  return ok(next(withEvent({ ...thread, anchor }, "moved", step)));
}

/** Whether a thread belongs to the conversation of the model that asks. */
export type OwnThread = (thread: Thread) => boolean;

/** Returns the runs of the models that wrote in a thread first. */
export function begunByRun(thread: Thread): RunId | null {
  const { actor } = firstComment(thread);
  return actor.type === "model" ? actor.runId : null;
}

function ownComment(thread: Thread, by: Actor, seq: number): Result<Comment, Refusal> {
  const found = thread.comments.find((comment) => comment.seq === seq);
  if (found === undefined || found.deletedAt !== undefined) {
    return err(refusal("COMMENT_NOT_FOUND", { comment_id: thread.id, number: seq }));
  }
  return found.actor.id === by.id ? ok(found) : err(refusal("COMMENT_NOT_YOURS", { comment_id: thread.id }));
}

function changed(thread: Thread, comment: Comment): Thread {
  const [first, ...rest] = thread.comments;
  const of = (one: Comment): Comment => (one.seq === comment.seq ? comment : one);
  return next({ ...thread, comments: [of(first), ...rest.map(of)] });
}

function withEvent(thread: Thread, type: ThreadEvent["type"], step: ThreadStep): Thread {
  return { ...thread, events: [...thread.events, { type, ...step }].slice(-threadEventsMax) };
}

function next(thread: Thread): Thread {
  return { ...thread, version: thread.version + 1 };
}
