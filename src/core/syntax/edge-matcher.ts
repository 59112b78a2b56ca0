import type { CompiledEdge } from "./compile-grammar.ts";
import type { Token } from "./grammar.ts";
import {
  continuesRun,
  holds,
  matchTokens,
  needsMore,
  type InputEnd,
  type MatchContext,
  type Registers,
} from "./token-match.ts";

/** An edge that matches: where it ends, and what its runs took. */
export interface FoundEdge {
  readonly edge: CompiledEdge;
  readonly end: number;
  readonly captured: Registers;
}

/** Tries edges at a place, and knows what would go on with one that is open. */
export class EdgeMatcher {
  readonly context: MatchContext & { end: InputEnd };
  /** What the runs of the last try took. */
  captured: Registers = {};

  constructor(context: MatchContext & { end: InputEnd }) {
    this.context = context;
  }

  /** Nothing is open. */
  forget(): void {
    this.context.expected = "";
    this.context.expectedUnits = 0;
  }

  /** Whether a piece only goes on with the tag that is open, which is then still not whole. */
  goesOn(piece: string): boolean {
    const context = this.context;
    const { length } = piece;
    if (context.expected.length > length && context.expected.startsWith(piece)) {
      context.expected = context.expected.slice(length);
      return true;
    }
    if (context.expectedUnits < length || !continuesRun(context.expectedRun, piece)) return false;
    context.expectedUnits -= length;
    return true;
  }

  /** The first edge that matches; null for none, `needsMore` while that is open. */
  edge(
    edges: readonly CompiledEdge[],
    input: string,
    at: number,
    registers: Registers,
  ): FoundEdge | null | typeof needsMore {
    const code = input.charCodeAt(at);
    for (const edge of edges) {
      if (edge.first !== null && at < input.length && (code >= 128 || edge.first[code] === 0)) continue;
      if (!holds(edge, registers)) continue;
      const end = this.match(edge.on, input, at, registers);
      if (end === needsMore) return needsMore;
      if (end >= 0) return { edge, end, captured: this.captured };
    }
    return null;
  }

  /** Matches tokens; what their runs took is in `captured`. */
  match(tokens: readonly Token[], input: string, at: number, registers: Registers): number {
    this.captured = {};
    this.context.expected = "";
    this.context.expectedUnits = 0;
    return matchTokens(tokens, input, at, this.context, registers, this.captured);
  }
}
