import type { LeaseView, Observable, PresenceView, TextOrigin, TextReplica } from "../../src/client/types.ts";
import type { Actor } from "../../src/core/base/actor.ts";
import type { Refusal } from "../../src/core/base/errors.ts";
import type { BlockId, DocumentId } from "../../src/core/base/ids.ts";
import type { BlockHeader } from "../../src/core/block/types.ts";
import type { AgentId, BlameSpan, TextChange } from "../../src/core/text/types.ts";

export class Cell<Value> implements Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();
  constructor(value: Value) {
    this.#value = value;
  }
  get = (): Value => this.#value;
  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** A canvas without a server, for looking at the page. */
export class FakeText implements TextReplica {
  readonly ready = true;
  readonly header: Cell<BlockHeader | null>;
  readonly lease = new Cell<LeaseView>({ epoch: 1, held: null });
  readonly presence = new Cell<readonly PresenceView[]>([]);
  readonly unconfirmed = new Cell(0);
  readonly refused = new Cell<Refusal | null>(null);
  readonly actors = new Map<number, Actor>();
  readonly history: { text: string; authors: number[]; by: number; turnId?: string; undone?: boolean }[] = [];
  #text: string;
  #authors: number[];
  readonly #listeners = new Set<(changes: readonly TextChange[], origin: TextOrigin) => void>();
  readonly blockId: BlockId;

  constructor(blockId: string, title: string, text: string) {
    this.blockId = blockId as BlockId;
    this.#text = text;
    this.#authors = Array.from({ length: text.length }, () => 1);
    this.header = new Cell<BlockHeader | null>({
      id: this.blockId,
      documentId: blockId as DocumentId,
      parentId: null,
      role: "user",
      kind: "file",
      status: "done",
      version: 4,
      metadata: { title },
      collapsed: false,
      excluded: false,
      policy: "live",
      createdAt: 0,
      updatedAt: 0,
    });
  }

  get length(): number {
    return this.#text.length;
  }
  text(): string {
    return this.#text;
  }
  edit(changes: readonly TextChange[]): void {
    this.apply(changes, 2, { type: "local" });
  }
  apply(changes: readonly TextChange[], author: number, origin: TextOrigin): void {
    for (const change of changes.toReversed()) {
      this.#text = this.#text.slice(0, change.from) + change.insert + this.#text.slice(change.to);
      this.#authors.splice(
        change.from,
        change.to - change.from,
        ...Array.from({ length: change.insert.length }, () => author),
      );
    }
    const header = this.header.get();
    if (header) this.header.set({ ...header, version: header.version + 1 });
    for (const listener of this.#listeners) listener(changes, origin);
  }
  onChange(listener: (changes: readonly TextChange[], origin: TextOrigin) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  blame(from: number, to: number): readonly BlameSpan[] {
    const spans: BlameSpan[] = [];
    for (let at = from; at < to;) {
      const agent = this.#authors[at] ?? 1;
      let end = at;
      while (end < to && this.#authors[end] === agent) end += 1;
      spans.push({ from: at, to: Math.max(end, at + 1), id: { agent: agent as AgentId, seq: at } });
      at = Math.max(end, at + 1);
    }
    return spans;
  }
  actorOf(agent: AgentId): Actor | undefined {
    return this.actors.get(agent);
  }
  setSelection(): void {}
  dismissRefusal(): void {
    this.refused.set(null);
  }
  close(): void {}
}
