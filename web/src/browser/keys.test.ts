import { expect, test } from "vitest";
import { commandIds, keyTable, shownKeys, type Stroke, strokeIs } from "./keys.ts";

function stroke(key: string, more: Partial<Stroke> = {}): Stroke {
  return { key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more };
}

test("strokeIs reads Mod as the command key on a Mac and Control elsewhere", () => {
  expect(strokeIs("Mod+K", stroke("k", { metaKey: true }), true)).toBe(true);
  expect(strokeIs("Mod+K", stroke("k", { ctrlKey: true }), true)).toBe(false);
  expect(strokeIs("Mod+K", stroke("k", { ctrlKey: true }), false)).toBe(true);
  expect(strokeIs("Mod+K", stroke("k"), false)).toBe(false);
});

test("strokeIs recognizes Option chords on a Mac by the physical key", () => {
  expect(strokeIs("Alt+Shift+N", stroke("˜", { code: "KeyN", altKey: true, shiftKey: true }), true)).toBe(true);
});

test("strokeIs matches a character whether or not it needs Shift", () => {
  expect(strokeIs("?", stroke("?", { shiftKey: true }), false)).toBe(true);
  expect(strokeIs("?", stroke("?"), false)).toBe(true);
  expect(strokeIs("g", stroke("G", { shiftKey: true }), false)).toBe(false);
  expect(strokeIs("Shift+G", stroke("G", { shiftKey: true }), false)).toBe(true);
});

test("no two commands of one scope share a key", () => {
  const taken = commandIds
    .filter((id) => keyTable[id].keys !== null)
    .map((id) => `${keyTable[id].scope} ${keyTable[id].keys}`);
  expect(new Set(taken).size).toBe(taken.length);
});

test("shownKeys writes keys in the style of each system", () => {
  expect(shownKeys("Mod+Shift+Z", true)).toBe("⌘⇧Z");
  expect(shownKeys("Mod+Shift+Z", false)).toBe("Ctrl+Shift+Z");
  expect(shownKeys("Alt+ArrowUp", false)).toBe("Alt+↑");
});
