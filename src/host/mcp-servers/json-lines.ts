import { err, ok, type Result } from "../../core/base/result.ts";

/** A position in a text; line and column count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A JSON text as people write it: its value, and the line of each key and element. */
export interface JsonWithLines {
  readonly value: unknown;
  /** Returns the line of the value at this path; where there is none, the line of its nearest ancestor. */
  lineOf(path: readonly (string | number)[]): number;
}

/** Maximum depth; more than any file that a person writes has. */
const depthMax = 64;

/** Parses a JSON text, or returns where it stops being JSON; never repeats any of the text, since it may hold secrets. */
export function readJsonWithLines(text: string): Result<JsonWithLines, Place> {
  const offsetsByPath = new Map<string, number>();
  const scanner = new Scanner(text, offsetsByPath);
  const wrong = scanner.scan();
  if (wrong !== null) return err(placeOf(text, wrong));
  const value: unknown = JSON.parse(text);
  return ok({
    value,
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const offset = offsetsByPath.get(keyOf(path.slice(0, length)));
        if (offset !== undefined) return placeOf(text, offset).line;
      }
      return 1;
    },
  });
}

function keyOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path.map(String));
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Thrown where a text stops being JSON. */
class Stop extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

class Scanner {
  readonly #text: string;
  readonly #offsetsByPath: Map<string, number>;
  #at = 0;

  constructor(text: string, offsetsByPath: Map<string, number>) {
    this.#text = text;
    this.#offsetsByPath = offsetsByPath;
  }

  /** Returns the offset of the first mistake; null where there is none. */
  scan(): number | null {
    try {
      this.#value([]);
      this.#space();
      return this.#at === this.#text.length ? null : this.#at;
    } catch (problem) {
      if (problem instanceof Stop) return problem.offset;
      throw problem;
    }
  }

  #value(path: readonly (string | number)[]): void {
    this.#space();
    if (path.length > depthMax) throw new Stop(this.#at);
    switch (this.#text[this.#at]) {
      case "{":
        return this.#members("}", (_index) => {
          this.#space();
          const from = this.#at;
          const key = this.#string();
          this.#space();
          this.#expect(":");
          this.#note([...path, key], from);
          this.#value([...path, key]);
        });
      case "[":
        return this.#members("]", (index) => {
          this.#space();
          this.#note([...path, index], this.#at);
          this.#value([...path, index]);
        });
      case '"':
        this.#string();
        return;
      case undefined:
      default:
        this.#word(/(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y);
    }
  }

  #members(close: "}" | "]", member: (index: number) => void): void {
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (let index = 0; ; index += 1) {
      member(index);
      this.#space();
      if (this.#text[this.#at] === close) break;
      this.#expect(",");
    }
    this.#at += 1;
  }

  #string(): string {
    // oxlint-disable-next-line no-control-regex -- JSON has these in strings only as escapes
    const word = this.#word(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
    const text: unknown = JSON.parse(word);
    return typeof text === "string" ? text : "";
  }

  #word(form: RegExp): string {
    form.lastIndex = this.#at;
    const [word] = form.exec(this.#text) ?? [];
    if (word === undefined) throw new Stop(this.#at);
    this.#at += word.length;
    return word;
  }

  #expect(mark: string): void {
    if (this.#text[this.#at] !== mark) throw new Stop(this.#at);
    this.#at += 1;
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #note(path: readonly (string | number)[], offset: number): void {
    this.#offsetsByPath.set(keyOf(path), offset);
  }
}
