import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";

const programs = ["bwrap", "rg", "socat"] as const;
const cache = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "heddle-sandbox");

/**
 * A PATH with Node and the sandbox's programs: the installed ones, else Debian's, downloaded once into node_modules.
 */
export function pathWithSandbox(): string {
  const path = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  if (process.platform !== "linux" || missingPrograms(path).length === 0) return path;
  const own = join(cache, "bin");
  const extended = `${own}${delimiter}${path}`;
  if (missingPrograms(extended).length > 0) fetchPrograms();
  const missing = missingPrograms(extended);
  if (missing.length === 0) return extended;
  throw new Error(
    `The tests of the sandbox need ${missing.join(", ")}: install them (apt install bubblewrap ripgrep socat), ` +
      "or let apt-get reach Debian's packages.",
  );
}

/** Returns the programs that do not run. */
function missingPrograms(path: string): readonly string[] {
  return programs.filter((name) => {
    const arg = name === "socat" ? "-V" : "--version";
    return spawnSync(name, [arg], { env: { PATH: path }, stdio: "ignore" }).status !== 0;
  });
}

/**
 * Builds the folder elsewhere and renames it when complete: test processes that start together never see half of it.
 */
function fetchPrograms(): void {
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, "making-"));
  try {
    const packages = ["bubblewrap", "ripgrep", "socat", "libwrap0"];
    if (!download(staging, packages, [])) {
      // The package lists may be missing too; the test keeps its own, so that it needs no root.
      const lists = join(staging, "lists");
      mkdirSync(join(lists, "partial"), { recursive: true });
      const own = ["-o", `Dir::State::Lists=${lists}`];
      run(staging, "apt-get", ["update", ...own]);
      download(staging, packages, own);
    }
    mkdirSync(join(staging, "bin"));
    for (const name of readdirSync(staging).filter((file) => file.endsWith(".deb"))) {
      run(staging, "dpkg", ["-x", name, "bin/.packages"]);
    }
    const unpacked = join(staging, "bin", ".packages", "usr");
    if (!existsSync(unpacked)) return;
    linkPrograms(join(staging, "bin"));
    const bin = join(cache, "bin");
    // Another process may have finished first.
    if (missingPrograms(bin).length > 0) {
      if (existsSync(bin)) renameSync(bin, join(staging, "old"));
      renameSync(join(staging, "bin"), bin);
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Gives each program the libraries that came with it. */
function linkPrograms(bin: string): void {
  const libraries = readdirSync(join(bin, ".packages", "usr", "lib")).find((name) => name.includes("-linux-"));
  for (const name of programs) {
    if (name !== "socat") {
      symlinkSync(join(".packages", "usr", "bin", name), join(bin, name));
      continue;
    }
    const usr = '"$(dirname "$0")/.packages/usr';
    const script = `#!/bin/sh\nLD_LIBRARY_PATH=${usr}/lib/${libraries ?? ""}" exec ${usr}/bin/${name}" "$@"\n`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
  }
}

function download(folder: string, packages: readonly string[], options: readonly string[]): boolean {
  return run(folder, "apt-get", ["download", ...options, ...packages]);
}

function run(cwd: string, program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { cwd, stdio: "ignore", timeout: 120_000 }).status === 0;
}
