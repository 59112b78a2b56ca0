import { allUnderstood, type ExplainedRow } from "../../../src/core/syntax/explained-rows.ts";
import type { Syntax } from "../../../src/core/syntax/base/syntax.ts";
import { excerpt } from "../view/words/words.ts";

/** One row of a reply in the lab. */
interface LabRow {
  readonly kind: "text" | "thought" | "call" | "problem";
  /** The kind of the row in one word. */
  readonly word: string;
  readonly text: string;
  /** The reason, when needed. */
  readonly why: string | null;
}

const shownUnitsMax = 200;

export function labRow(row: ExplainedRow): LabRow {
  switch (row.type) {
    case "text":
      return { kind: "text", word: "Text", text: excerpt(row.text.trim(), shownUnitsMax), why: null };
    case "reasoning":
      return { kind: "thought", word: "Thought", text: excerpt(row.text.trim(), shownUnitsMax), why: null };
    case "call":
      return {
        kind: "call",
        word: "Call",
        text: row.name,
        why: row.warnings.length === 0 ? null : row.warnings.join("; "),
      };
    case "error":
      return {
        kind: "problem",
        word: "Error",
        text: row.name === "" ? "A call without a name" : row.name,
        why: row.message,
      };
    case "not-read":
      return { kind: "problem", word: "Not read", text: row.text, why: row.why };
  }
}

/** Returns the result of reading a reply in one sentence. */
export function verdictOf(rows: readonly ExplainedRow[]): string {
  const calls = rows.filter(({ type }) => type === "call").length;
  const problems = rows.filter(({ type }) => type === "error" || type === "not-read").length;
  const ran = calls === 0 ? "No call would run" : calls === 1 ? "One call would run" : `${calls} calls would run`;
  if (allUnderstood(rows)) return `${ran}.`;
  return `${ran}; ${problems === 1 ? "1 item" : `${problems} items`} would not.`;
}

/** Returns the name of a syntax for a list. */
export function syntaxWords({ id, title, tier }: Pick<Syntax, "id" | "title" | "tier">): string {
  return tier === "native" ? `${title}: the provider’s own calls` : `${title} (${id})`;
}
