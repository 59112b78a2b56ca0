import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { withCriticMarks } from "../../core/block/comment/critic-comments.ts";
import { withFootnotes } from "../../core/block/comment/export-comments.ts";
import { decided, edited, movedTo, replied, withdrawn } from "../../core/block/comment/thread-steps.ts";
import type { Thread } from "../../core/block/comment/thread.ts";
import type { commentCommands } from "../../core/protocol/command/comment.ts";
import type { CommandAnswer, CommandParams } from "../../core/protocol/commands.ts";
import { documentKey } from "../../core/rights/object-key.ts";
import { trashAct } from "../access/audit-notes.ts";
import { anchorOf, type RangeWish } from "../document/comment/range-wish.ts";
import { tellNow } from "./base/audit-acts.ts";
import type { CommandCall, Performs } from "./base/call.ts";

export const performComment: Performs<keyof typeof commentCommands> = {
  "comment.list": ({ workspace }, { blockId, state = "open" }) =>
    workspace.hub.comments.list(blockId, (placed) => ({
      threads: placed.filter(({ thread }) => state === "all" || thread.state === state),
    })),
  async "comment.export"({ workspace, noted }, { blockId, comments, resolved = false }) {
    const told = await tellNow(workspace, noted({ act: "export.document", object: documentKey(blockId) }));
    if (!told.ok) return told;
    return workspace.hub.comments.list(blockId, (placed, { document }) => {
      const written = placed.filter(({ thread }) => resolved || thread.state === "open");
      const text = document.text();
      if (comments === "critic") return withCriticMarks(text, written);
      return { text: comments === "none" ? text : withFootnotes(text, written, dayOf), leftOut: [] };
    });
  },
  "comment.add": async (call, { blockId, range, text }) => {
    const { workspace, actor, remember } = call;
    const wish = { blockId, at: wished(range), text };
    const made = await workspace.hub.comments.add(actor, wish, (thread) => remember({ thread }, null));
    return answering(call, blockId, one(made));
  },
  "comment.reply": async (call, { threadId, text }) => {
    const made = await changed(call, threadId, (thread, step) => replied(thread, step, text));
    return answering(call, made.ok ? made.value.thread.blockId : null, made);
  },
  "comment.edit": (call, { threadId, seq, text }) =>
    changed(call, threadId, (thread, step) => edited(thread, step, seq, text)),
  "comment.withdraw": (call, { threadId, seq }) =>
    changed(call, threadId, (thread, step) => withdrawn(thread, step, seq)),
  "comment.resolve": (call, { threadId, text }) =>
    changed(call, threadId, (thread, step) => {
      const last = text === undefined ? ok(thread) : replied(thread, step, text);
      return last.ok ? asOneStep(thread, decided(last.value, step, "resolved", ownToPeople)) : last;
    }),
  "comment.reopen": (call, { threadId }) =>
    changed(call, threadId, (thread, step) => decided(thread, step, "open", ownToPeople)),
  async "comment.move"(call, { threadId, range }) {
    const { workspace, actor, remember } = call;
    const at = workspace.platform.clock.now();
    const moved = await workspace.hub.comments.change(
      threadId,
      (thread, { document }) => {
        const anchor = anchorOf(document, wished(range));
        return anchor.ok ? movedTo(thread, { by: actor, at }, anchor.value) : anchor;
      },
      (thread) => remember({ thread }, null),
    );
    return one(moved);
  },
  async "comment.paste"({ workspace, actor, may, remember }, { blockId, units, from }) {
    // Who cut the words may write where they were; that lets nobody comment where they are.
    if (!(await may(["document.comment", { type: "block", id: blockId }]))) return err(refusal("FORBIDDEN"));
    const wish = { from: from.blockId, to: blockId, words: { cut: from.units, pasted: units } };
    const pasted = await workspace.hub.comments.paste(actor, wish, (threads) => remember({ threads }, null));
    return pasted.ok ? ok({ threads: pasted.value }) : pasted;
  },
  async "comment.delete"({ workspace, actor, remember, noted }, { threadId }) {
    const removed = await workspace.hub.comments.remove(actor, threadId, (entry) => [
      ...remember({ entry }, null),
      ...noted(trashAct("deleted", entry)),
    ]);
    return removed.ok ? ok({ entry: removed.value }) : removed;
  },
};

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const ownToPeople = (): boolean => true;

type OneThread = CommandAnswer<"comment.reply">;

async function changed(
  { workspace, actor, remember }: CommandCall<OneThread>,
  threadId: Thread["id"],
  step: (thread: Thread, by: { readonly by: typeof actor; readonly at: number }) => Result<Thread, Refusal>,
): Promise<Result<OneThread, Refusal>> {
  const by = { by: actor, at: workspace.platform.clock.now() };
  const made = await workspace.hub.comments.change(
    threadId,
    (thread) => step(thread, by),
    (thread) => remember({ thread }, null),
  );
  return one(made);
}

/** Begins the turn that the last words of a thread ask for. The comment stays also where no agent can be asked. */
async function answering(
  { workspace: { commentTurns, platform }, actor, may }: CommandCall<OneThread>,
  id: BlockId | null,
  made: Result<OneThread, Refusal>,
): Promise<Result<OneThread, Refusal>> {
  // Who may only comment has no agent write for them.
  if (!made.ok || id === null || !(await may(["document.edit", { type: "block", id }]))) return made;
  const asked = await commentTurns.mentioned(actor, made.value.thread);
  if (asked.ok) return ok({ thread: asked.value });
  platform.logger.warn("comment-asks-nobody", { code: asked.error.code });
  return made;
}

/** Two pure steps are one change of the stored thread. */
function asOneStep(before: Thread, after: Result<Thread, Refusal>): Result<Thread, Refusal> {
  return after.ok && after.value !== before ? ok({ ...after.value, version: before.version + 1 }) : after;
}

function wished(range: CommandParams<"comment.add">["range"]): RangeWish {
  if (range === undefined) return { type: "document" };
  const { units, ...named } = range;
  return units === undefined ? { type: "named", named } : { type: "units", spans: units };
}

function one(made: Result<Thread, Refusal>): Result<OneThread, Refusal> {
  return made.ok ? ok({ thread: made.value }) : made;
}
