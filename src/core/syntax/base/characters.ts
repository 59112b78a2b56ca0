import type { CharacterClass } from "./grammar.ts";

const classes: Record<CharacterClass, { readonly first: RegExp; readonly rest: RegExp }> = {
  name: { first: /[A-Za-z0-9_]/, rest: /[A-Za-z0-9_.-]/ },
  word: { first: /[A-Za-z0-9_]/, rest: /[A-Za-z0-9_]/ },
  key: { first: /[A-Za-z0-9_$]/, rest: /[A-Za-z0-9_$.-]/ },
  caret: { first: /\^/, rest: /\^/ },
  dash: { first: /-/, rest: /-/ },
  blank: { first: /[ \t]/, rest: /[ \t]/ },
  digit: { first: /[0-9]/, rest: /[0-9]/ },
  id: { first: /[A-Za-z0-9_]/, rest: /[A-Za-z0-9_.:-]/ },
};

const bitOf = Object.fromEntries(Object.keys(classes).map((name, index) => [name, 1 << index])) as Record<
  CharacterClass,
  number
>;

const [firstBits, restBits] = [true, false].map((first) => {
  const bits = new Uint8Array(128);
  for (const [name, { first: opening, rest }] of Object.entries(classes)) {
    for (let code = 0; code < 128; code += 1) {
      if ((first ? opening : rest).test(String.fromCharCode(code))) {
        bits[code] = (bits[code] ?? 0) | bitOf[name as CharacterClass];
      }
    }
  }
  return bits;
}) as [Uint8Array, Uint8Array];

/** Whether a character belongs to a class, as the first of a run or a later one. */
export function isIn(name: CharacterClass, code: number, first: boolean): boolean {
  return code < 128 && (((first ? firstBits : restBits)[code] ?? 0) & bitOf[name]) !== 0;
}

/** Returns where a run of a class that begins at `from` ends. */
export function runEnd(name: CharacterClass, input: string, from: number, max: number): number {
  const bit = bitOf[name];
  const limit = Math.min(input.length, max);
  let bits = firstBits;
  let at = from;
  for (; at < limit; at += 1) {
    const code = input.charCodeAt(at);
    if (code >= 128 || ((bits[code] ?? 0) & bit) === 0) return at;
    bits = restBits;
  }
  return at;
}

/** Whether a whole text continues a run. */
export function continuesRun(name: CharacterClass, text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (!isIn(name, text.charCodeAt(at), false)) return false;
  return true;
}

/** Whether a whole text is of a class and within its length limit. */
export function isRunOf(name: CharacterClass, text: string, max: number): boolean {
  return text !== "" && text.length <= max && runEnd(name, text, 0, text.length) === text.length;
}

/** Returns where white space (line ends included) from `from` on ends, at most `most`. */
export function spaceEnd(input: string, from: number, most = input.length): number {
  const end = Math.min(most, input.length);
  let at = from;
  while (at < end && isSpace(input.charCodeAt(at))) at += 1;
  return at;
}

/** Returns where blanks and tabs from `from` on end, at most `most`. */
export function blanksEnd(input: string, from: number, most = input.length): number {
  const end = Math.min(most, input.length);
  let at = from;
  while (at < end && isBlank(input.charCodeAt(at))) at += 1;
  return at;
}

/** Whether a character is ASCII white space. */
export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Whether a character is a blank or a tab. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Whether a code unit is a high surrogate. */
export function isHighHalf(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}

/** Whether a code unit is a surrogate. */
export function isHalf(code: number): boolean {
  return (code & 0xf800) === 0xd800;
}
