import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A program and the folder of libraries that came with it, if any. */
export interface Program {
  readonly path: string;
  readonly libraries: string | null;
}

const cache = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "heddle-deploy");
const packages = {
  pgbouncer: ["pgbouncer", "libevent-2.1-7", "libc-ares2"],
  nginx: ["nginx"],
  "nats-server": ["nats-server"],
} as const;

/** Finds an installed program, else Debian's, downloaded once into node_modules. Throws one sentence if there is neither. */
export function programFor(name: keyof typeof packages): Program {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const installed = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (installed !== undefined) return { path: installed, libraries: null };
  const kept = join(cache, name);
  if (!existsSync(kept)) fetchProgram(name, kept);
  const path = join(kept, "usr", "sbin", name);
  if (!existsSync(path)) {
    throw new Error(`The test needs ${name}: install it, or let apt-get reach Debian's packages.`);
  }
  const places = join(kept, "usr", "lib");
  const own = existsSync(places) ? readdirSync(places).find((each) => each.includes("-linux-")) : undefined;
  return { path, libraries: own === undefined ? null : join(places, own) };
}

/** Unpacks elsewhere and renames when complete: test processes that start together never see half of it. */
function fetchProgram(name: keyof typeof packages, kept: string): void {
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, "making-"));
  try {
    const run = (program: string, args: readonly string[]): boolean =>
      spawnSync(program, args, { cwd: staging, stdio: "ignore", timeout: 120_000 }).status === 0;
    if (!run("apt-get", ["download", ...packages[name]])) {
      mkdirSync(join(staging, "lists", "partial"), { recursive: true });
      const own = ["-o", `Dir::State::Lists=${join(staging, "lists")}`];
      run("apt-get", ["update", ...own]);
      run("apt-get", ["download", ...own, ...packages[name]]);
    }
    for (const file of readdirSync(staging).filter((each) => each.endsWith(".deb"))) run("dpkg", ["-x", file, "out"]);
    // Another process may have finished first.
    if (existsSync(join(staging, "out")) && !existsSync(kept)) renameSync(join(staging, "out"), kept);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
