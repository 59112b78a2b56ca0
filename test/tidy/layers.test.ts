import { expect, test } from "vitest";
import { sourceFiles, type SourceFile } from "./source-files.ts";

const coreOrder = [
  "base",
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

/** Which rings a ring may import, itself apart. */
const ringsBelow: Record<string, readonly string[]> = {
  core: [],
  adapters: ["core"],
  client: ["core"],
  host: ["core", "adapters", "client"],
  testing: ["core", "adapters", "client", "host"],
};

/** Where users import; nobody inside does. */
const publicEntries = ["client", "core", "host", "testing"].map((ring) => `src/${ring}/index.ts`);

const pureCorePackages = ["@noble/hashes", "valibot", "@valibot/to-json-schema"];

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

test("adapters do not know each other", () => {
  const adapterOf = (path: string): string => path.split("/").slice(2, 3).join("/");
  expect(
    wrong(
      inSource.filter(({ path }) => path.startsWith("src/adapters/")),
      (file) =>
        file.imports.filter((path) => path.startsWith("src/adapters/") && adapterOf(path) !== adapterOf(file.path)),
    ),
  ).toEqual([]);
});

test("folders of core stand in their order", () => {
  const place = (path: string): number => coreOrder.indexOf((path.split("/")[2] ?? "") as (typeof coreOrder)[number]);
  const inFolders = inCore.filter(({ path }) => !publicEntries.includes(path));
  expect(wrong(inFolders, (file) => (place(file.path) === -1 ? ["is in no folder of the order"] : []))).toEqual([]);
  expect(wrong(inFolders, (file) => file.imports.filter((path) => place(path) > place(file.path)))).toEqual([]);
});

test("core has no platform, no clock, no randomness, nothing that waits", () => {
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

test("the web app imports only the client and the core", () => {
  expect(
    wrong(
      product.filter(({ path }) => path.startsWith("web/src/")),
      (file) => file.imports.filter((path) => !/^(?:web\/|src\/client\/|src\/core\/)/.test(path)),
    ),
  ).toEqual([]);
});

test("no imports go in a circle, types included", () => {
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

test("there are no barrels inside: files import from the file that has it", () => {
  const barrels = inSource.filter(({ path }) => /\/index\.tsx?$/.test(path)).map(({ path }) => path);
  expect(barrels.filter((path) => !publicEntries.includes(path))).toEqual([]);
  expect(wrong(product, (file) => file.imports.filter((path) => publicEntries.includes(path)))).toEqual([]);
});

test("public entries name what they export, and hold nothing of their own", () => {
  const entries = inSource.filter(({ path }) => publicEntries.includes(path));
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
