import { continuesRun } from "../base/characters.ts";
import type { CompiledEdge } from "./compile-grammar.ts";
import type { CompiledTokens } from "./compile-tokens.ts";
import { noRegisters, type Registers } from "../base/registers.ts";
import { matchTokens, needsMore, type InputEnd, type MatchContext } from "./token-match.ts";

/** A matching edge: where it ends, and what its runs captured. */
export interface FoundEdge {
  readonly edge: CompiledEdge;
  readonly end: number;
  readonly captured: Registers;
}

/** Tries edges at an offset, and remembers what would continue an undecided one. */
export class EdgeMatcher {
  readonly context: MatchContext & { end: InputEnd };

  constructor(known: Pick<MatchContext, "isKnownParameter" | "isKnownTool">) {
    this.context = {
      end: "open",
      registers: noRegisters,
      captured: noRegisters,
      expected: "",
      expectedRun: "name",
      expectedUnits: 0,
      ...known,
    };
  }

  /** What the runs of the last try captured. */
  get captured(): Registers {
    return this.context.captured;
  }

  /** Whether more of the reply may come. */
  get isOpen(): boolean {
    return this.context.end === "open";
  }

  /** Forgets the undecided match. */
  forget(): void {
    this.context.expected = "";
    this.context.expectedUnits = 0;
  }

  /** Whether a piece only continues the undecided tag without completing it. */
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

  /** Returns the first matching edge; null for none, `needsMore` while undecided. */
  edge(
    edges: readonly CompiledEdge[],
    input: string,
    at: number,
    registers: Registers,
  ): FoundEdge | null | typeof needsMore {
    const code = input.charCodeAt(at);
    for (const edge of edges) {
      if (edge.first !== null && at < input.length && (code >= 128 || edge.first[code] === 0)) continue;
      if (edge.when !== null && !holds(edge.when, registers)) continue;
      const end = this.match(edge.tokens, input, at, registers);
      if (end === needsMore) return needsMore;
      if (end >= 0) return { edge, end, captured: this.context.captured };
    }
    return null;
  }

  /** Matches tokens; `captured` holds what their runs matched. */
  match(tokens: CompiledTokens, input: string, at: number, registers: Registers): number {
    const context = this.context;
    context.registers = registers;
    context.captured = noRegisters;
    context.expected = "";
    context.expectedUnits = 0;
    return matchTokens(tokens, input, at, context);
  }
}

/** Whether an edge's condition on the registers is met. */
function holds(when: NonNullable<CompiledEdge["when"]>, registers: Registers): boolean {
  for (const [register, wanted] of when) {
    const value = registers[register] ?? "";
    if (wanted === "*" ? value === "" : value !== wanted) return false;
  }
  return true;
}
