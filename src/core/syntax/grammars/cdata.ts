import { problem, valueEnd, type Edge, type Problem, type State, type Token } from "../base/grammar.ts";

/**
 * The states that read a value between tags: literal, or in CDATA sections, of which several make one value. A value
 * in CDATA is text, whatever it looks like.
 */
export function valueStates(options: {
  /** The part after the opening tag that does not belong to the value. */
  readonly lead: readonly Token[];
  /** What ends a plain value, and the state after it. */
  readonly ends: readonly Edge[];
  /** The closing tag after a CDATA section. */
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
        { on: ["]]>"], do: [{ type: "problem", problem: strayMark }], to: "cdata" },
        { on: ["<![CDATA["], do: [{ type: "problem", problem: strayMark }], to: "cdata" },
      ],
      into: "piece",
      normalisesLineEnds: false,
    },
  };
}

/** A mark of CDATA inside a section: a section was not closed, or not opened. */
const strayMark: Problem = problem(
  "AMBIGUOUS_CLOSE",
  "{name}: the value of {key} holds a mark of CDATA inside a CDATA section. Nothing was run. Close each section once; inside a value write ]]> as ]]]]><![CDATA[> and <![CDATA[ as <!]]><![CDATA[[CDATA[.",
);

/** How a value that holds tags is written between tags. */
export const inCdata = "write it as <![CDATA[…]]>";

/** Text between parameters, where none is allowed. */
export const unexpectedText: Problem = problem(
  "MALFORMED_CALL",
  "{name}: only parameters are allowed between the call's tags, not '{found}'. The call was not run: write it again.",
);
