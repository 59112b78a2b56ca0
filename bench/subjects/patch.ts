import { must } from "../../src/core/base/assert.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";

/** A text of prose-like lines, and the same text with scattered edits. */
export interface EditedText {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Lines and edits as paired in the specification; an edit replaces, adds or removes one to three lines. */
export function editedTexts(): readonly EditedText[] {
  const sizes = [
    { lines: 1_000, edits: 20 },
    { lines: 10_000, edits: 200 },
    { lines: 100_000, edits: 10 },
    { lines: 100_000, edits: 2_000 },
  ];
  return sizes.map(({ lines, edits }, index) => {
    const random = seededRandom(index + 1);
    const before = Array.from({ length: lines }, () => proseLine(random));
    const after = [...before];
    // From the end, so that places stay separate.
    for (let edit = edits - 1; edit >= 0; edit -= 1) {
      const at = Math.floor(((edit + 0.5) * lines) / edits);
      const fresh = Array.from({ length: random.below(4) }, () => proseLine(random));
      after.splice(at, fresh.length === 0 ? 1 : random.below(4), ...fresh);
    }
    return { name: `${lines} lines, ${edits} edits`, before: textOf(before), after: textOf(after) };
  });
}

/** Pairs of 40,000 lines with little in common for a diff to use. */
export function hostilePairs(): readonly EditedText[] {
  const count = 40_000;
  const random = seededRandom(40);
  const drawn = (kinds: number, prefix = ""): string[] =>
    Array.from({ length: count }, () => `${prefix}${random.below(kinds)}`);
  const ascending = Array.from({ length: count }, (_, index) => `line ${index}`);
  const pair = (name: string, before: readonly string[], after: readonly string[]): EditedText => {
    return { name: `40,000 lines ${name}`, before: textOf(before), after: textOf(after) };
  };
  return [
    pair("all different", drawn(1e9, "old "), drawn(1e9, "new ")),
    pair("drawn from 80,000", drawn(80_000), drawn(80_000)),
    pair("drawn from 1,000", drawn(1_000), drawn(1_000)),
    pair("drawn from 20", drawn(20), drawn(20)),
    pair("drawn from 2", drawn(2), drawn(2)),
    pair("reversed", ascending, ascending.toReversed()),
    pair("shuffled", ascending, shuffled(ascending, random)),
    pair(
      "one line over and over, half as often",
      ascending.map(() => "same"),
      ascending.slice(count / 2).map(() => "same"),
    ),
    pair(
      "interleaved with others",
      ascending,
      ascending.map((line, index) => (index % 2 === 0 ? line : `other ${index}`)),
    ),
    pair("every second moved to the end", ascending, [
      ...ascending.filter((_, index) => index % 2 === 0),
      ...ascending.filter((_, index) => index % 2 === 1),
    ]),
    pair("halves swapped", ascending, [...ascending.slice(count / 2), ...ascending.slice(0, count / 2)]),
    pair(
      "one line among different ones, another in the other text",
      ascending.map((line, index) => (index % 2 === 0 ? "same" : line)),
      ascending.map((line, index) => (index % 3 === 0 ? "same" : `other ${line}`)),
    ),
  ];
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function shuffled(lines: readonly string[], random: SeededRandom): readonly string[] {
  const all = [...lines];
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const line = must(all[last], "the index is within the list");
    all[last] = must(all[other], "the index is within the list");
    all[other] = line;
  }
  return all;
}

const words = "the a kettle is on table and tea hot while rain falls over hills far away from any town".split(" ");

function proseLine(random: SeededRandom): string {
  if (random.oneIn(6)) return "";
  const count = 3 + random.below(9);
  const said = Array.from({ length: count }, () => must(words[random.below(words.length)], "a word"));
  return `${"  ".repeat(random.below(3))}${said.join(" ")} ${random.below(100_000)}.`;
}
