import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { repository } from "../../scripts/command.ts";
import { publicSurface } from "./declarations.ts";

type Entry = { readonly types: string; readonly default: string };
const manifest: { exports: Record<string, Entry | string> } = JSON.parse(
  readFileSync(join(repository, "package.json"), "utf8"),
);
const entries = Object.entries(manifest.exports).filter((each): each is [string, Entry] => typeof each[1] !== "string");

describe.each(entries)("heddle %s", (subpath, entry) => {
  const surface = publicSurface(join(repository, entry.types));

  // A change here is a change for everyone who imports it: say it in the changelog, then `vitest run test/package -u`.
  test("exports what it did", async () => {
    const text = surface.map(({ name, declaration }) => `## ${name}\n${declaration}\n`).join("\n");
    await expect(text).toMatchFileSnapshot(`./api/${subpath === "." ? "heddle" : subpath.slice(2)}.txt`);
  });

  test("has at run time what its declarations promise", async () => {
    // The entry for testing imports vitest, which refuses to run anywhere but in a test; here is one.
    const loaded: object = await import(pathToFileURL(join(repository, entry.default)).href);
    const values = surface.filter(({ declaration }) => /^export declare (?:function|const|class)/.test(declaration));
    expect(Object.keys(loaded).toSorted()).toEqual(values.map(({ name }) => name));
  });
});
