/** Texts that the browser refused to store, by key; kept until the page closes. */
const refusedTexts = new Map<string, string>();

/** Whose a value is: all windows' of the browser, or one window's; a new window begins with what any window stored last. */
type KeptFor = "browser" | "window";

/** Stores a value in the browser, or until the page closes when the browser refuses storage. */
export class Stored<Value> {
  readonly #key: string;
  readonly #read: (value: unknown) => Value | undefined;
  readonly #fallback: Value;
  /** Where the value is looked for, in this order, and stored. */
  readonly #storages: readonly Storage[];

  /** `read` returns undefined for an unreadable value; the fallback applies then. */
  constructor(key: string, read: (value: unknown) => Value | undefined, fallback: Value, keptFor: KeptFor = "browser") {
    this.#key = `heddle.${key}`;
    this.#read = read;
    this.#fallback = fallback;
    this.#storages = allowedStorages(keptFor);
  }

  get(): Value {
    const text = refusedTexts.get(this.#key) ?? this.#stored();
    if (text === null) return this.#fallback;
    // A stored text that happens to be JSON stays a text.
    return this.#read(parsed(text)) ?? this.#read(text) ?? this.#fallback;
  }

  set(value: Value): void {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    refusedTexts.set(this.#key, text);
    if (this.#storages.length === 0) return;
    try {
      for (const storage of this.#storages) storage.setItem(this.#key, text);
      refusedTexts.delete(this.#key);
    } catch {
      // With a full storage the value is lost after this page, but not within it.
    }
  }

  clear(): void {
    refusedTexts.delete(this.#key);
    for (const storage of this.#storages) storage.removeItem(this.#key);
  }

  #stored(): string | null {
    for (const storage of this.#storages) {
      const text = storage.getItem(this.#key);
      if (text !== null) return text;
    }
    return null;
  }
}

export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a reader that accepts only these words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): (value: unknown) => Word | undefined {
  return (value) => words.find((word) => word === value);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}

function allowedStorages(keptFor: KeptFor): readonly Storage[] {
  const names = keptFor === "window" ? (["sessionStorage", "localStorage"] as const) : (["localStorage"] as const);
  return names.flatMap((name) => {
    try {
      return globalThis[name] ?? [];
    } catch {
      return [];
    }
  });
}
