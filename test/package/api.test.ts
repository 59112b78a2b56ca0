import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { repository } from "../../scripts/command.ts";
import { gzippedBytes } from "./bundle-size.ts";
import { packagesNamed, publicSurface } from "./declarations.ts";

type Entry = { readonly types: string; readonly default: string };
const manifest: {
  readonly exports: Readonly<Record<string, Entry | string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const entries = Object.entries(manifest.exports)
  .filter((each): each is [string, Entry] => typeof each[1] !== "string")
  .map(([subpath, entry]) => ({ ...entry, name: subpath === "." ? "heddle" : subpath.slice(2) }));
const pure = ["text", "block", "message", "forest", "model", "syntax", "turn"];

describe.each(entries)("the entry $name", ({ name, types, default: code }) => {
  const surface = publicSurface(join(repository, types));

  // Changing this changes the interface for every importer: add it to the changelog, then run `vitest run test/package
  // -u`.
  test("exports the recorded names", async () => {
    const text = surface.map((each) => `## ${each.name}\n${each.declaration}\n`).join("\n");
    await expect(text).toMatchFileSnapshot(`./api/${name}.txt`);
  });

  test("exports at run time what its declarations promise", async () => {
    // The testing entry imports vitest, which refuses to run outside a test; this is one.
    const loaded: object = await import(pathToFileURL(join(repository, code)).href);
    const values = surface.filter(({ declaration }) => /^export declare (?:function|const|class)/.test(declaration));
    expect(Object.keys(loaded).toSorted()).toEqual(values.map((each) => each.name));
  });

  test("documents every name", () => {
    expect(surface.filter(({ comment }) => comment === "").map((each) => each.name)).toEqual([]);
  });

  test("has a page with all of its names and no others, and an example file", async () => {
    const path = join(repository, "docs/library", `${name}.md`);
    const page = readFileSync(path, "utf8");
    const rows = [...page.matchAll(/^\| (`[^|]*) \|/gm)].map((row) => row[1] ?? "").join(" ");
    const named = [...rows.matchAll(/`(\w+)[^`]*`/g)].map((match) => match[1] ?? "");
    expect(named.toSorted()).toEqual(surface.map((each) => each.name).toSorted());

    const example = /^\[examples\/([^\]]+)\]/m.exec(page)?.[1] ?? "";
    const code = readFileSync(join(repository, "examples", example), "utf8");
    // `vitest run test/package -u` updates the page from the file.
    await expect(page.replace(/```ts\n[\s\S]*?```/, () => `\`\`\`ts\n${code}\`\`\``)).toMatchFileSnapshot(path);
    const imports = [...code.matchAll(/ from "(heddle[^"]*)"/g)].map((match) => match[1]);
    expect(imports).toContain(name === "heddle" ? name : `heddle/${name}`);
  });

  test("uses in its types only packages installed with Heddle", () => {
    const known = Object.keys({ ...manifest.dependencies, ...(name === "testing" ? manifest.peerDependencies : {}) });
    expect(packagesNamed(join(repository, types)).filter((each) => !known.includes(each))).toEqual([]);
  });
});

test("at most 123 names are public, at most 81 of them pure", () => {
  const counts = new Map(entries.map(({ name, types }) => [name, publicSurface(join(repository, types)).length]));
  const sumOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  expect(sumOf(pure)).toBeLessThanOrEqual(81);
  expect(sumOf([...counts.keys()])).toBeLessThanOrEqual(123);
});

test("no name is public in two entries", () => {
  const names = entries.flatMap(({ types }) => publicSurface(join(repository, types)).map(({ name }) => name));
  expect(names.toSorted().filter((name, index, sorted) => name === sorted[index + 1])).toEqual([]);
});

// A little above the current sizes; docs/library has the figures.
test.each([
  ["text", 26],
  ["client", 54],
])("an app that uses all of heddle/%s loads at most %d kB for it, minified and gzipped", async (name, kilobytes) => {
  const entry = entries.find((each) => each.name === name);
  const bytes = await gzippedBytes(join(repository, entry?.default ?? ""));
  expect(bytes).toBeLessThanOrEqual(kilobytes * 1000);
  expect(bytes, "lower the budget").toBeGreaterThan(kilobytes * 850);
  expect(readFileSync(join(repository, "docs/library", `${name}.md`), "utf8")).toContain(`${kilobytes} kB`);
});
