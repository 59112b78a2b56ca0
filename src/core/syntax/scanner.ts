import type { Fragment } from "./base/fragment.ts";
import { FragmentList } from "./base/fragment-sink.ts";
import type { Grammar } from "./base/grammar.ts";
import { ReplyScanner } from "./reply-scanner.ts";
import type { Remark, ReplyEnd, ScanOptions } from "./base/scan-options.ts";

/** A reply's fragments piece by piece, as lists: for whom `ReplyScanner` with its sink is too much. */
export class Scanner {
  readonly #list = new FragmentList();
  readonly #scanner: ReplyScanner;

  constructor(grammar: Grammar, options: ScanOptions) {
    this.#scanner = new ReplyScanner(grammar, options, this.#list);
  }

  /** What looked like a call and was none, so far. */
  get remarks(): readonly Remark[] {
    return this.#scanner.remarks;
  }

  /** How much of what was fed is not decided yet. UTF-16 units. */
  get withheld(): number {
    return this.#scanner.withheld;
  }

  /** Reads on. */
  feed(piece: string): readonly Fragment[] {
    this.#scanner.feed(piece);
    return this.#list.take();
  }

  /** The reply is over. What was undecided is decided; a call that is open is an error. */
  finish(end: ReplyEnd): readonly Fragment[] {
    this.#scanner.finish(end);
    return this.#list.take();
  }
}
