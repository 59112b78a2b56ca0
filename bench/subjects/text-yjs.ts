import type { Replayed, ReplayTxn } from "./text.ts";

/** The part of yjs that the benchmarks use; the package itself is a peer with a lock file of its own. */
export interface Yjs {
  readonly Doc: new () => YjsDocument;
  applyUpdate(document: YjsDocument, update: Uint8Array): void;
  encodeStateAsUpdate(document: YjsDocument): Uint8Array;
}

interface YjsDocument {
  clientID: number;
  getText(name: string): {
    readonly length: number;
    insert(at: number, text: string): void;
    delete(at: number, count: number): void;
    observe(listener: (event: { readonly delta: unknown }) => void): void;
    toString(): string;
  };
  on(event: "update", listener: (update: Uint8Array<ArrayBuffer>) => void): void;
  transact(work: () => void): void;
}

/** Commits each transaction to a document and takes the update that it emits. */
export function yjsReplay(yjs: Yjs, txns: readonly ReplayTxn[]): Replayed {
  const document = new yjs.Doc();
  const text = document.getText("text");
  let updateBytes = 0;
  document.on("update", (update) => {
    updateBytes += update.length;
  });
  for (const patches of txns) {
    document.transact(() => {
      for (const { at, removed, insert } of patches) {
        if (removed > 0) text.delete(at, removed);
        if (insert !== "") text.insert(at, insert);
      }
    });
  }
  return { text: text.toString(), updateBytes };
}
