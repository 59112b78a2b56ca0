/** About 1.3 KB of source, as an agent writes it into a file. */
const file = Array.from(
  { length: 16 },
  (_, line) => `  const value${line} = compute(input, { deep: true }); // a remark that goes on for a while\n`,
).join("");

const prose = "The quick brown fox jumps over a lazy dog, and so on it goes until the line ends here.\n";

/** Writes one call with a file of this text in a syntax. */
export type WriteCall = (path: string, text: string) => string;

/** A reply of a given size: prose and calls with a file each, alternating. */
export function replyOf(units: number, write: WriteCall, content = file): string {
  const parts: string[] = [];
  for (let length = 0, n = 0; length < units; n += 1) {
    const part = `${prose.repeat(3)}${write(`src/part${n}.ts`, content)}\n`;
    parts.push(part);
    length += part.length;
  }
  return parts.join("").slice(0, units);
}

/** One call whose file has a given size. */
export function oneCall(units: number, write: WriteCall): string {
  return write("src/one.ts", file.repeat(Math.ceil(units / file.length)).slice(0, units));
}

/** Cuts a text into pieces of a given number of units. */
export function piecesOf(text: string, units: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / units) }, (_, n) => text.slice(n * units, (n + 1) * units));
}

/** The minimum work of anything that looks at every piece. */
export function indexOfEach(pieces: readonly string[]): number {
  let sum = 0;
  for (const piece of pieces) sum += piece.indexOf("<");
  return sum;
}
