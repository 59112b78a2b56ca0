const tab = 9;
const space = 32;
const tabWidth = 4;

/** UTF-16 units from the line's start, and the column. */
interface Place {
  readonly offset: number;
  readonly column: number;
}

/**
 * Reads the spaces and marks at the beginning of one line as CommonMark counts them: in columns, where a tab reaches to the
 * next multiple of four, so that a tab may be consumed in part.
 */
export class LineCursor {
  readonly line: string;
  /** UTF-16 units from the line's start, and the current column, which may be inside a tab. */
  #offset = 0;
  #column = 0;
  /** The end of the spaces that follow; valid until the cursor passes something other than spaces. */
  #blanksEnd: Place | undefined;

  constructor(line: string) {
    this.line = line;
  }

  /** Columns of spaces from here to the next character. */
  get indent(): number {
    return this.#peek().column - this.#column;
  }

  /** The text after the spaces; empty for a blank rest. */
  get rest(): string {
    return this.line.slice(this.#peek().offset);
  }

  get isBlank(): boolean {
    return this.#peek().offset === this.line.length;
  }

  /** The code of the first character after the spaces; NaN at the end. */
  get mark(): number {
    return this.line.charCodeAt(this.#peek().offset);
  }

  /** Skips all spaces. */
  skipBlanks(): void {
    const { offset, column } = this.#peek();
    this.#offset = offset;
    this.#column = column;
  }

  /** Skips characters other than tabs. */
  skipCharacters(count: number): void {
    this.#offset += count;
    this.#column += count;
    this.#blanksEnd = undefined;
  }

  /** Skips spaces, at most the given number of columns. */
  skipColumns(count: number): void {
    let left = count;
    while (left > 0) {
      const unit = this.line.charCodeAt(this.#offset);
      if (unit === space) {
        this.#offset += 1;
        this.#column += 1;
        left -= 1;
      } else if (unit === tab) {
        const width = tabWidth - (this.#column % tabWidth);
        const used = Math.min(width, left);
        this.#column += used;
        left -= used;
        if (used < width) return;
        this.#offset += 1;
      } else {
        return;
      }
    }
  }

  /** Returns the text after the spaces. */
  #peek(): Place {
    return (this.#blanksEnd ??= this.#overBlanks());
  }

  #overBlanks(): Place {
    let offset = this.#offset;
    let column = this.#column;
    for (; offset < this.line.length; offset += 1) {
      const unit = this.line.charCodeAt(offset);
      if (unit === space) column += 1;
      else if (unit === tab) column += tabWidth - (column % tabWidth);
      else break;
    }
    return { offset, column };
  }
}
