import { expect, test } from "vitest";
import { highlighted } from "./highlight.ts";
import { languageNamed, languageOfFile, languages, loadParser } from "./languages.ts";

async function marked(text: string, language: string): Promise<readonly (readonly [string, string])[]> {
  const parts = (await highlighted(text, language)) ?? [];
  return parts.map(({ from, to, className }) => [text.slice(from, to), className]);
}

test("17.16 code is highlighted by its grammar; an unknown language stays plain and none is guessed", async () => {
  expect(await marked('const a = "<b>"; // no', "ts")).toEqual([
    ["const", "tok-keyword"],
    ['"<b>"', "tok-string"],
    ["// no", "tok-comment"],
  ]);
  expect(await marked("echo $HOME # hi", "bash")).toContainEqual(["# hi", "tok-comment"]);
  expect(await highlighted("let it be", "")).toBeNull();
  expect(await highlighted("let it be", "klingon")).toBeNull();
  expect(await highlighted("a".repeat(200_001), "js")).toBeNull();
});

test("17.5 a file's name decides its language", () => {
  expect(languageOfFile("src/a.test.ts")?.name).toBe("TypeScript");
  expect(languageOfFile("images/Dockerfile")?.name).toBe("Dockerfile");
  expect(languageOfFile("notes")).toBeNull();
  expect(languageNamed(" PY ")?.name).toBe("Python");
});

test("17.16 every language of the table has a grammar, and no name belongs to two", async () => {
  for (const language of languages) expect(await loadParser(language), language.name).not.toBeNull();
  const names = languages.flatMap((language) => language.names);
  expect(new Set(names).size).toBe(names.length);
});
