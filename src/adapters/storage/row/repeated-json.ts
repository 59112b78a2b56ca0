/** How many texts are remembered; then all are forgotten. */
const keptMax = 256;

/** Reads a JSON column of which few texts differ: each is parsed and checked once, and its value is shared by all rows. */
export class RepeatedJson<Value> {
  readonly #guard: (value: unknown) => value is Value;
  readonly #valuesByText = new Map<string, Value>();

  constructor(guard: (value: unknown) => value is Value) {
    this.#guard = guard;
  }

  /** Returns the value of a text; undefined where the guard does not accept it. Throws SyntaxError for what is no JSON. */
  read(text: string): Value | undefined {
    const known = this.#valuesByText.get(text);
    if (known !== undefined) return known;
    const value: unknown = JSON.parse(text);
    if (!this.#guard(value)) return undefined;
    if (this.#valuesByText.size >= keptMax) this.#valuesByText.clear();
    this.#valuesByText.set(text, value);
    return value;
  }
}
