import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { PrefixFold, PrefixMemory } from "./prefix-fold.ts";

interface Item {
  readonly name: string;
}

/** A fold that joins names, and the items that it read. */
function joining(): { readonly fold: PrefixFold<Item, string>; readonly read: string[] } {
  const read: string[] = [];
  const fold = new PrefixFold<Item, string>("", (value, rest, at) => {
    expect(at).toBe(value.length);
    read.push(...rest.map(({ name }) => name));
    return value + rest.map(({ name }) => name).join("");
  });
  return { fold, read };
}

const item = (name: string): Item => ({ name });

test("a list that goes on from one that was folded is read from there", () => {
  const { fold, read } = joining();
  const [a, b, c, d] = [item("a"), item("b"), item("c"), item("d")];
  expect(fold.of([a, b])).toBe("ab");
  expect(fold.of([a, b, c, d])).toBe("abcd");
  expect(fold.of([a, b, c, d])).toBe("abcd");
  expect(read.join("")).toBe("abcd");
});

test("a longer list takes the place of its beginning in memory", () => {
  const memory = new PrefixMemory<Item, string>();
  const [a, b, c] = [item("a"), item("b"), item("c")];
  memory.keep([a, b], "ab", null);
  memory.keep([a, b, c], "abc", memory.reached([a, b, c]));
  expect(memory.reached([a, b])).toBeNull();
  expect(memory.reached([a, b, c])).toEqual({ count: 3, value: "abc" });
});

test("an item that was replaced above the end has the list read again", () => {
  const { fold } = joining();
  const [a, b, c] = [item("a"), item("b"), item("c")];
  expect(fold.of([a, b, c])).toBe("abc");
  expect(fold.of([item("x"), b, c])).toBe("xbc");
  expect(fold.of([b, c])).toBe("bc");
  expect(fold.of([])).toBe("");
});

test("any order of lists, branches and repetitions among them, is folded as by itself", () => {
  const items = Array.from("abcde", item);
  const list = fc.array(fc.constantFrom(...items), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
      const { fold } = joining();
      for (const each of lists) expect(fold.of(each)).toBe(each.map(({ name }) => name).join(""));
    }),
    { numRuns: scaled(300) },
  );
});

test("a long list is folded step by step, and then read no more", () => {
  const read: number[] = [];
  const fold = new PrefixFold<Item, number>(0, (value, rest) => {
    read.push(rest.length);
    return value + rest.length;
  });
  const items = Array.from({ length: 10_000 }, (_, index) => item(`${index}`));
  expect([...fold.steps(items)]).toHaveLength(2);
  expect(fold.of(items)).toBe(10_000);
  expect([...fold.steps([...items, item("more")])]).toEqual([]);
  expect([...fold.steps(items.slice(0, 4_000))]).toEqual([]);
  expect(read).toEqual([4_000, 4_000, 2_000]);
});
