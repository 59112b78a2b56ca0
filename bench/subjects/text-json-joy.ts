import type { Engine, Replica } from "./text-replica.ts";

/** The part of json-joy that the benchmarks use. */
export interface JsonJoy {
  readonly Model: {
    create(schema: undefined, session: number): JsonJoyModel;
    load(saved: Uint8Array, session: number): JsonJoyModel;
  };
  readonly Patch: { fromBinary(update: Uint8Array): JsonJoyPatch };
}

interface JsonJoyPatch {
  toBinary(): Uint8Array;
}

interface JsonJoyModel {
  readonly api: {
    set(value: string): unknown;
    flush(): JsonJoyPatch;
    str(path: readonly string[]): {
      length(): number;
      ins(at: number, text: string): unknown;
      del(at: number, count: number): unknown;
      view(): string;
    };
  };
  fork(session: number): JsonJoyModel;
  applyPatch(patch: JsonJoyPatch): void;
  toBinary(): Uint8Array;
}

/** It keeps no history: a save holds the text and marks of deletions. */
export function jsonJoyEngine(joy: JsonJoy): Engine {
  const empty = joy.Model.create(undefined, sessions);
  empty.api.set("");
  empty.api.flush();
  return {
    name: "json-joy",
    make: (agent) => replica(joy, empty.fork(sessions + agent), agent),
    load: (saved) => replica(joy, joy.Model.load(saved, sessions + 2), 2),
  };
}

/** Smaller session numbers have a special meaning. */
const sessions = 100_000;
const patchMark = 0;
const modelMark = 1;

function replica(joy: JsonJoy, made: JsonJoyModel, agent: number): Replica {
  let model = made;
  let text = model.api.str([]);
  return {
    collected: true,
    get length() {
      return text.length();
    },
    text: () => text.view(),
    write(at, removed, insert) {
      if (removed > 0) text.del(at, removed);
      if (insert !== "") text.ins(at, insert);
      return marked(patchMark, model.api.flush().toBinary());
    },
    merge(update) {
      const body = update.subarray(1);
      if (update[0] === patchMark) model.applyPatch(joy.Patch.fromBinary(body));
      else {
        // A complete update here: an empty replica becomes a copy.
        model = joy.Model.load(body, sessions + agent);
        text = model.api.str([]);
      }
    },
    everything: () => marked(modelMark, model.toBinary()),
    save: () => model.toBinary(),
    free() {},
  };
}

function marked(mark: number, bytes: Uint8Array): Uint8Array {
  const update = new Uint8Array(bytes.length + 1);
  update[0] = mark;
  update.set(bytes, 1);
  return update;
}
