import type { Grammar } from "../base/grammar.ts";
import { isBlank } from "../base/characters.ts";

const newline = 10;
const carriageReturn = 13;
const backtick = 96;
const tilde = 126;
const greater = 62;

/** The position within the current line. */
type Place = "indent" | "number" | "marker" | "run" | "info" | "middle";

/**
 * Tracks whether a place in Markdown text is quoted: in a fenced code block by CommonMark's rules (indented by at most
 * three
 * blanks, or in a list; closed by a run of the same character at least as long, followed only by blanks), and optionally
 * in a block quote or a code span of that line. A list is assumed to last to the reply's end. An unclosed code span
 * ends at its line's end.
 */
export class Quoting {
  readonly #spans: boolean;
  readonly #blockQuotes: boolean;
  #place: Place = "indent";
  #column = 0;
  #runOf = 0;
  #runLength = 0;
  /** The run of the open fence; its length is 0 outside. */
  #fenceOf = 0;
  #fenceLength = 0;
  /** Whether only blanks follow a run; other text makes it no closing fence, or no opening one. */
  #infoIsBlank = true;
  #infoHasTick = false;
  #spanLength = 0;
  #tickRun = 0;
  #isBlockQuote = false;
  /** Whether a list has begun: blocks in it may be indented further, by any amount. */
  #hasList = false;

  constructor(quoting: Grammar["quoting"]) {
    this.#spans = quoting === "fences-and-spans";
    this.#blockQuotes = quoting !== "fences";
  }

  /** Consumes a character of the text. */
  take(code: number): void {
    if (code === newline) {
      this.#endLine();
      return;
    }
    this.#column += 1;
    if (this.#spans && this.#place !== "indent") this.#takeSpan(code);
    switch (this.#place) {
      case "indent":
        if (code === 32 && this.#column <= 3) return;
        if (this.#hasList && isBlank(code)) return;
        if (code === backtick || code === tilde) {
          this.#place = "run";
          this.#runOf = code;
          this.#runLength = 1;
        } else {
          this.#place = this.#fenceLength > 0 ? "middle" : markerPlace(code);
          if (code === greater) this.#isBlockQuote = this.#blockQuotes;
        }
        if (this.#spans) this.#takeSpan(code);
        return;
      case "number":
        if (code === 46 || code === 41) this.#place = "marker";
        else if (markerPlace(code) !== "number") this.#place = "middle";
        return;
      case "marker":
        // The text after a list's marker begins a line of its own.
        this.#hasList ||= isBlank(code);
        this.#place = isBlank(code) ? "indent" : "middle";
        return;
      case "run":
        if (code === this.#runOf) this.#runLength += 1;
        else {
          this.#place = "info";
          this.#takeInfo(code);
        }
        return;
      case "info":
        this.#takeInfo(code);
        return;
      case "middle":
        return;
    }
  }

  #takeInfo(code: number): void {
    if (!isBlank(code) && code !== carriageReturn) this.#infoIsBlank = false;
    if (code === backtick) this.#infoHasTick = true;
  }

  #takeSpan(code: number): void {
    if (code === backtick) this.#tickRun += 1;
    else this.#endTickRun();
  }

  #endTickRun(): void {
    if (this.#tickRun === 0) return;
    if (this.#spanLength === 0) this.#spanLength = this.#tickRun;
    else if (this.#spanLength === this.#tickRun) this.#spanLength = 0;
    this.#tickRun = 0;
  }

  #endLine(): void {
    if ((this.#place === "run" || this.#place === "info") && this.#runLength >= 3) {
      if (this.#fenceLength === 0) {
        if (this.#runOf === tilde || !this.#infoHasTick) {
          this.#fenceOf = this.#runOf;
          this.#fenceLength = this.#runLength;
        }
      } else if (this.#runOf === this.#fenceOf && this.#runLength >= this.#fenceLength && this.#infoIsBlank) {
        this.#fenceLength = 0;
      }
    }
    this.#place = "indent";
    this.#column = 0;
    this.#runLength = 0;
    this.#infoIsBlank = true;
    this.#infoHasTick = false;
    this.#spanLength = 0;
    this.#tickRun = 0;
    this.#isBlockQuote = false;
  }

  /** Consumes plain text: `crossed` when it holds line ends, `isFresh` when it ends at the beginning of a line. */
  passLines(crossed: boolean, isFresh: boolean): void {
    if (crossed) this.#endLine();
    this.#place = isFresh ? "indent" : "middle";
    this.#column = isFresh ? 0 : 1;
  }

  /** Consumes markup; the line continues after it unless `endsLine`. */
  passMarkup(endsLine: boolean): void {
    if (endsLine) {
      this.#place = "middle";
      this.#endLine();
    } else if (this.#place !== "info") this.#place = "middle";
    this.#column += 1;
    if (endsLine) this.#column = 0;
  }

  /** Whether a line begins here and is still empty. */
  get isFresh(): boolean {
    return this.#place === "indent" && this.#column === 0;
  }

  get atLineStart(): boolean {
    return this.#column === 0;
  }

  /** Whether only a line's end or the beginning of a tag can change the state. */
  get isPlain(): boolean {
    return this.#place === "middle" && this.#tickRun === 0;
  }

  get inFence(): boolean {
    return this.#fenceLength > 0;
  }

  /** Whether the next character is quoted. */
  get isQuoted(): boolean {
    if (this.#fenceLength > 0 || this.#isBlockQuote) return true;
    const beginsFence = (this.#place === "run" || this.#place === "info") && this.#runLength >= 3;
    if (beginsFence && (this.#runOf === tilde || !this.#infoHasTick)) return true;
    if (!this.#spans) return false;
    const span = this.#tickRun === 0 ? this.#spanLength : this.#spanLength === this.#tickRun ? 0 : this.#tickRun;
    return span > 0;
  }
}

/** Returns the position after a line's first character, which may mark a list item. */
function markerPlace(code: number): Place {
  if (code === 42 || code === 43 || code === 45) return "marker";
  return code >= 48 && code <= 57 ? "number" : "middle";
}
