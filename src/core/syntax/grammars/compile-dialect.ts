import type { Opening, State } from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import type { Dialect } from "./dialect.ts";
import { jsonCalls } from "./json-dialect.ts";
import { quotingOf } from "./mark-quoting.ts";
import { reasoningMarks, reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";
import { tagCalls } from "./tag-dialect.ts";
import { isModelMark } from "./marks.ts";

/** Compiles a dialect to the syntax that reads and writes it. */
export function compileDialect(given: Dialect): Syntax {
  const dialect = given.calls === "fence" ? withFence(given) : given;
  const { writing, openings, states, ...rest } = dialect.calls === "tags" ? tagCalls(dialect) : jsonCalls(dialect);
  const reasoning = reasoningOf(dialect);
  const first = dialect.section?.[0] ?? dialect.call?.[0] ?? "";
  return {
    id: dialect.id,
    title: dialect.title,
    tier: "model",
    models: dialect.models,
    sources: dialect.sources,
    rounds: dialect.rounds,
    grammar: {
      quoting: quotingOf(first),
      startInReasoning: reasoning.state,
      openings: [
        ...reasoning.openings,
        ...reasoningOpenings,
        ...openings,
        ...(dialect.text_marks ?? []).map((mark): Opening => ({ at: "anywhere", on: [mark], to: "text" })),
      ],
      states: { ...reasoning.states, ...reasoningStates, ...states },
      ...rest,
    },
    writing,
    results: { open: dialect.results[0], close: dialect.results[1] },
    explanation: dialect.prompt,
  };
}

/** A fenced code block is a pair of marks. */
function withFence(dialect: Dialect): Dialect {
  return { ...dialect, call: [`\`\`\`${dialect.fence ?? ""}\n`, "\n```"] };
}

/** The state that reads the dialect's reasoning: a known one, or one of its own. */
function reasoningOf({ reasoning: [open, close] }: Dialect): {
  readonly state: string;
  readonly openings: readonly Opening[];
  readonly states: { readonly [name: string]: State };
} {
  const known = reasoningMarks.find((marks) => marks.open === open && marks.close === close);
  if (known !== undefined) return { state: known.state, openings: [], states: {} };
  return {
    state: "ownThink",
    openings: [{ at: isModelMark(open) ? "anywhere" : "unquoted", on: [open], to: "ownThink" }],
    states: { ownThink: { type: "reasoning", ends: [{ on: [close], to: "text" }] } },
  };
}
