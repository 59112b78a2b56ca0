import type { Engine, Replica } from "./text-replica.ts";

/** The part of loro-crdt that the benchmarks use. */
export interface Loro {
  readonly LoroDoc: new () => LoroDocument;
}

interface LoroDocument {
  setPeerId(peer: bigint): void;
  getText(name: string): {
    readonly length: number;
    insert(at: number, text: string): void;
    delete(at: number, count: number): void;
    toString(): string;
  };
  commit(): void;
  version(): LoroVersion;
  export(mode: { readonly mode: "update"; readonly from?: LoroVersion } | { readonly mode: "snapshot" }): Uint8Array;
  import(update: Uint8Array): unknown;
  subscribe(listener: (event: unknown) => void): () => void;
  free(): void;
}

interface LoroVersion {
  free(): void;
}

export function loroEngine({ LoroDoc }: Loro): Engine {
  return {
    name: "loro",
    make: (agent, watched) => replica(new LoroDoc(), agent, watched),
    load(saved) {
      const document = new LoroDoc();
      document.import(saved);
      return replica(document, 2, "unwatched");
    },
  };
}

function replica(document: LoroDocument, agent: number, watched: "watched" | "unwatched"): Replica {
  document.setPeerId(BigInt(agent));
  const text = document.getText("text");
  if (watched === "watched") document.subscribe((event) => event);
  let before = document.version();
  return {
    collected: false,
    get length() {
      return text.length;
    },
    text: () => text.toString(),
    write(at, removed, insert) {
      before.free();
      before = document.version();
      if (removed > 0) text.delete(at, removed);
      if (insert !== "") text.insert(at, insert);
      document.commit();
      return document.export({ mode: "update", from: before });
    },
    merge: (update) => void document.import(update),
    everything: () => document.export({ mode: "update" }),
    save: () => document.export({ mode: "snapshot" }),
    free() {
      before.free();
      document.free();
    },
  };
}
