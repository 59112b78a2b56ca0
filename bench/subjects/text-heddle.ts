import { createDocument, openDocument } from "../../src/core/text/document.ts";
import type { ReplicaId, TextDocument, TextLimits } from "../../src/core/text/types.ts";
import type { Engine, Replica } from "./text-replica.ts";

export const generous: TextLimits = { updateBytesMax: 2 ** 30, operationsMax: 2 ** 30, textUnitsMax: 2 ** 30 };

export class HeddleReplica implements Replica {
  readonly collected = true;
  readonly document: TextDocument;
  private readonly replica: ReplicaId;

  constructor(agent: number, document = createDocument()) {
    this.replica = agent as ReplicaId;
    this.document = document;
  }

  get length(): number {
    return this.document.length;
  }

  text(): string {
    return this.document.text();
  }

  write(at: number, removed: number, insert: string): Uint8Array {
    const edit = this.document.edit(this.replica, [{ from: at, to: at + removed, insert }]);
    if (!edit.ok) throw new Error(`an edit is refused: ${edit.error.code}`);
    return edit.value.update;
  }

  merge(update: Uint8Array): void {
    const merged = this.document.merge(update, generous);
    if (!merged.ok) throw new Error(`an update is refused: ${merged.error.code}`);
  }

  everything(): Uint8Array {
    return this.document.updateSince([]);
  }

  save(): Uint8Array {
    return this.document.encode();
  }

  free(): void {}
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Opens blocks as the server does. */
export function openStored(stored: Uint8Array): TextDocument {
  const opened = openDocument(stored, generous, (bytes) => decoder.decode(bytes));
  if (!opened.ok) throw new Error(`a stored document is refused: ${opened.error.code}`);
  return opened.value;
}

export const heddleEngine: Engine = {
  name: "heddle",
  make: (agent) => new HeddleReplica(agent),
  load: (saved) => new HeddleReplica(2, openStored(saved)),
};
