import { markedParts } from "./marked-parts.ts";

/** A text with the words of a query marked. */
export function MarkedText({ text, query }: { readonly text: string; readonly query: string }) {
  return markedParts(text, query).map(({ text: part, isMatch, from }) =>
    isMatch ? <mark key={from}>{part}</mark> : <span key={from}>{part}</span>,
  );
}
