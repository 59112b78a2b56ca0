import type { Engine, Replica } from "./text-replica.ts";

/**
 * The part of diamond-types-node that the benchmarks use. Places count code points, which equal units in these texts.
 */
export interface DiamondTypes {
  readonly Doc: {
    new (agent: string): DiamondTypesDocument;
    fromBytes(saved: Uint8Array, agent: string): DiamondTypesDocument;
  };
}

interface DiamondTypesDocument {
  ins(at: number, text: string): void;
  del(at: number, count: number): void;
  len(): number;
  get(): string;
  toBytes(): Uint8Array;
  getPatchSince(version: Uint32Array): Uint8Array;
  getLocalVersion(): Uint32Array;
  mergeBytes(update: Uint8Array): Uint32Array;
  free(): void;
}

/** Its history has no deleted text. It does not report what an update changed. */
export function diamondTypesEngine({ Doc }: DiamondTypes): Engine {
  return {
    name: "diamond-types",
    make: (agent) => replica(new Doc(`agent ${agent}`)),
    load: (saved) => replica(Doc.fromBytes(saved, "agent 2")),
  };
}

function replica(document: DiamondTypesDocument): Replica {
  return {
    collected: false,
    get length() {
      return document.len();
    },
    text: () => document.get(),
    write(at, removed, insert) {
      const before = document.getLocalVersion();
      if (removed > 0) document.del(at, removed);
      if (insert !== "") document.ins(at, insert);
      return document.getPatchSince(before);
    },
    merge: (update) => void document.mergeBytes(update),
    everything: () => document.toBytes(),
    save: () => document.toBytes(),
    free: () => document.free(),
  };
}
