import type { Json } from "../../../core/base/json.ts";

const excerptUnits = 200;
const unitsBefore = 60;

/** Returns the words of a query as they are compared. */
export function wantedWords(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "");
}

/** Returns the words in a tool's call or answer, one value after the other, without the signs of their notation. */
export function readableText(value: unknown): string {
  return [...textsIn(value as Json)].join(" · ").replaceAll(/\s+/gu, " ").trim();
}

/** Names of fields that say nothing to people. */
const silent: ReadonlySet<string> = new Set(["type", "id", "toolCallId", "toolUseId", "callId", "outcome", "hash"]);

function* textsIn(value: Json): Generator<string> {
  if (typeof value === "string") yield* wordsOf(value);
  else if (Array.isArray(value)) for (const each of value as readonly Json[]) yield* textsIn(each);
  else if (typeof value === "object" && value !== null)
    for (const [key, each] of Object.entries(value)) if (!silent.has(key)) yield* textsIn(each);
}

/** A value may be JSON in a string, as the answers of tools are. */
function* wordsOf(text: string): Generator<string> {
  if (/^\s*[[{]/.test(text)) {
    try {
      yield* textsIn(JSON.parse(text) as Json);
      return;
    } catch {
      // Not JSON: words as they are.
    }
  }
  if (text.trim() !== "") yield text;
}

/** Returns at most 200 units of a text around the first of the words in it. */
export function excerptAround(text: string, query: string): string {
  const folded = text.toLowerCase();
  const places = wantedWords(query)
    .map((word) => folded.indexOf(word))
    .filter((place) => place !== -1);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const from = Math.max(0, Math.min(first - unitsBefore, text.length - excerptUnits));
  return text.slice(from, from + excerptUnits).toWellFormed();
}
