import { graphemeCells, graphemesOf } from "./cell-width.ts";

/**
 * Breaks streamed text into terminal lines, between words where possible. It writes every line end itself, so that the
 * cursor's place is known: terminals differ in what they do at the last cell.
 */
export class Wrapper {
  /** Cells used on the current line. */
  #column = 0;
  #word: string[] = [];
  #wordCells = 0;
  /** Whether the wrapper started the current line: a line end that follows at once is the same one. */
  #broken = false;

  get column(): number {
    return this.#column;
  }

  /** Returns what to write now. The beginning of a word waits for its rest. */
  push(text: string, columns: number): string {
    let out = "";
    for (const sign of graphemesOf(text)) {
      if (sign === "\n") {
        out += this.flush(columns);
        if (!this.#broken) out += "\n";
        this.#column = 0;
        this.#broken = false;
        continue;
      }
      const cells = graphemeCells(sign);
      const isBlank = sign.trim() === "";
      if (isBlank || cells === 2) {
        out += this.flush(columns);
        // A blank at the end of a full line is the line's end.
        if (isBlank && this.#broken && this.#column === 0) continue;
        out += this.#put(sign, cells, columns);
      } else {
        this.#word.push(sign);
        this.#wordCells += cells;
      }
    }
    return out;
  }

  /** Writes out the waiting text. */
  flush(columns: number): string {
    if (this.#word.length === 0) return "";
    let out = "";
    if (this.#column > 0 && this.#wordCells <= columns && this.#column + this.#wordCells > columns) out += this.#end();
    for (const sign of this.#word) out += this.#put(sign, graphemeCells(sign), columns);
    this.#word = [];
    this.#wordCells = 0;
    return out;
  }

  #put(sign: string, cells: number, columns: number): string {
    let out = this.#column + cells > columns && this.#column > 0 ? this.#end() : "";
    out += sign;
    this.#column += cells;
    this.#broken = false;
    if (this.#column >= columns) out += this.#end();
    return out;
  }

  #end(): string {
    this.#column = 0;
    this.#broken = true;
    return "\n";
  }
}
