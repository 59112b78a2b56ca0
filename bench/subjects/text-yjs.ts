import type { Subject } from "../harness/interleave.ts";
import type { Engine, ReplayTxn, Replica } from "./text-replica.ts";

/** The part of yjs that the benchmarks use; the package is a peer with its own lock file. */
export interface Yjs {
  readonly Doc: new (options?: { readonly gc: boolean }) => YjsDocument;
  readonly UndoManager: new (
    text: YjsText,
    options: { readonly captureTimeout: number },
  ) => { readonly undoStack: unknown[]; undo(): unknown };
  applyUpdate(document: YjsDocument, update: Uint8Array): void;
  encodeStateAsUpdate(document: YjsDocument): Uint8Array;
  encodeStateAsUpdateV2(document: YjsDocument): Uint8Array;
  applyUpdateV2(document: YjsDocument, update: Uint8Array): void;
}

interface YjsText {
  readonly length: number;
  insert(at: number, text: string): void;
  delete(at: number, count: number): void;
  observe(listener: (event: { readonly delta: unknown }) => void): void;
  toString(): string;
}

interface YjsDocument {
  clientID: number;
  getText(name: string): YjsText;
  on(event: "update", listener: (update: Uint8Array<ArrayBuffer>) => void): void;
  transact(work: () => void): void;
}

/** Keeps deleted text, as undo needs it; saves in its smaller format. */
export function yjsEngine(yjs: Yjs): Engine {
  return {
    name: "yjs",
    make: (agent, watched) => replica(yjs, new yjs.Doc({ gc: false }), agent, watched),
    load(saved) {
      const document = new yjs.Doc({ gc: false });
      yjs.applyUpdateV2(document, saved);
      return replica(yjs, document, 2, "unwatched");
    },
  };
}

function replica(yjs: Yjs, document: YjsDocument, agent: number, watched: "watched" | "unwatched"): Replica {
  document.clientID = agent;
  const text = document.getText("text");
  let written = new Uint8Array();
  document.on("update", (update) => {
    written = update;
  });
  if (watched === "watched") text.observe((event) => event.delta);
  return {
    collected: true,
    get length() {
      return text.length;
    },
    text: () => text.toString(),
    write(at, removed, insert) {
      document.transact(() => {
        if (removed > 0) text.delete(at, removed);
        if (insert !== "") text.insert(at, insert);
      });
      return written;
    },
    merge: (update) => yjs.applyUpdate(document, update),
    everything: () => yjs.encodeStateAsUpdate(document),
    save: () => yjs.encodeStateAsUpdateV2(document),
    free() {},
  };
}

/** Writes a text under an undo manager that keeps commits separate; undoes the last ten. */
export function yjsUndo(yjs: Yjs, txns: readonly ReplayTxn[]): Subject {
  const document = new yjs.Doc({ gc: false });
  const text = document.getText("text");
  const manager = new yjs.UndoManager(text, { captureTimeout: 0 });
  for (const patches of txns) {
    document.transact(() => {
      for (const { at, removed, insert } of patches) {
        if (removed > 0) text.delete(at, removed);
        if (insert !== "") text.insert(at, insert);
      }
    });
  }
  const run = (): unknown => {
    for (let step = 0; step < 10; step += 1) manager.undo();
    return text.length;
  };
  return { name: "yjs, last, of 20,000 commits", run };
}
