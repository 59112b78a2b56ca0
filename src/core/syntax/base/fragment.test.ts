import { expect, test } from "vitest";
import { mergeFragments, type FragmentBody } from "./fragment.ts";

const kinds: readonly FragmentBody[] = [
  { type: "text", text: "a" },
  { type: "reasoning", text: "a" },
  { type: "markup" },
  { type: "dropped" },
  { type: "parameter", call: 0, name: "path", text: "a" },
];
/** Never joined: each says something of its own. */
const alone: readonly FragmentBody[] = [
  { type: "call-start", call: 0, name: "look" },
  { type: "parameter-start", call: 0, name: "path" },
  { type: "parameter-end", call: 0, name: "path" },
];
const all = [...kinds, ...alone];
const pairs = all.flatMap((first) => all.map((second) => [first, second] as const));

test.each(pairs)("%j and then %j are one fragment only where they are pieces of one", (first, second) => {
  const [a, b] = [
    { ...first, start: 0, end: 1 },
    { ...second, start: 1, end: 2 },
  ];
  const merged = mergeFragments([a, b]);
  if (first !== second || alone.includes(first)) expect(merged).toEqual([a, b]);
  else expect(merged).toEqual([{ ...a, ...("text" in first ? { text: "aa" } : {}), end: 2 }]);
});

test("pieces of another call's or another name's value are not joined", () => {
  const piece = { type: "parameter", call: 0, name: "path", text: "a", start: 0, end: 1 } as const;
  const others = [
    { ...piece, call: 1 },
    { ...piece, name: "text" },
  ];
  for (const other of others) expect(mergeFragments([piece, other])).toEqual([piece, other]);
});
