const tab = 9;
const space = 32;
const tabWidth = 4;

/** UTF-16 units from the line's start, and the column there. */
interface Place {
  readonly offset: number;
  readonly column: number;
}

/**
 * Walks over the blanks and marks at the beginning of one line as CommonMark counts them: in columns, a tab reaching to
 * the next multiple of four, so that a tab may be used up in part.
 */
export class LineCursor {
  readonly line: string;
  /** UTF-16 units from the line's start, and the column reached, which may lie within the tab that stands there. */
  #offset = 0;
  #column = 0;
  /** Where the blanks from there end; they end at the same place until more than blanks is gone over. */
  #blanksEnd: Place | undefined;

  constructor(line: string) {
    this.line = line;
  }

  /** Columns of blanks from here to what follows. */
  get indent(): number {
    return this.#peek().column - this.#column;
  }

  /** What follows the blanks; empty for a blank rest. */
  get rest(): string {
    return this.line.slice(this.#peek().offset);
  }

  get isBlank(): boolean {
    return this.#peek().offset === this.line.length;
  }

  /** The first character after the blanks, as its code; NaN at the end. */
  get mark(): number {
    return this.line.charCodeAt(this.#peek().offset);
  }

  /** Goes over all blanks. */
  skipBlanks(): void {
    const { offset, column } = this.#peek();
    this.#offset = offset;
    this.#column = column;
  }

  /** Goes over characters that are no tabs. */
  skipCharacters(count: number): void {
    this.#offset += count;
    this.#column += count;
    this.#blanksEnd = undefined;
  }

  /** Goes over blanks, at most so many columns of them. */
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

  /** What follows the blanks. */
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
