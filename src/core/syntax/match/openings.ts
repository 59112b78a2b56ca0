import type { CompiledGrammar } from "./compile-grammar.ts";
import type { EdgeMatcher, FoundEdge } from "./edge-matcher.ts";
import type { QuotedCalls } from "./quoted-calls.ts";
import type { Quoting } from "./quoting.ts";
import { noRegisters } from "../base/registers.ts";
import { needsMore, noMatch } from "./token-match.ts";

/** A place in a reply where something may begin. */
interface Place {
  readonly input: string;
  readonly at: number;
  /** The offset of the input in the reply. */
  readonly base: number;
  /** The character before; 0 at the reply's beginning. */
  readonly before: number;
  /** Whether only white space came before. */
  readonly isReplyStart: boolean;
}

/** Quotation marks and the mark of a code span. */
const quotationMarks: ReadonlySet<number> = new Set([34, 39, 96]);

/** Finds openings in text, and notes calls in reasoning. */
export class Openings {
  readonly #byFirst: CompiledGrammar["openingsByFirst"];
  readonly #matcher: EdgeMatcher;
  readonly #quoting: Quoting;
  readonly #quoted: QuotedCalls;

  constructor(grammar: CompiledGrammar, matcher: EdgeMatcher, quoting: Quoting, quoted: QuotedCalls) {
    this.#byFirst = grammar.openingsByFirst;
    this.#matcher = matcher;
    this.#quoting = quoting;
    this.#quoted = quoted;
  }

  /** Whether an opening may begin with a character. */
  mayBegin(code: number): boolean {
    return code < 128 && this.#byFirst[code] !== undefined;
  }

  /** Returns the opening that matches here; null for none, `needsMore` while undecided. */
  find({ input, at, base, before, isReplyStart }: Place): FoundEdge | null | typeof needsMore {
    for (const opening of this.#byFirst[input.charCodeAt(at)] ?? []) {
      const end = this.#matcher.match(opening.tokens, input, at, noRegisters);
      if (end === noMatch) continue;
      const captured = this.#matcher.captured;
      if (opening.at === "unquoted" && quotationMarks.has(before)) continue;
      if (opening.at === "line-start" && !this.#quoting.atLineStart) {
        if (end >= 0) this.#quoted.remark(base + at, "not-at-line-start");
        continue;
      }
      if (opening.at === "reply-start" && !isReplyStart) {
        if (end >= 0) this.#quoted.remark(base + at, "not-at-reply-start");
        continue;
      }
      if (end === needsMore) return needsMore;
      if (this.#quoting.isQuoted) {
        this.#quoted.remark(base + at, this.#quoting.inFence ? "in-fence" : "in-quote");
        if (this.#quoting.inFence && opening.isCall) this.#quoted.note("fence", captured);
        continue;
      }
      return { edge: opening, end, captured };
    }
    return null;
  }

  /** Notes a call inside reasoning; false while undecided. */
  noteInReasoning(input: string, at: number, base: number): boolean {
    for (const opening of this.#byFirst[input.charCodeAt(at)] ?? []) {
      if (!opening.isCall) continue;
      const end = this.#matcher.match(opening.tokens, input, at, noRegisters);
      if (end === needsMore) return false;
      if (end < 0) continue;
      this.#quoted.remark(base + at, "in-reasoning");
      this.#quoted.note("reasoning", this.#matcher.captured);
    }
    return true;
  }
}
