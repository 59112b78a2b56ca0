import { refusal, type Refusal } from "./errors.ts";
import { err, ok, type Result } from "./result.ts";

/** A pattern for paths, read. */
export type Glob = (path: string) => boolean;

const unitsMax = 400;
const alternativesMax = 64;

/**
 * Reads a pattern for paths: `*` and `?` within a name, `**` for any folders, `[a-z]`, `[!a]` and `{a,b}`. A pattern without
 * a slash is about names in any folder. Case counts. Matching takes at most time in proportion to the lengths of pattern
 * and path, multiplied: no regular expression backtracks.
 */
export function readGlob(pattern: string): Result<Glob, Refusal> {
  const trimmed = pattern.replace(/^(?:\.?\/)+/, "");
  if (trimmed === "" || trimmed.length > unitsMax) return err(wrong(`1 to ${unitsMax} characters`));
  const expanded = expandBraces(trimmed);
  if (expanded === null) return err(wrong(`at most ${alternativesMax} alternatives in braces`));
  const patterns = expanded.map((each) => {
    const names = (each.endsWith("/") ? `${each}**/*` : each).split("/");
    return names.length === 1 && names[0] !== "**" ? ["**", ...names] : names;
  });
  return ok((path) => {
    const names = path.split("/");
    return patterns.some((each) => pathMatches(each, names));
  });
}

function wrong(expected: string): Refusal {
  return refusal("INVALID_PARAMS", { path: "glob", expected });
}

/** Returns every pattern that the braces mean; null for too many. An unclosed brace is a character. */
function expandBraces(pattern: string): readonly string[] | null {
  const done: string[] = [];
  const waiting = [pattern];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inner = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (inner === null) done.push(next);
    else {
      const [whole, choices = ""] = inner;
      const [before, after] = [next.slice(0, inner.index), next.slice(inner.index + whole.length)];
      waiting.push(...choices.split(",").map((choice) => `${before}${choice}${after}`));
    }
    if (done.length + waiting.length > alternativesMax) return null;
  }
  return done;
}

/** Compares name by name; `reached[n]` says whether the patterns so far match the first n names. */
function pathMatches(patterns: readonly string[], names: readonly string[]): boolean {
  let reached = names.map(() => false);
  reached = [true, ...reached];
  for (const pattern of patterns) {
    const next = reached.map(() => false);
    for (const [index, isReached] of reached.entries()) {
      if (pattern === "**") next[index] = isReached || (index > 0 && next[index - 1] === true);
      else if (index > 0 && reached[index - 1] === true) next[index] = nameMatches(pattern, names[index - 1] ?? "");
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

/** Compares one name; on a mismatch only the last `*` takes one character more. */
function nameMatches(pattern: string, name: string): boolean {
  let [at, in_] = [0, 0];
  let star: { readonly at: number; taken: number } | null = null;
  while (in_ < name.length) {
    const step = at < pattern.length ? stepAt(pattern, at, name.charAt(in_)) : null;
    if (pattern.charAt(at) === "*") {
      star = { at, taken: in_ };
      at += 1;
    } else if (step !== null) {
      at = step;
      in_ += 1;
    } else if (star !== null) {
      star.taken += 1;
      [at, in_] = [star.at + 1, star.taken];
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}

/** Returns where the pattern continues after one character; null when it does not match. */
function stepAt(pattern: string, at: number, sign: string): number | null {
  const own = pattern.charAt(at);
  if (own === "?") return at + 1;
  const end = own === "[" ? pattern.indexOf("]", at + 2) : -1;
  if (end === -1) return own === sign && own !== "*" ? at + 1 : null;
  const isNegated = /[!^]/.test(pattern.charAt(at + 1));
  const set = pattern.slice(at + (isNegated ? 2 : 1), end);
  return setHas(set, sign) === isNegated ? null : end + 1;
}

function setHas(set: string, sign: string): boolean {
  for (let at = 0; at < set.length; at += 1) {
    const isRange = set.charAt(at + 1) === "-" && at + 2 < set.length;
    if (isRange ? set.charAt(at) <= sign && sign <= set.charAt(at + 2) : set.charAt(at) === sign) return true;
    if (isRange) at += 2;
  }
  return false;
}
