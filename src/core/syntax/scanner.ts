import type { Fragment } from "./base/fragment.ts";
import { FragmentList } from "./base/fragment-sink.ts";
import type { Grammar } from "./base/grammar.ts";
import { ReplyScanner } from "./reply-scanner.ts";
import type { Remark, ReplyEnd, ScanOptions } from "./base/scan-options.ts";

/** Reads a reply piece by piece into lists of fragments: a simpler interface than `ReplyScanner` with its sink. */
export class Scanner {
  readonly #list = new FragmentList();
  readonly #scanner: ReplyScanner;

  constructor(grammar: Grammar, options: ScanOptions) {
    this.#scanner = new ReplyScanner(grammar, options, this.#list);
  }

  /** What looked like a call but was not read as one, so far. */
  get remarks(): readonly Remark[] {
    return this.#scanner.remarks;
  }

  /** How much of the input is not decided yet, in UTF-16 units. */
  get withheld(): number {
    return this.#scanner.withheld;
  }

  /** Reads on. */
  feed(piece: string): readonly Fragment[] {
    this.#scanner.feed(piece);
    return this.#list.take();
  }

  /** Ends the reply: the undecided input is decided, and an open call is an error. */
  finish(end: ReplyEnd): readonly Fragment[] {
    this.#scanner.finish(end);
    return this.#list.take();
  }
}
