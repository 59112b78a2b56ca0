import type { Json } from "../../base/json.ts";
import type { Notation } from "../base/grammar.ts";
import { nestingMax } from "../base/nesting.ts";

/** Returns the JSON text of a value in a notation that is nearly JSON; undefined for anything else. */
export function looseJson(text: string, notation: Notation): string | undefined {
  const reader = new LooseReader(text, notation);
  const value = reader.value(0);
  return value !== undefined && reader.isAtEnd ? JSON.stringify(value) : undefined;
}

const scalar = /[^\s,:{}[\]()]+/y;
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const escapes: { readonly [letter: string]: string } = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Returns what a backslash and a letter mean; an unknown letter keeps its backslash, as in Python's `'\d'`. */
export function escaped(letter: string): string {
  return escapes[letter] ?? (`"'\\/`.includes(letter) ? letter : `\\${letter}`);
}

/** Whether a character may be part of a numeric escape. */
export function isHexDigit(character: string): boolean {
  return /^[0-9a-fA-F]$/.test(character);
}

class LooseReader {
  readonly #text: string;
  readonly #notation: Notation;
  #at = 0;

  constructor(text: string, notation: Notation) {
    this.#text = text;
    this.#notation = notation;
  }

  get isAtEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#text.length;
  }

  value(depth: number): Json | undefined {
    if (depth > nestingMax) return undefined;
    this.#skipSpace();
    if (this.#takes("{")) return this.#object(depth);
    if (this.#takes("[")) return this.#list("]", depth);
    // A tuple is read as a list.
    if (this.#takes("(")) return this.#list(")", depth);
    return this.#string() ?? this.#word();
  }

  #object(depth: number): Json | undefined {
    const entries: [string, Json][] = [];
    for (let first = true; ; first = false) {
      this.#skipSpace();
      if (this.#takes("}")) return Object.fromEntries(entries);
      if (!first && !this.#takes(",")) return undefined;
      this.#skipSpace();
      if (!first && this.#takes("}")) return Object.fromEntries(entries);
      const key = this.#string() ?? (this.#notation.unquotedKeys ? this.#bareKey() : undefined);
      this.#skipSpace();
      if (key === undefined || !this.#takes(":")) return undefined;
      const field = this.value(depth + 1);
      if (field === undefined) return undefined;
      entries.push([key, field]);
    }
  }

  #list(closing: string, depth: number): Json | undefined {
    const elements: Json[] = [];
    for (let first = true; ; first = false) {
      this.#skipSpace();
      if (this.#takes(closing)) return elements;
      if (!first && !this.#takes(",")) return undefined;
      this.#skipSpace();
      if (!first && this.#takes(closing)) return elements;
      const element = this.value(depth + 1);
      if (element === undefined) return undefined;
      elements.push(element);
    }
  }

  #string(): string | undefined {
    for (const [opening, closing] of this.#notation.quotes) {
      if (!this.#text.startsWith(opening, this.#at)) continue;
      const from = this.#at + opening.length;
      return closing.length > 1 ? this.#until(from, closing) : this.#escaped(from, closing);
    }
    return undefined;
  }

  #until(from: number, closing: string): string | undefined {
    const end = this.#text.indexOf(closing, from);
    if (end === -1) return undefined;
    this.#at = end + closing.length;
    return this.#text.slice(from, end);
  }

  #escaped(from: number, closing: string): string | undefined {
    let read = "";
    for (let at = from; at < this.#text.length; at += 1) {
      const character = this.#text.charAt(at);
      if (character === closing) {
        this.#at = at + 1;
        return read;
      }
      if (character === "\\") {
        at += 1;
        const letter = this.#text.charAt(at);
        const digits = this.#text.slice(at + 1, at + 5);
        if (letter === "u" && digits.length === 4 && Array.from(digits).every(isHexDigit)) {
          read += String.fromCharCode(Number.parseInt(digits, 16));
          at += 4;
        } else read += escaped(letter);
      } else read += character;
    }
    return undefined;
  }

  #bareKey(): string | undefined {
    return this.#match(scalar);
  }

  #word(): Json | undefined {
    const word = this.#match(scalar);
    if (word === undefined) return undefined;
    if (Object.hasOwn(this.#notation.words, word)) return this.#notation.words[word] ?? null;
    if (word === "true" || word === "false") return word === "true";
    if (word === "null") return null;
    const value = plainNumber.test(word) ? Number(word) : Number.NaN;
    return Number.isFinite(value) ? value : undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #takes(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }
}
