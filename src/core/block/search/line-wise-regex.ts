/**
 * Rewrites a regular expression so that it finds in a whole text what the pattern finds in each of its lines: no match
 * contains a `\n`. Compile it with the flag `m` for texts whose only line terminator is `\n`. Returns null for a pattern
 * that may leave its line; such a pattern is tried on each line separately.
 */
export function lineWisePattern(pattern: string, unicode: boolean): string | null {
  let rewritten = "";
  for (let at = 0; at < pattern.length;) {
    const atom = atomAt(pattern, at, unicode);
    if (atom === null) return null;
    rewritten += atom.text;
    at = atom.end;
  }
  return rewritten;
}

interface Atom {
  readonly text: string;
  readonly end: number;
}

/** A lookahead that fails at the end of a line. */
function atomAt(pattern: string, at: number, unicode: boolean): Atom | null {
  const char = pattern.charAt(at);
  if (char === "\n") return null;
  if (char === "\\") return escapeAt(pattern, at, unicode);
  if (char === "[") return classAt(pattern, at);
  // A group that sets its own flags may let the dot match a line end.
  if (char === "(" && /^\(\?[a-z-]/.test(pattern.slice(at, at + 3))) return null;
  return { text: char, end: at + 1 };
}

function escapeAt(pattern: string, at: number, unicode: boolean): Atom | null {
  const letter = pattern.charAt(at + 1);
  switch (letter) {
    case "s":
      return { text: "[^\\S\\n]", end: at + 2 };
    case "D":
      return { text: "[^\\d\\n]", end: at + 2 };
    case "W":
      return { text: "(?:(?!\\n)\\W)", end: at + 2 };
    case "p":
    case "P": {
      // Without the flag `u` these are ordinary letters.
      const name = unicode ? /^\{[^}]*\}/.exec(pattern.slice(at + 2)) : null;
      const end = at + 2 + (name?.[0].length ?? 0);
      return { text: name === null ? `\\${letter}` : `(?:(?!\\n)${pattern.slice(at, end)})`, end };
    }
    case "x":
    case "u":
      return denotesNewline(pattern.slice(at)) ? null : { text: `\\${letter}`, end: at + 2 };
    case "n":
    case "\n":
    case "c":
    case "0":
      return null;
    default:
      // Two digits may be an octal number.
      return /^\d\d/.test(pattern.slice(at + 1, at + 3)) ? null : { text: pattern.slice(at, at + 2), end: at + 2 };
  }
}

function denotesNewline(escape: string): boolean {
  return /^\\(?:x0a|u000a|u\{0*a\})/i.test(escape);
}

/** A class of printable characters, word characters and digits. */
const printable = /^\[(?:[A-Za-z0-9_ .,;:'"/<>=+*?!@#$%&|(){}-]|\\[wd\][\\^.*+?()/-])*\]$/;

/** Copies a class, adding a lookahead when it could match a line end. */
function classAt(pattern: string, at: number): Atom {
  let end = at + 1;
  while (end < pattern.length && pattern.charAt(end) !== "]") end += pattern.charAt(end) === "\\" ? 2 : 1;
  end = Math.min(end + 1, pattern.length);
  const whole = pattern.slice(at, end);
  // Inserted at the start, where a following dash would make it a range.
  if (whole.startsWith("[^") && whole.charAt(2) !== "-") return { text: `[^\\n${whole.slice(2)}`, end };
  return { text: printable.test(whole) ? whole : `(?:(?!\\n)${whole})`, end };
}
