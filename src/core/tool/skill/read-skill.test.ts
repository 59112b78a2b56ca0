import { expect, test } from "vitest";
import { readSkill } from "./read-skill.ts";

test.each<[string, string, unknown]>([
  [
    "plain values",
    "---\nname: release\ndescription: How we release.\n---\n# Release\n\nTag it.\n",
    { name: "release", description: "How we release.", body: "# Release\n\nTag it." },
  ],
  [
    "quotes and CRLF",
    "---\r\nname: \"a-1\"\r\ndescription: 'It''s so'\r\n---\r\nx",
    { name: "a-1", description: "It's so", body: "x" },
  ],
  [
    "a folded value and other keys",
    "---\nname: a\nlicense: MIT\ndescription: >\n  One\n  two.\nmetadata:\n  name: other\n---\n",
    { name: "a", description: "One two.", body: "" },
  ],
  [
    "a value up to a line that is none",
    "---\nname: a\ndescription: One\n- two\n  three\n---\n",
    { name: "a", description: "One", body: "" },
  ],
])("14.13 readSkill reads %s", (_name, text, skill) => {
  expect(readSkill(text)).toEqual({ ok: true, value: skill });
});

test.each([
  ["", "head"],
  ["# No head\n", "head"],
  ["---\nname: a\ndescription: b\n", "head"],
  ["---\nname: ../evil\ndescription: b\n---\n", "name"],
  ["---\nname: A b\ndescription: b\n---\n", "name"],
  ["---\nname: a\n---\n", "description"],
  ["---\nname: &a a\ndescription: *a\n---\n", "name"],
])("14.13 readSkill refuses %j", (text, reason) => {
  const read = readSkill(text);
  expect(read.ok ? "" : read.error).toContain(reason);
});
