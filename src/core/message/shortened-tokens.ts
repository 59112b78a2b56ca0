import { beginningOf } from "../base/shortened.ts";
import { roughTokens } from "./rough-tokens.ts";

/**
 * Returns a text of about `tokensMax` tokens at most, shortened in its middle, with a sentence there that says so. A text
 * that fits is unchanged.
 */
export function shortenedInMiddle(text: string, tokensMax: number): string {
  const tokens = roughTokens(text);
  if (tokens <= tokensMax) return text;
  for (let units = Math.floor((text.length * tokensMax) / tokens); units > 1; units = Math.floor(units * 0.9)) {
    const half = Math.floor(units / 2);
    const end = endOf(text, half);
    const kept = beginningOf(text, half);
    const short = `${kept}\n[… ${text.length - kept.length - end.length} characters left out here …]\n${end}`;
    if (roughTokens(short) <= tokensMax) return short;
  }
  return "[…]";
}

/** Returns the beginning of a text, of about `tokensMax` tokens at most, up to the last whole line or word. */
export function beginningInTokens(text: string, tokensMax: number): string {
  const tokens = roughTokens(text);
  if (tokens <= tokensMax) return text;
  for (let units = Math.floor((text.length * tokensMax) / tokens); units > 1; units = Math.floor(units * 0.9)) {
    const cut = beginningOf(text, units);
    const at = Math.max(cut.lastIndexOf("\n"), cut.lastIndexOf(" "));
    const short = `${(at > cut.length / 2 ? cut.slice(0, at) : cut).trimEnd()} […]`;
    if (roughTokens(short) <= tokensMax) return short;
  }
  return "[…]";
}

function endOf(text: string, units: number): string {
  const from = text.length - units;
  // Never half of a pair of surrogates.
  const isInPair = (text.charCodeAt(from) & 0xfc00) === 0xdc00;
  return text.slice(isInPair ? from + 1 : from);
}
