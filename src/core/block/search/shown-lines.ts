/** A match within one line, as offsets in the whole text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A match with the lines shown around it. */
export interface SearchMatch {
  /** 0-based. */
  readonly line: number;
  /** The line, or the part of a long line around the match. */
  readonly text: string;
  /** The column at which `text` begins; above 0 only when a long line is cut. */
  readonly textStart: number;
  /** Columns of the match in its line in UTF-16 units, exclusive end. */
  readonly matchStart: number;
  readonly matchEnd: number;
  /** The line of the match with its neighbours, long lines cut, and the number of the first. */
  readonly context: readonly string[];
  readonly contextStart: number;
  /** Whether any of these lines was cut. */
  readonly isCut: boolean;
}

/** A line with its shown neighbours. */
interface Neighbourhood {
  readonly to: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly isCut: boolean;
}

/**
 * Converts offsets, given in ascending order, into lines with their neighbours, without splitting the whole text. The
 * neighbours are computed once per line, since a long line may match thousands of times.
 */
export class ShownLines {
  readonly #text: string;
  readonly #contextLines: number;
  readonly #lineUnitsMax: number;
  #line = 0;
  #lineFrom = 0;
  #around: Neighbourhood | null = null;

  constructor(text: string, contextLines: number, lineUnitsMax: number) {
    this.#text = text;
    this.#contextLines = contextLines;
    this.#lineUnitsMax = lineUnitsMax;
  }

  matchAt({ start, end }: Span): SearchMatch {
    this.#goTo(start);
    this.#around ??= this.#neighbourhood();
    const { to, before, after, isCut } = this.#around;
    const shown = this.#window(this.#lineFrom, to, start);
    const text = this.#text.slice(shown.from, shown.to);
    return {
      line: this.#line,
      text,
      textStart: shown.from - this.#lineFrom,
      matchStart: start - this.#lineFrom,
      matchEnd: end - this.#lineFrom,
      context: [...before, text, ...after],
      contextStart: this.#line - before.length,
      isCut: isCut || shown.to - shown.from < to - this.#lineFrom,
    };
  }

  #goTo(offset: number): void {
    if (this.#around !== null && offset <= this.#around.to) return;
    for (let at = this.#text.indexOf("\n", this.#lineFrom); at !== -1 && at < offset;) {
      this.#line += 1;
      this.#lineFrom = at + 1;
      this.#around = null;
      at = this.#text.indexOf("\n", this.#lineFrom);
    }
  }

  #neighbourhood(): Neighbourhood {
    const to = lineEndAfter(this.#text, this.#lineFrom);
    const before: Span[] = [];
    for (let end = this.#lineFrom - 1; end >= 0 && before.length < this.#contextLines;) {
      const start = end === 0 ? 0 : this.#text.lastIndexOf("\n", end - 1) + 1;
      before.unshift({ start, end });
      end = start - 1;
    }
    const after: Span[] = [];
    for (let start = to + 1; start < this.#text.length && after.length < this.#contextLines;) {
      const end = lineEndAfter(this.#text, start);
      after.push({ start, end });
      start = end + 1;
    }
    return {
      to,
      before: before.map((line) => this.#beginning(line)),
      after: after.map((line) => this.#beginning(line)),
      isCut: [...before, ...after].some(({ start, end }) => end - start > this.#lineUnitsMax),
    };
  }

  #beginning({ start, end }: Span): string {
    const shown = this.#window(start, end, start);
    return this.#text.slice(shown.from, shown.to);
  }

  /** Returns the part of a line to show around an offset; begins and ends with whole characters. */
  #window(from: number, to: number, at: number): { readonly from: number; readonly to: number } {
    const max = this.#lineUnitsMax;
    if (to - from <= max) return { from, to };
    const begin = Math.min(Math.max(from, at - Math.floor(max / 4)), to - max);
    return { from: this.#outsidePair(begin, 1), to: this.#outsidePair(begin + max, -1) };
  }

  #outsidePair(offset: number, step: 1 | -1): number {
    const isInside =
      (this.#text.charCodeAt(offset - 1) & 0xfc00) === 0xd800 && (this.#text.charCodeAt(offset) & 0xfc00) === 0xdc00;
    return isInside ? offset + step : offset;
  }
}

/** Returns the end of the line at an offset: its `\n`, or the end of the text. */
export function lineEndAfter(text: string, offset: number): number {
  const found = text.indexOf("\n", offset);
  return found === -1 ? text.length : found;
}
