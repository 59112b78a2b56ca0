import { aligned } from "../../scripts/aligned.ts";
import { must } from "../../src/core/base/assert.ts";
import { planPatch } from "../../src/core/block/patch/apply.ts";
import { applyChanges } from "../../src/core/block/change/text-change.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { hunksOf, mapHeaders, shiftHeaders, type Edit } from "./edits.ts";

/** A kind of mistake in a model's patch. */
interface Mutation {
  readonly name: string;
  /** Of `tried` patches the specification's strict rules accept `accepted`; this rate is the minimum. */
  readonly proposed: { readonly tried: number; readonly accepted: number };
  /** Whether more may be accepted, if correctly. A patch whose old lines are not in the text must not be. */
  readonly mayAcceptMore: boolean;
  /** Returns the spoiled patch; undefined if it cannot be spoiled in this way. */
  readonly mutate: (edit: Edit, random: SeededRandom) => string | undefined;
  /** The text that the patch meets, if it is not the one before the edit. */
  readonly on?: (edit: Edit) => string;
  /** The result of an accepted patch, if it differs from the edit's. */
  readonly right?: (edit: Edit) => string;
}

/** A fence around a patch shows that the patch is whole. */
function fenced(patch: string): string {
  return `\`\`\`diff\n${patch}\`\`\`\n`;
}

const every = { tried: 200, accepted: 200 } as const;
const none = { tried: 200, accepted: 0 } as const;

const mutations: readonly Mutation[] = [
  { name: "none", proposed: every, mayAcceptMore: true, mutate: ({ patch }) => patch },
  {
    name: "all line numbers shifted by 1 to 40",
    proposed: { tried: 200, accepted: 198 },
    mayAcceptMore: true,
    mutate: ({ patch }, random) => {
      const shift = (1 + random.below(40)) * random.pick([1, -1]);
      return shiftHeaders(patch, shift);
    },
  },
  {
    name: "every header at line 1",
    proposed: { tried: 200, accepted: 194 },
    mayAcceptMore: true,
    mutate: ({ patch }) => mapHeaders(patch, ({ oldCount, freshCount }) => `@@ -1${oldCount} +1${freshCount} @@`),
  },
  {
    name: "wrong counts, in a fence",
    proposed: every,
    mayAcceptMore: true,
    mutate: ({ patch }, random) =>
      fenced(mapHeaders(patch, ({ old, fresh }) => `@@ -${old},${random.below(40)} +${fresh},${random.below(40)} @@`)),
  },
  {
    name: "cut in the midst of its last hunk",
    proposed: none,
    mayAcceptMore: false,
    mutate: ({ patch }, random) => {
      const last = hunksOf(patch).at(-1) ?? "";
      const [header = "", ...body] = last.split("\n").slice(0, -1);
      const kept = 1 + random.below(Math.max(1, body.length - 1));
      const isWhole = body.slice(kept).every((line) => line.startsWith("\\"));
      return isWhole ? undefined : `${patch.slice(0, -last.length)}${[header, ...body.slice(0, kept)].join("\n")}\n`;
    },
  },
  {
    name: "a header without its second @@",
    proposed: every,
    mayAcceptMore: true,
    mutate: ({ patch }) => patch.replaceAll(/^(@@ -[\d,]+ \+[\d,]+) @@.*$/gm, "$1"),
  },
  {
    name: "prose after its fence",
    proposed: every,
    mayAcceptMore: true,
    mutate: ({ patch }) => `${fenced(patch)}\nThis changes what was asked.\n- and no more\n`,
  },
  {
    name: "bare headers",
    proposed: { tried: 200, accepted: 196 },
    mayAcceptMore: true,
    mutate: ({ patch }) => mapHeaders(patch, () => "@@ ... @@"),
  },
  {
    name: "blank context lines without their space",
    proposed: every,
    mayAcceptMore: true,
    mutate: ({ patch }) => unlessSame(patch, patch.replaceAll(/^ $/gm, "")),
  },
  { name: "no final newline", proposed: every, mayAcceptMore: true, mutate: ({ patch }) => patch.slice(0, -1) },
  {
    name: "trailing context dropped, in a fence",
    proposed: every,
    mayAcceptMore: true,
    mutate: ({ patch }) => {
      const cut = hunksOf(patch).map((hunk) =>
        hunk.replace(/(?:^ .*\n(?:\\ .*\n)?)+$/, "").replace(/(?:\n .*)+\n$/, "\n"),
      );
      // A hunk with only new lines has no place.
      return cut.every((hunk) => /^[- ]/m.test(hunk)) ? unlessSame(patch, fenced(cut.join(""))) : undefined;
    },
  },
  {
    name: "a word of the context changed",
    proposed: none,
    mayAcceptMore: false,
    mutate: (edit, random) => changeContext(edit, random, (line) => line.replace(/\w+(?=\W*$)|$/, "otherwise")),
  },
  {
    name: "an indent of the context changed",
    proposed: none,
    mayAcceptMore: false,
    mutate: (edit, random) => changeContext(edit, random, (line) => ` ${line}`),
  },
  {
    name: "a blank at the end of the context",
    proposed: none,
    mayAcceptMore: false,
    mutate: (edit, random) => changeContext(edit, random, (line) => `${line} `),
  },
  {
    name: "a context line without its space",
    proposed: none,
    mayAcceptMore: false,
    // Without its space, a line that begins with a mark is another line of a patch, not a mistake.
    mutate: (edit, random) => changeContext(edit, random, (line) => line.slice(1), /^ [^\s+@\\`-]/),
  },
  {
    name: "first hunk repeated",
    proposed: none,
    mayAcceptMore: false,
    mutate: ({ patch }) => (hunksOf(patch)[0] ?? "") + patch,
  },
  {
    name: "sent again to the text it made",
    proposed: none,
    mayAcceptMore: false,
    // What a patch deletes may be there once more; what it adds must not come twice.
    mutate: ({ patch }) => (hunksOf(patch).every((hunk) => /^\+.*\S/m.test(hunk)) ? patch : undefined),
    on: ({ after }) => after,
  },
  {
    name: "first two hunks swapped",
    proposed: every,
    mayAcceptMore: true,
    mutate: ({ patch }) => {
      const [first, second, ...rest] = hunksOf(patch);
      return second === undefined ? undefined : [second, first, ...rest].join("");
    },
  },
  {
    name: "marker of a missing newline dropped",
    proposed: { tried: 15, accepted: 0 },
    mayAcceptMore: true,
    mutate: ({ patch }) => (patch.includes("\r") ? undefined : unlessSame(patch, patch.replaceAll(/^\\ .*\n/gm, ""))),
    // Its absence is tolerated: the end of the text stays unchanged.
    right: ({ before, after }) => {
      const lines = after.replace(/\n$/, "");
      return before !== "" && !before.endsWith("\n") ? lines : `${lines}\n`;
    },
  },
  {
    name: "CRLF patch on LF file",
    proposed: every,
    mayAcceptMore: true,
    mutate: ({ before, patch }) =>
      before.includes("\r") || patch.includes("\r") ? undefined : patch.replaceAll("\n", "\r\n"),
  },
];

export interface MutationRow {
  readonly name: string;
  readonly tried: number;
  readonly accepted: number;
  readonly wrong: number;
  readonly proposed: Mutation["proposed"];
  /** None is wrong, and as many are accepted as proposed, or none if none may be. */
  readonly holds: boolean;
  /** The first wrongly accepted patch. */
  readonly example: string | undefined;
}

/** Spoils patches in every way, `mutants` in all, and counts correct and wrong acceptances. */
export function mutationTable(edits: readonly Edit[], mutants: number, seed: number): readonly MutationRow[] {
  return mutations.map((mutation, index) => {
    const random = seededRandom(seed + index);
    const wanted = Math.ceil(mutants / mutations.length);
    let [tried, accepted, wrong] = [0, 0, 0];
    let example: string | undefined;
    // Rare kinds are repeated: the mutants of one edit differ by the random draw.
    for (let at = 0; tried < wanted && at < wanted * 50; at += 1) {
      const edit = must(edits[(at + random.below(2)) % edits.length], "the index is within the list");
      const mutant = mutation.mutate(edit, random);
      if (mutant === undefined) continue;
      tried += 1;
      const text = mutation.on?.(edit) ?? edit.before;
      const plan = planPatch(text, mutant);
      if (!plan.ok) continue;
      accepted += 1;
      const right = mutation.right?.(edit) ?? edit.after;
      if (applyChanges(text, plan.value.changes) === right) continue;
      wrong += 1;
      example ??= `${mutant}\n--- on:\n${text}`;
    }
    const { name, proposed, mayAcceptMore } = mutation;
    const rate = accepted / tried;
    const least = proposed.accepted / proposed.tried;
    return {
      name,
      tried,
      accepted,
      wrong,
      proposed,
      holds: wrong === 0 && rate >= least && (mayAcceptMore || rate <= least),
      example,
    };
  });
}

/** Formats the rows with the specification's figures. */
export function mutationText(rows: readonly MutationRow[]): string {
  const cells = rows.map(({ name, tried, accepted, wrong, proposed, holds }) => [
    name,
    String(tried),
    `${accepted}/${wrong}`,
    `${((accepted * 100) / tried).toFixed(1)} %`,
    `${((proposed.accepted * 100) / proposed.tried).toFixed(1)} %`,
    holds ? "yes" : "NO",
  ]);
  return aligned([["mutation", "tried", "accepted/wrong", "rate", "proposed", "holds"], ...cells]);
}

function unlessSame(patch: string, mutant: string): string | undefined {
  return mutant === patch ? undefined : mutant;
}

/** Changes one context line that is not blank; undefined if the line already has the new text. */
function changeContext(
  { patch }: Edit,
  random: SeededRandom,
  change: (line: string) => string,
  which = /^ .*\S/,
): string | undefined {
  const lines = patch.split("\n");
  const places = lines.flatMap((line, index) => (which.test(line) ? [index] : []));
  const place = places[random.below(Math.max(1, places.length))];
  if (place === undefined) return undefined;
  return unlessSame(patch, lines.with(place, change(must(lines[place], "the place is a line"))).join("\n"));
}
