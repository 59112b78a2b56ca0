import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledPackages } from "../../scripts/bundled-packages.ts";
import { repository, sourceFiles, type SourceFile } from "./source-files.ts";

const manifest: {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
} = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));

const coreOrder = [
  "base",
  "cluster",
  "rights",
  "text",
  "block",
  "lease",
  "message",
  "forest",
  "model",
  "syntax",
  "tool",
  "turn",
  "protocol",
  "port",
] as const;

/** The rings that a ring may import besides itself. */
const ringsBelow: Record<string, readonly string[]> = {
  core: [],
  adapters: ["core"],
  client: ["core"],
  host: ["core", "adapters", "client"],
  testing: ["core", "adapters", "client", "host"],
  entry: ["core", "adapters", "client", "host", "testing"],
};

const pureCorePackages = ["@cfworker/json-schema", "@noble/hashes", "valibot", "@valibot/to-json-schema"];

/** The package's subpaths, each with its entry file; nothing inside imports those. */
const publicEntries = Object.values(manifest.exports)
  .filter((target) => typeof target !== "string")
  .map((target) => target.default.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts"))
  .toSorted();

/** The packages that a user of Heddle installs, without those bundled into one file of dist/. */
const installed = Object.keys(manifest.dependencies);

const isTest = (path: string): boolean => /\.test(?:-support)?\./.test(path);
const product = sourceFiles().filter(({ path }) => !isTest(path));
const inSource = product.filter(({ path }) => path.startsWith("src/"));
const inCore = inSource.filter(({ path }) => path.startsWith("src/core/"));

function ringOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function wrong(files: readonly SourceFile[], judge: (file: SourceFile) => readonly string[]): string[] {
  return files.flatMap((file) => judge(file).map((complaint) => `${file.path}: ${complaint}`));
}

test("rings import only rings below them", () => {
  expect(
    wrong(inSource, (file) => {
      const allowed = new Set([ringOf(file.path), ...(ringsBelow[ringOf(file.path)] ?? [])]);
      return file.imports.filter((path) => !path.startsWith("src/") || !allowed.has(ringOf(path)));
    }),
  ).toEqual([]);
});

test("adapters do not import each other", () => {
  const adapterOf = (path: string): string => path.split("/").slice(2, 3).join("/");
  expect(
    wrong(
      inSource.filter(({ path }) => path.startsWith("src/adapters/")),
      (file) =>
        file.imports.filter((path) => path.startsWith("src/adapters/") && adapterOf(path) !== adapterOf(file.path)),
    ),
  ).toEqual([]);
});

test("folders of core import only folders before them in the order", () => {
  const place = (path: string): number => coreOrder.indexOf((path.split("/")[2] ?? "") as (typeof coreOrder)[number]);
  expect(wrong(inCore, (file) => (place(file.path) === -1 ? ["is in no folder of the order"] : []))).toEqual([]);
  expect(wrong(inCore, (file) => file.imports.filter((path) => place(path) > place(file.path)))).toEqual([]);
});

test("core uses no platform, no clock, no randomness and nothing asynchronous", () => {
  const banned =
    /\b(?:async|await)\b|\bnew Date\b|\bDate\.now\b|\bMath\.random\b|\bperformance\.|\bsetTimeout\b|\bprocess\.|\bconsole\./;
  expect(
    wrong(inCore, (file) => {
      const code = file.text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "");
      const found = banned.exec(code);
      return found === null ? [] : [`uses ${found[0]}`];
    }),
  ).toEqual([]);
  expect(
    wrong(inCore, (file) =>
      file.packages.filter((name) => !pureCorePackages.some((pure) => name === pure || name.startsWith(`${pure}/`))),
    ),
  ).toEqual([]);
});

test("sources import only packages installed with Heddle, and each bundled package in its one file", () => {
  const isOf = (name: string, owner: string): boolean => name === owner || name.startsWith(`${owner}/`);
  const known = (file: SourceFile): readonly string[] => [
    ...installed,
    ...(file.path.startsWith("src/testing/") ? ["vitest"] : []),
    ...[bundledPackages[file.path]].filter((name) => name !== undefined),
  ];
  expect(
    wrong(inSource, (file) => {
      const types = file.text.matchAll(/(?:^|\n)import type [^;]*? from "([^"]+)"/g);
      const erased = new Set([...types].map((match) => match[1]));
      return file.packages.filter(
        (name) => !name.startsWith("node:") && !erased.has(name) && !known(file).some((owner) => isOf(name, owner)),
      );
    }),
  ).toEqual([]);
  // A name that changed only here would leave the package out of dist/.
  for (const [path, owner] of Object.entries(bundledPackages)) {
    const file = inSource.find((each) => each.path === path);
    expect(
      file?.packages.every((name) => isOf(name, owner)),
      path,
    ).toBe(true);
  }
});

test("the web app imports only the client and the core", () => {
  expect(
    wrong(
      product.filter(({ path }) => path.startsWith("web/src/")),
      (file) => file.imports.filter((path) => !/^(?:web\/|src\/client\/|src\/core\/)/.test(path)),
    ),
  ).toEqual([]);
});

test("no imports form a cycle, types included", () => {
  const files = new Map(product.map((file) => [file.path, file]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) {
      circles.push([...trail.slice(at), path].join(" -> "));
      return;
    }
    if (done.has(path)) return;
    for (const next of files.get(path)?.imports ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of files.keys()) visit(path, []);
  expect(circles).toEqual([]);
});

test("every key of the store's meta is named in src/host/meta-keys.ts, and a store uses only its own keys", () => {
  const literalKey = /\.meta\(\s*["'`]|"put-meta",\s*key:\s*["'`]/;
  const inHost = inSource.filter(({ path }) => path.startsWith("src/host/") && !isTest(path));
  expect(inHost.length).toBeGreaterThan(100);
  expect(inHost.filter(({ text }) => literalKey.test(text)).map(({ path }) => path)).toEqual([]);
  const inSql = /\bmeta\b[^;`]*\bkey (?:=|>=|<|LIKE) (?:'(?!store\.)|`)/;
  const stores = inSource.filter(({ path }) => path.startsWith("src/adapters/storage/") && !isTest(path));
  // A published migration reads the keys of its time.
  const knowing = stores.filter(({ path, text }) => !path.endsWith("/migrations.ts") && inSql.test(text));
  expect(knowing.map(({ path }) => path)).toEqual([]);
});

test("files import a name from the file that declares it, never from a barrel", () => {
  expect(inSource.map(({ path }) => path).filter((path) => /\/index\.tsx?$/.test(path))).toEqual([]);
  expect(wrong(product, (file) => file.imports.filter((path) => path.startsWith("src/entry/")))).toEqual([]);
});

test("public entries list what they export, and declare nothing themselves", () => {
  const entries = inSource.filter(({ path }) => path.startsWith("src/entry/"));
  expect(entries.map(({ path }) => path)).toEqual(publicEntries);
  expect(
    wrong(entries, ({ text }) =>
      text
        .replaceAll(/\/\/[^\n]*/g, "")
        .split(";")
        .filter((line) => !/^\s*(?:$|export (?:type )?\{[^}]*\} from "[^"]+"$)/.test(line)),
    ),
  ).toEqual([]);
});
