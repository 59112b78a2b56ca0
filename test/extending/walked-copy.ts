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
import { changed, type WalkStep, walkSteps } from "./walks.ts";

const repository = join(import.meta.dirname, "../..");

const steps = walkSteps(readFileSync(join(repository, "docs/extending.md"), "utf8"));

/** The files that a walk writes or changes. */
export const touched = [...new Set(steps.map(({ path }) => path))];

const newFiles = steps.filter((step) => step.type === "new-file").map(({ path }) => path);

/** The tests at the ends of the walks. */
export const walkTests = newFiles.filter((path) => path.endsWith(".test.ts"));

/** The test that holds the protocol's version. */
export const schemaHashTest = "src/core/protocol/schema-hash.test.ts";

/** A copy of the sources in which all walks were followed. */
export interface WalkedCopy {
  /** Runs a program of a package in the copy. */
  run(program: string, ...args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }>;
  remove(): void;
}

/** Copies the sources and follows all walks. Throws where a line that a walk changes is not found, or a file exists. */
export function walkedCopy(): WalkedCopy {
  // Below the repository, so that packages are found, and in a folder that no package includes.
  const scratch = join(repository, "dist/.build");
  mkdirSync(scratch, { recursive: true });
  const copy = mkdtempSync(join(scratch, "extending-"));
  const remove = (): void => rmSync(copy, { recursive: true, force: true });
  try {
    for (const folder of ["src", "test", "web/src"]) linkFolder(copy, folder);
    for (const file of ["package.json", "tsconfig.base.json", ".oxfmtrc.json", ".oxlintrc.json"])
      linkSync(join(repository, file), join(copy, file));
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(projectOfWalks));
    writeFileSync(join(copy, "vitest.config.ts"), configOfWalks);
    for (const step of steps) follow(copy, step);
  } catch (problem) {
    remove();
    throw problem;
  }
  return { run: (program, ...args) => run(copy, program, args), remove };
}

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

/** Links suffice: a file that a walk changes is written as a new file, only in the copy. */
function linkFolder(copy: string, folder: string): void {
  mkdirSync(join(copy, folder), { recursive: true });
  for (const entry of readdirSync(join(repository, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name === "node_modules") symlinkSync(join(repository, path), join(copy, path));
    else if (entry.isDirectory()) linkFolder(copy, path);
    else linkSync(join(repository, path), join(copy, path));
  }
}

function follow(copy: string, step: WalkStep): void {
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

async function run(copy: string, program: string, args: readonly string[]) {
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
