import type { ListEntry } from "../../../core/forest/list.ts";

/** Where summaries of one kind come from. */
export interface SummarySource<Entry extends ListEntry> {
  load(): Promise<readonly Entry[]>;
  /** Calls `listener` after each change; `deleted` for an entry that no list has any more. */
  watch(listener: (entry: Entry, deleted: boolean) => void): () => void;
}

/** A change of one entry; undefined: there was none, or there is none any more. */
export interface SummaryChange<Entry> {
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

/** All summaries of one kind, in memory from their first use on. */
export class Summaries<Entry extends ListEntry> {
  readonly #source: SummarySource<Entry>;
  readonly #listener: (change: SummaryChange<Entry>) => void;
  readonly #byId = new Map<string, Entry>();
  #loading: Promise<void> | null = null;
  #stop: () => void = () => undefined;

  constructor(source: SummarySource<Entry>, listener: (change: SummaryChange<Entry>) => void) {
    this.#source = source;
    this.#listener = listener;
  }

  /** Resolves once the summaries are complete. A failure is the caller's; the next call tries again. */
  async loaded(): Promise<void> {
    this.#loading ??= this.#load();
    try {
      await this.#loading;
    } catch (problem) {
      this.#loading = null;
      throw problem;
    }
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<Entry> {
    return this.#byId.values();
  }

  close(): void {
    this.#stop();
  }

  async #load(): Promise<void> {
    // What changes while the list is read is applied after it: the same change twice does no harm.
    const meanwhile: (() => void)[] = [];
    let isLoaded = false;
    this.#stop();
    this.#stop = this.#source.watch((entry, deleted) => {
      const take = (): void => this.#take(entry, deleted);
      if (isLoaded) take();
      else meanwhile.push(take);
    });
    for (const entry of await this.#source.load()) this.#byId.set(entry.id, entry);
    isLoaded = true;
    for (const take of meanwhile) take();
  }

  #take(entry: Entry, deleted: boolean): void {
    const before = this.#byId.get(entry.id);
    const after = deleted ? undefined : entry;
    if (before === after || (before !== undefined && after !== undefined && isEqual(before, after))) return;
    if (after === undefined) this.#byId.delete(entry.id);
    else this.#byId.set(entry.id, after);
    this.#listener({ before, after });
  }
}

/** Most changes of a canvas are of its text, which no list shows. */
function isEqual(a: ListEntry, b: ListEntry): boolean {
  const keys = Object.keys(b);
  return (
    keys.length === Object.keys(a).length &&
    keys.every((key) => Object.is(a[key as keyof ListEntry], b[key as keyof ListEntry]))
  );
}
