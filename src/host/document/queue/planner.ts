import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { BlockChangeBody } from "../../../core/block/types.ts";
import type { Clock, Logger } from "../../../core/port/platform.ts";
import type { QueuedMutation, CommitDraft } from "./mutation.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { PendingText } from "./pending-text.ts";
import type { Author } from "../record/types.ts";
import { closedRefusal } from "../block/closed-refusal.ts";

/** Applies mutations of one document in memory, and records in a draft what the commit will write. Synchronous. */
export class Planner {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pendingById: ReadonlyMap<BlockId, PendingText>;

  /** `pendingById`: text that was streamed onto the document's blocks and is not written yet. */
  constructor(
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
    pendingById: ReadonlyMap<BlockId, PendingText>,
  ) {
    this.#clock = clock;
    this.#logger = logger;
    this.#pendingById = pendingById;
  }

  /** Plans the block's buffered text and then the mutation. */
  plan(block: OpenBlock, queued: QueuedMutation, draft: CommitDraft): void {
    const { mutation } = queued;
    const flushed = this.#flush(block, draft, mutation.closes === true);
    const ownFrom = draft.writes.length;
    const broken = (this.#pendingById.get(block.id)?.failed ?? null) !== null;
    const bodies = mutation.flushes === true && !flushed.ok ? flushed : mutation.plan(block, broken);
    const made = bodies.ok ? bodies.value : [];
    for (const [index, body] of made.entries()) {
      // A request id is stored with one row only: the last row of the request.
      const requestId = index === made.length - 1 ? mutation.requestId : undefined;
      this.#note(block, draft, { author: mutation.author, body, requestId });
    }
    const next = bodies.ok ? (mutation.next?.(block) ?? []) : [];
    for (const body of next) this.#note(block, draft, { author: mutation.author, body });
    if (made.length > 0) draft.writes.push(...(mutation.also?.(block.header.version) ?? []));
    draft.planned.push({
      queued,
      outcome: bodies.ok ? ok({ version: block.header.version, repeated: false }) : bodies,
      writesFrom: ownFrom,
      writesEnd: draft.writes.length,
    });
  }

  #flush(block: OpenBlock, draft: CommitDraft, closes: boolean): Result<readonly BlockChangeBody[], Refusal> {
    const pending = this.#pendingById.get(block.id);
    const segments = pending?.take(this.#clock.monotonic(), closes) ?? [];
    if (pending === undefined || segments.length === 0) return ok([]);
    draft.flushed.push({ blockId: block.id, pending, segments });
    for (const { author, text } of segments) {
      const closed = closedRefusal(block);
      if (closed !== null) return err(closed);
      const end = block.document.length;
      const edited = block.edit(author, [{ from: end, to: end, insert: text }]);
      if (!edited.ok) {
        // Text after a gap would be wrong: the stream ends, and the block's status becomes `error`.
        pending.failed = edited.error;
        this.#note(block, draft, { author, body: { type: "status", status: "error" } });
        this.#logger.warn("append-refused", { block: block.id, code: edited.error.code });
        return edited;
      }
      const { body } = edited.value;
      if (body !== null) this.#note(block, draft, { author, body });
    }
    return ok([]);
  }

  #note(
    block: OpenBlock,
    draft: CommitDraft,
    entry: { readonly author: Author; readonly body: BlockChangeBody; readonly requestId?: RequestId | undefined },
  ): void {
    const change = block.note(entry.author, entry.body, this.#clock.now(), entry.requestId);
    draft.changes.push(change);
    draft.writes.push({ type: "put-change", header: block.header, change });
    for (const thread of block.threads?.take() ?? []) {
      draft.threads.push(thread);
      draft.writes.push({ type: "put-thread", thread });
    }
  }
}
