/**
 * Tracks which texts a search thread keeps, and under which handles. The thread's own store follows it message by message.
 */
export class KeptTextIndex {
  readonly #unitsMax: number;
  readonly #byId = new Map<string, Entry>();
  #units = 0;
  #nextHandle = 1;
  #uses = 0;
  #dropped: number[] = [];

  /** `unitsMax`: UTF-16 units of all texts together, each at most 2 bytes. */
  constructor(unitsMax: number) {
    this.#unitsMax = unitsMax;
  }

  /** Returns the kept text of this version; undefined when it has to be loaded. */
  find(id: string, version: number): KeptText | undefined {
    const entry = this.#byId.get(id);
    if (entry?.version !== version) return undefined;
    this.#uses += 1;
    entry.usedAt = this.#uses;
    return entry;
  }

  /** Returns a handle that no text has. */
  newHandle(): number {
    const handle = this.#nextHandle;
    this.#nextHandle += 1;
    return handle;
  }

  /** Records that the thread keeps a text under a new handle, and replaces the version that was kept. */
  keep(id: string, text: KeptText & { readonly version: number }): KeptText {
    this.#drop(id);
    this.#uses += 1;
    const entry = { ...text, usedAt: this.#uses };
    this.#byId.set(id, entry);
    this.#units += text.units;
    return entry;
  }

  /** Evicts the least recently used texts while the total is too large; returns every handle freed since the last call. */
  takeDropped(): readonly number[] {
    if (this.#units > this.#unitsMax) {
      const oldestFirst = [...this.#byId].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
      // Evicts below the limit, so that the next texts do not sort again.
      for (const [id] of oldestFirst) {
        if (this.#units <= this.#unitsMax * 0.75) break;
        this.#drop(id);
      }
    }
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }

  /** Evicts every text. */
  dropAll(): void {
    for (const id of this.#byId.keys()) this.#drop(id);
  }

  /** Forgets everything, for a thread that has ended. */
  clear(): void {
    this.#byId.clear();
    this.#units = 0;
    this.#dropped = [];
  }

  #drop(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    this.#units -= entry.units;
    this.#dropped.push(entry.handle);
  }
}

/** A text of the thread. */
interface KeptText {
  readonly handle: number;
  readonly units: number;
}

interface Entry extends KeptText {
  readonly version: number;
  usedAt: number;
}
