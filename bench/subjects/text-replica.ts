import { createDocument } from "../../src/core/text/document.ts";
import type { AgentId, TextDocument, TextLimits } from "../../src/core/text/types.ts";
import type { Yjs } from "./text-yjs.ts";

/** A replica that writes and takes in what others wrote, whichever engine is behind it. */
export interface Replica {
  readonly length: number;
  /** Replaces [at, at + removed); gives the update to send. */
  write(at: number, removed: number, insert: string): Uint8Array;
  /** Takes in another's update. Heddle's also works out what changed in the text. */
  merge(update: Uint8Array): void;
  /** Its whole history as one update. */
  everything(): Uint8Array;
}

export type MakeReplica = (agent: number) => Replica;

export const generous: TextLimits = { updateBytesMax: 2 ** 30, operationsMax: 2 ** 30, textUnitsMax: 2 ** 30 };

export class HeddleReplica implements Replica {
  readonly document: TextDocument = createDocument();
  private readonly agent: AgentId;

  constructor(agent: number) {
    this.agent = agent as AgentId;
  }

  get length(): number {
    return this.document.length;
  }

  write(at: number, removed: number, insert: string): Uint8Array {
    const edit = this.document.edit(this.agent, [{ from: at, to: at + removed, insert }]);
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
}

/** One that is watched works out what each update changed in the text, as an editor on screen needs it. */
export function yjsReplica(yjs: Yjs, agent: number, watched: "watched" | "unwatched"): Replica {
  const document = new yjs.Doc();
  document.clientID = agent;
  const text = document.getText("text");
  let written = new Uint8Array();
  document.on("update", (update) => {
    written = update;
  });
  if (watched === "watched") text.observe((event) => event.delta);
  return {
    get length() {
      return text.length;
    },
    write(at, removed, insert) {
      document.transact(() => {
        if (removed > 0) text.delete(at, removed);
        if (insert !== "") text.insert(at, insert);
      });
      return written;
    },
    merge: (update) => yjs.applyUpdate(document, update),
    everything: () => yjs.encodeStateAsUpdate(document),
  };
}
