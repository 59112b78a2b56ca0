/** Keeps a value on this machine. Where the browser refuses storage, it lasts as long as the page. */
export class Stored<Value> {
  readonly #key: string;
  readonly #read: (value: unknown) => Value | undefined;
  readonly #fallback: Value;
  readonly #storage: Storage | null;

  /** `read` gives undefined for what it cannot read; the fallback stands then. */
  constructor(key: string, read: (value: unknown) => Value | undefined, fallback: Value) {
    this.#key = `heddle.${key}`;
    this.#read = read;
    this.#fallback = fallback;
    this.#storage = allowedStorage();
  }

  get(): Value {
    const text = this.#storage?.getItem(this.#key) ?? null;
    if (text === null) return this.#fallback;
    return this.#read(parsed(text)) ?? this.#fallback;
  }

  set(value: Value): void {
    try {
      this.#storage?.setItem(this.#key, typeof value === "string" ? value : JSON.stringify(value));
    } catch {
      // A full storage costs the memory of a preference, not the person's work.
    }
  }

  clear(): void {
    this.#storage?.removeItem(this.#key);
  }
}

export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads one of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): (value: unknown) => Word | undefined {
  return (value) => words.find((word) => word === value);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // Text is kept as it is, so a text that happens to be JSON of something else stays a text.
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}

function allowedStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
