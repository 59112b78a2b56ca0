/** Texts that the browser refused to store, by key; kept until the page closes. */
const refusedTexts = new Map<string, string>();

/** Stores a value in the browser, or until the page closes when the browser refuses storage. */
export class Stored<Value> {
  readonly #key: string;
  readonly #read: (value: unknown) => Value | undefined;
  readonly #fallback: Value;
  readonly #storage: Storage | null;

  /** `read` returns undefined for an unreadable value; the fallback applies then. */
  constructor(key: string, read: (value: unknown) => Value | undefined, fallback: Value) {
    this.#key = `heddle.${key}`;
    this.#read = read;
    this.#fallback = fallback;
    this.#storage = allowedStorage();
  }

  get(): Value {
    const text = refusedTexts.get(this.#key) ?? this.#storage?.getItem(this.#key) ?? null;
    if (text === null) return this.#fallback;
    // A stored text that happens to be JSON stays a text.
    return this.#read(parsed(text)) ?? this.#read(text) ?? this.#fallback;
  }

  set(value: Value): void {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    refusedTexts.set(this.#key, text);
    if (this.#storage === null) return;
    try {
      this.#storage.setItem(this.#key, text);
      refusedTexts.delete(this.#key);
    } catch {
      // With a full storage the value is lost after this page, but not within it.
    }
  }

  clear(): void {
    refusedTexts.delete(this.#key);
    this.#storage?.removeItem(this.#key);
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

function allowedStorage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
