import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { ConversationActivity, ConversationSummary } from "../../core/forest/list.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { WebhookEvent } from "../../core/protocol/command/webhook.ts";
import type { RunStatus } from "../../core/turn/state/feed.ts";
import type { Conversations } from "../conversation/base/types.ts";

/** What the events are read from. */
export interface EventSources {
  readonly store: Store;
  readonly platform: Platform;
  readonly conversations: Pick<Conversations, "summaries" | "watchSummaries" | "runStatuses">;
  readonly changes: { subscribe(listener: (changes: readonly BlockChange[]) => void): () => void };
}

/** One event for those who want it. */
export interface HappenedEvent {
  readonly event: WebhookEvent;
  readonly data: JsonObject;
}

/** How long the changes of a document are gathered into one event. Milliseconds. */
export const documentQuietMs = 5_000;
const authorsMax = 20;

interface ChangedDocument {
  version: number;
  readonly authors: Set<string>;
}

/** Reports the ends and waits of conversations, and the changes of documents, until the returned function is called. */
export function watchEvents(sources: EventSources, happened: (event: HappenedEvent) => void): () => void {
  const watch = new EventWatch(sources, happened);
  return () => watch.stop();
}

class EventWatch {
  readonly #sources: EventSources;
  readonly #happened: (event: HappenedEvent) => void;
  readonly #activities = new Map<RootId, ConversationActivity | null>();
  readonly #documents = new Map<BlockId, ChangedDocument>();
  readonly #stops: readonly (() => void)[];
  #cancelTimer: (() => void) | null = null;
  #isOver = false;

  constructor(sources: EventSources, happened: (event: HappenedEvent) => void) {
    this.#sources = sources;
    this.#happened = happened;
    const { conversations, changes } = sources;
    this.#stops = [
      conversations.watchSummaries((summary, isDeleted) => this.#conversation(summary, isDeleted)),
      changes.subscribe((batch) => this.#changed(batch)),
    ];
    this.#later(this.#readActivities());
  }

  stop(): void {
    this.#isOver = true;
    this.#cancelTimer?.();
    for (const stop of this.#stops) stop();
  }

  /** A turn that was under way before the watch began ends too. */
  async #readActivities(): Promise<void> {
    for (const { id, activity = null } of await this.#sources.conversations.summaries()) {
      if (!this.#activities.has(id)) this.#activities.set(id, activity);
    }
  }

  #conversation(summary: ConversationSummary, isDeleted: boolean): void {
    const { id, activity = null } = summary;
    const before = this.#activities.get(id) ?? null;
    if (isDeleted) this.#activities.delete(id);
    else this.#activities.set(id, activity);
    if (isDeleted || activity === before) return;
    const wasAtWork = before === "running" || before === "waits";
    if (activity === "waits") this.#later(this.#approval(summary));
    else if (wasAtWork && activity !== "running") this.#later(this.#ended(summary, activity));
  }

  async #ended(summary: ConversationSummary, activity: ConversationActivity | null): Promise<void> {
    const runs = await this.#runs(summary.id);
    const last = runs.toSorted((a, b) => a.since - b.since).at(-1);
    this.#report("conversation.ended", {
      ...aboutConversation(summary),
      outcome: activity === "failed" ? "failed" : "done",
      node_id: last?.headNodeId ?? null,
      ...(last?.state.type === "error" ? { error: { detail: last.state.detail, message: last.state.message } } : {}),
    });
  }

  async #approval(summary: ConversationSummary): Promise<void> {
    const waits = (await this.#runs(summary.id)).flatMap(({ runId, state }): JsonObject[] => {
      if (state.type === "awaiting-approval") {
        const { callId, reason, expiresAt } = state.request;
        return [{ run_id: runId, for: "approval", call_id: callId, reason, expires_at: expiresAt }];
      }
      return state.type === "awaiting-answer" ? [{ run_id: runId, for: "answer" }] : [];
    });
    if (waits.length > 0) this.#report("approval.wanted", { ...aboutConversation(summary), waits });
  }

  async #runs(rootId: RootId): Promise<readonly RunStatus[]> {
    const runs = await this.#sources.conversations.runStatuses(rootId);
    return runs.ok ? runs.value : [];
  }

  #changed(changes: readonly BlockChange[]): void {
    for (const { blockId, version, actor } of changes) {
      const known = this.#documents.get(blockId) ?? { version, authors: new Set<string>() };
      this.#documents.set(blockId, known);
      known.version = Math.max(known.version, version);
      if (actor.type !== "system" && known.authors.size < authorsMax) known.authors.add(actor.name);
    }
    if (this.#documents.size === 0) return;
    this.#cancelTimer ??= this.#sources.platform.clock.setTimer(documentQuietMs, () => {
      this.#cancelTimer = null;
      const due = [...this.#documents];
      this.#documents.clear();
      for (const [id, changed] of due) this.#later(this.#document(id, changed));
    });
  }

  /** Live blocks of replies are no documents. */
  async #document(id: BlockId, { version, authors }: ChangedDocument): Promise<void> {
    const header = await this.#sources.store.block(id);
    if (header?.kind !== "file") return;
    const { title, path } = header.metadata;
    this.#report("document.changed", {
      document_id: id,
      title: typeof title === "string" ? title : typeof path === "string" ? path : "",
      version,
      changed_by: [...authors],
      deleted: header.deletedAt !== undefined,
    });
  }

  #report(event: WebhookEvent, data: JsonObject): void {
    if (!this.#isOver) this.#happened({ event, data });
  }

  #later(work: Promise<void>): void {
    work.catch((problem: unknown) => {
      this.#sources.platform.logger.warn("webhook-event-lost", { reason: reasonOf(problem) });
    });
  }
}

function aboutConversation({ id, title }: ConversationSummary): JsonObject {
  return { conversation_id: id, title };
}
