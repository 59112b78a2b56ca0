import { problem, valueEnd, type Edge, type Problem, type State, type Token } from "../base/grammar.ts";

const entities = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'" } as const;

const bareMark: Problem = problem(
  "AMBIGUOUS_CLOSE",
  "{name}: the value of {key} holds a bare <, as if a tag before it was forgotten. Nothing was run. Inside a value write < as &lt; and & as &amp;.",
);

/** The states that read a value in which entities represent the characters of tags. */
export function entityStates(closers: readonly (readonly Token[])[]): { readonly [name: string]: State } {
  const ends: readonly Edge[] = [
    ...closers.map((on): Edge => ({ on, do: [valueEnd], to: "item" })),
    ...Object.entries(entities).map(([on, text]): Edge => ({ on: [on], do: [{ type: "piece", text }], to: "plain" })),
    { on: ["<"], do: [{ type: "problem", problem: bareMark }], to: "plain" },
  ];
  return {
    value: { type: "choice", edges: [], otherwise: { type: "go", to: "plain" } },
    plain: { type: "value", ends, into: "piece", normalisesLineEnds: false },
  };
}

/** Writes a text with entities for the characters of tags. */
export function withEntities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
