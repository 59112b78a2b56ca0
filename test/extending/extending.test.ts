import { spawn } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changed, type WalkStep, walkSteps } from "./walks.ts";

const repository = join(import.meta.dirname, "../..");
const steps = walkSteps(readFileSync(join(repository, "docs/extending.md"), "utf8"));
const touched = [...new Set(steps.map(({ path }) => path))];
const newFiles = steps.filter((step) => step.type === "new-file").map(({ path }) => path);
const walkTests = newFiles.filter((path) => path.endsWith(".test.ts"));
const schemaHashTest = "src/core/protocol/schema-hash.test.ts";

let copy = "";

beforeAll(() => {
  // Below the repository, so that packages are found, and in a folder that no package includes.
  const scratch = join(repository, "dist/.build");
  mkdirSync(scratch, { recursive: true });
  copy = mkdtempSync(join(scratch, "extending-"));
  for (const folder of ["src", "test", "web/src"]) linkFolder(folder);
  for (const file of ["package.json", "tsconfig.base.json", ".oxfmtrc.json", ".oxlintrc.json"])
    linkSync(join(repository, file), join(copy, file));
  writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(projectOfWalks));
  writeFileSync(join(copy, "vitest.config.ts"), configOfWalks);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The product and the walks with their tests, as one project. */
const projectOfWalks = {
  extends: "./tsconfig.base.json",
  compilerOptions: {
    noEmit: true,
    composite: false,
    declaration: false,
    rewriteRelativeImportExtensions: false,
    module: "esnext",
    moduleResolution: "bundler",
    jsx: "react-jsx",
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node", "vite/client"],
  },
  include: ["src/**/*.ts", "web/src/**/*.ts", "web/src/**/*.tsx", "test/extending/scripted-turn.ts"],
  // The app declares the same package with what only a browser has.
  exclude: ["**/*.test.ts", "src/adapters/network/turndown.d.ts"],
  // Includes the tests that a walk writes or changes.
  files: touched,
};

const configOfWalks = `export default {
  test: { include: ${JSON.stringify([...walkTests, schemaHashTest])}, testTimeout: 30_000, maxWorkers: 2 },
};
`;

// The compiler and the runner read the whole product; on a busy machine that takes minutes.
describe("the walks of docs/extending.md, all in one copy of the sources", { timeout: 240_000 }, () => {
  test("find the lines they change, and write no existing file", () => {
    for (const step of steps) apply(step);
    expect(newFiles.length).toBeGreaterThan(0);
  });

  test("type-check", async () => {
    expect(await run("typescript/bin/tsc", "-p", ".")).toEqual({ code: 0, output: "" });
  });

  test("pass the format check and the lint", async () => {
    expect((await run("oxfmt/bin/oxfmt", "--list-different", ...touched)).output).toBe("");
    const { code, output } = await run("oxlint/bin/oxlint", "--type-aware", "--deny-warnings", ...touched);
    expect(code, output).toBe(0);
  });

  test("pass the test at the end of each walk", async () => {
    const { code, output } = await run("vitest/vitest.mjs", "run", "--reporter=dot", ...walkTests);
    expect(code, output).toBe(0);
    expect(output).toContain(`${walkTests.length} passed (${walkTests.length})`);
  });

  test("change the wire as the page says: a test fails until the protocol version is raised", async () => {
    const { code, output } = await run("vitest/vitest.mjs", "run", "--reporter=dot", schemaHashTest);
    expect(code).toBe(1);
    expect(output).toContain("raise protocolVersion and set schemaHash");
  });
});

describe("a walk", () => {
  test("changes only the lines between the lines it shows", () => {
    const [step] = walkSteps("```diff\n--- a.ts\n one\n+two\n@@\n-four\n```\n");
    if (step?.type !== "change") throw new Error("the page has a change");
    expect(changed("zero\none\nthree\nfour\n", step)).toBe("zero\none\ntwo\nthree\n");
  });

  test.each([
    ["are gone", "zero\nthree\n"],
    ["are there twice", "one\none\n"],
    ["are part of other lines", "someone\n"],
  ])("that has drifted fails: the lines that it shows %s", (_case, source) => {
    const [step] = walkSteps("```diff\n--- a.ts\n one\n+two\n```\n");
    if (step?.type !== "change") throw new Error("the page has a change");
    expect(() => changed(source, step)).toThrow("docs/extending.md: a.ts");
  });
});

/** Links suffice: a file that a walk changes is written as a new file, only in the copy. */
function linkFolder(folder: string): void {
  mkdirSync(join(copy, folder), { recursive: true });
  for (const entry of readdirSync(join(repository, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name === "node_modules") symlinkSync(join(repository, path), join(copy, path));
    else if (entry.isDirectory()) linkFolder(path);
    else linkSync(join(repository, path), join(copy, path));
  }
}

function apply(step: WalkStep): void {
  const path = join(copy, step.path);
  if (step.type === "new-file") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, step.text, { flag: "wx" });
    return;
  }
  const after = changed(readFileSync(path, "utf8"), step);
  rmSync(path);
  writeFileSync(path, after);
}

async function run(program: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [join(repository, "node_modules", program), ...args], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: "1" },
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once("close", resolve)),
  ]);
  return { code, output: stdout + stderr };
}
