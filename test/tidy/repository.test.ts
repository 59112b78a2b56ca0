import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { repository, repositoryFiles, sourceFiles } from "./source-files.ts";

const files = repositoryFiles();

function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

test("no package of the main tree has an install script", () => {
  const lock: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(read("package-lock.json"));
  const scripted = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript === true);
  expect(scripted.map(([name]) => name)).toEqual([]);
});

test("the lock file keeps npm from installing a second runtime on a recent Node", () => {
  // npm skips an optional package whose engines do not match. The runtime packages state no engines, but the lock file
  // does, and npm keeps its lines. When their version changes, restore the line.
  const manifest: { engines: { node: string }; optionalDependencies: Record<string, string> } = JSON.parse(
    read("package.json"),
  );
  const lock: { packages: Record<string, { engines?: { node?: string } }> } = JSON.parse(read("package-lock.json"));
  const runtimes = Object.keys(manifest.optionalDependencies);
  expect(runtimes).toHaveLength(5);
  expect(
    Object.fromEntries(runtimes.map((name) => [name, lock.packages[`node_modules/${name}`]?.engines?.node])),
  ).toEqual(Object.fromEntries(runtimes.map((name) => [name, manifest.engines.node.replace(">=", "<")])));
});

test("the lock files name no registry host", () => {
  const named = files
    .filter((path) => path.endsWith("package-lock.json"))
    .filter((path) => /"resolved": "https?:/.test(read(path)));
  expect(named).toEqual([]);
});

test("no script relies on npm's pre- or post-scripts", () => {
  const manifest: { scripts: Record<string, string> } = JSON.parse(read("package.json"));
  const hooks = Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)/.test(name) || name === "prepare");
  expect(hooks).toEqual([]);
});

test("every dependency of the product has a line in a decision record", () => {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(read("package.json"));
  const web: { dependencies: Record<string, string> } = JSON.parse(read("web/package.json"));
  const records = files
    .filter((path) => path.startsWith("docs/decisions/"))
    .map(read)
    .join("\n");
  const silent = [...Object.keys(manifest.dependencies), ...Object.keys(web.dependencies)].filter(
    (name) => !records.includes(`\`${name}\``),
  );
  expect(silent).toEqual([]);
});

test("links between documents lead to existing files", () => {
  const broken = files
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => join(dirname(path), match[1] ?? ""))
        .filter((target) => statSync(join(repository, target), { throwIfNoEntry: false }) === undefined)
        .map((target) => `${path}: ${target}`),
    );
  expect(broken).toEqual([]);
});

test("no unfinished marks and no narrowed tests are left", () => {
  // Written so that this file does not match itself.
  const marks = /\b(?:TO[D]O|FIX[M]E|XX[X])\b|\b(?:it|test|describe)\.(?:only|todo)\b/;
  expect(
    sourceFiles()
      .filter(({ text }) => marks.test(text))
      .map(({ path }) => path),
  ).toEqual([]);
});
