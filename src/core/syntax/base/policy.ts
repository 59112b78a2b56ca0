import type { CallPolicy } from "../../forest/run-rules.ts";
import type { Syntax } from "./syntax.ts";
import type { SyntaxTool } from "./tools.ts";

/**
 * Returns the policy of a syntax where nothing else is set. A provider separates its own calls; in text, whatever follows a
 * call is the model's guess at its result.
 */
export function usualPolicy({
  tier,
  rounds,
}: Pick<Syntax, "tier" | "rounds">): "serial-all" | "serial-one" | "parallel" {
  return rounds ?? (tier === "native" ? "serial-all" : "serial-one");
}

/** The calls of a reply so far, as the policy counts them. */
export interface CallsSoFar {
  readonly count: number;
  readonly onlyReads: boolean;
}

/** The value before any call. */
export const noCalls: CallsSoFar = { count: 0, onlyReads: true };

/** Whether one more call may begin; `tool` is undefined for an unknown tool. */
export function allowsCall(
  policy: CallPolicy,
  soFar: CallsSoFar,
  tool: Pick<SyntaxTool, "access"> | undefined,
): boolean {
  if (soFar.count === 0) return true;
  switch (policy) {
    case "serial-one":
      return false;
    case "smart":
      return soFar.onlyReads && tool?.access === "read";
    case "serial-all":
    case "parallel":
      return true;
  }
}

/** Returns the calls so far with one more. */
export function withCall(soFar: CallsSoFar, tool: Pick<SyntaxTool, "access"> | undefined): CallsSoFar {
  return { count: soFar.count + 1, onlyReads: soFar.onlyReads && tool?.access === "read" };
}

/** Whether nothing may follow the calls so far, not even text. */
export function isOver(policy: CallPolicy, soFar: CallsSoFar): boolean {
  if (soFar.count === 0) return false;
  return policy === "serial-one" || (policy === "smart" && !soFar.onlyReads);
}
