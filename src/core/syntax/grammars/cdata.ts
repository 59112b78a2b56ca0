import { problem, valueEnd, type Edge, type Problem, type State, type Token } from "../base/grammar.ts";

/**
 * The states that read a value between tags: as it stands, or in CDATA sections, of which several make one value. A value
 * in CDATA is a text, whatever it looks like.
 */
export function valueStates(options: {
  /** Behind the opening tag, as far as it is no part of the value. */
  readonly lead: readonly Token[];
  /** What ends a plain value, and where that leads. */
  readonly ends: readonly Edge[];
  /** The closing tag behind a CDATA section. */
  readonly cdataClose: readonly Token[];
  readonly to: string;
}): { readonly [name: string]: State } {
  return {
    value: {
      type: "choice",
      edges: [
        { on: [...options.lead, "<![CDATA["], do: [{ type: "text-form" }], to: "cdata" },
        { on: options.lead, to: "plain" },
      ],
      otherwise: { type: "go", to: "plain" },
    },
    plain: { type: "value", ends: options.ends, into: "piece", normalisesLineEnds: false },
    cdata: {
      type: "value",
      ends: [
        { on: ["]]><![CDATA["], to: "cdata" },
        { on: ["]]>", ...options.cdataClose], do: [valueEnd], to: options.to },
      ],
      into: "piece",
      normalisesLineEnds: false,
    },
  };
}

/** What stands between parameters and is none. */
export const unexpectedText: Problem = problem(
  "MALFORMED_CALL",
  "{name}: only parameters may stand between the call's tags, not '{found}'. The call was not run: write it again.",
);
