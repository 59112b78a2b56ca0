import type { Actor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { ok, type Result } from "../../core/base/result.ts";
import { withPlace, type MessagePlace, type SealedText, type Written } from "../../core/block/live-block.ts";
import { moveStatus } from "../../core/block/status.ts";
import type { BlockChange, BlockStatus } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import type { ReplicaId } from "../../core/text/types.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import type { OpenBlock } from "./block/open-block.ts";
import { changeHeader, type HeaderPorts } from "./header-change.ts";
import type { Author } from "./record/types.ts";

interface LivePorts extends HeaderPorts {
  readonly store: Store;
  readonly replicas: Pick<Replicas, "actorOf">;
}

/** The end of live blocks: their texts are sealed in the queue of their document, and then belong to a message. */
export class LiveTexts {
  readonly #ports: LivePorts;

  constructor(ports: LivePorts) {
    this.#ports = ports;
  }

  /** Refuses further edits of a live block and returns its text, with every edit that was accepted before. */
  async seal(author: Author, blockId: BlockId): Promise<Result<SealedText, Refusal>> {
    const { lanes, gate } = this.#ports;
    const sealed = await lanes.of(blockId).mutate({
      blockId,
      author,
      closes: true,
      plan: () => {
        gate.seal(blockId);
        return ok([]);
      },
    });
    // A disk that refuses the last words is no reason to accept edits that nothing would read.
    if (!sealed.ok) gate.seal(blockId);
    return lanes.alone(blockId, async (block) => ok(await this.#textOf(block, author.replica)));
  }

  /** Ends a live block, whose text is that of `place` from now on. */
  async close(
    author: Author,
    blockId: BlockId,
    { status, place }: { readonly status: BlockStatus; readonly place: MessagePlace | null },
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    const closed = await changeHeader(this.#ports, author, blockId, {
      closes: true,
      ofStream: true,
      plan: (header, broken) => {
        const actual = broken && status === "done" ? "error" : status;
        const placed =
          place === null ? [] : [{ type: "metadata", metadata: withPlace(header.metadata, place) } as const];
        if (actual === header.status) return ok(placed);
        const moved = moveStatus(header.status, actual);
        return moved.ok ? ok([...placed, { type: "status", status: actual }]) : moved;
      },
    });
    if (closed.ok) this.#ports.gate.closed(blockId);
    return closed;
  }

  async #textOf(block: OpenBlock, replica: ReplicaId): Promise<SealedText> {
    const { id: blockId, document } = block;
    const streamed = document.nextSeq(replica);
    const spans = document.blame(0, document.length);
    const untouched = document.length === streamed && spans.every(({ id }) => id.replica === replica);
    const sealed = { text: document.text(), streamed };
    if (untouched) return { ...sealed, edit: null };
    const log = await this.#ports.store.changes({ blockId, afterVersion: 0 });
    const authors: Written[] = [];
    for (const { from, to, id: op } of spans) {
      const by = this.#actorOf(op.replica);
      const last = authors.at(-1);
      if (last !== undefined && last.by.id === by.id) authors[authors.length - 1] = { ...last, to };
      else authors.push({ from, to, by });
    }
    return { ...sealed, edit: { original: streamedIn(log, replica), authors, editors: editorsIn(log, replica) } };
  }

  #actorOf(replica: ReplicaId): Actor {
    return must(this.#ports.replicas.actorOf(replica), `the replica ${replica} is known`);
  }
}

/** Returns what a replica streamed: it only ever appended. */
function streamedIn(log: readonly BlockChange[], replica: ReplicaId): string {
  return log
    .map((change) => (isBy(change, replica) && change.body.type === "text" ? change.body.appended : ""))
    .join("");
}

function editorsIn(log: readonly BlockChange[], replica: ReplicaId): readonly Actor[] {
  const byId = new Map<string, Actor>();
  for (const change of log) {
    if (change.body.type === "text" && !isBy(change, replica)) byId.set(change.actor.id, change.actor);
  }
  return [...byId.values()];
}

function isBy({ body }: BlockChange, replica: ReplicaId): boolean {
  return body.type === "text" && body.spans.every((span) => span.replica === replica);
}
