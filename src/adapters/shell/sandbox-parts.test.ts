import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { limitedRunner } from "./command-limits.ts";
import { commandEnvironment } from "./sandbox-environment.ts";
import { folderRules, makeHooksFolder, type FolderRules, type SandboxPlace } from "./sandbox-policy.ts";
import { findProgram, whyNoSandbox } from "./sandbox-programs.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-sandbox-parts-")));
const [programs, home, ws] = ["programs", "home", "ws"].map((name) => join(base, name)) as [string, string, string];
for (const folder of [programs, join(home, "bin"), join(home, ".nvm"), join(home, ".ssh"), ws]) {
  mkdirSync(folder, { recursive: true });
}
for (const name of ["bwrap", "rg"]) writeFileSync(join(programs, name), "", { mode: 0o755 });
writeFileSync(join(programs, "socat"), "", { mode: 0o644 });

afterAll(() => rmSync(base, { recursive: true }));

describe("why there is no sandbox", () => {
  const linux = { platform: "linux", arch: "x64", folders: [programs], network: false };

  test.each([
    ["none is missing", {}, null],
    ["of macOS comes with it", { platform: "darwin", folders: [] }, null],
    ["socat cannot be run, which only the network takes", { network: true }, /lacks socat: install/],
    ["all are missing", { folders: [], network: true }, /bubblewrap \(bwrap\) and ripgrep \(rg\) and socat/],
    ["there is none for the system", { platform: "win32" }, /no sandbox for them on win32/],
    ["there is none for the processor", { arch: "riscv64" }, /of the kind riscv64/],
  ])("%s", (_name, change, said) => {
    const why = whyNoSandbox({ ...linux, ...change });
    if (said === null) expect(why).toBeNull();
    else expect(why).toMatch(said);
  });

  test("a program is found in the first folder that can run it", () => {
    expect(findProgram("rg", ["/nowhere", programs])).toBe(join(programs, "rg"));
    expect(findProgram("socat", [programs])).toBeNull();
  });
});

test("a command's environment has what is named, and nothing else of the server's", () => {
  const secrets = {
    OPENAI_API_KEY: "s",
    HEDDLE_TOKEN: "s",
    DB_PASSWORD: "s",
    LD_PRELOAD: "s",
    NODE_OPTIONS: "s",
    BASH_ENV: "s",
  };
  const env = commandEnvironment(
    { ...secrets, PATH: "/usr/bin:bin:.", LANG: "de_DE.UTF-8", LC_ALL: "C", TZ: "UTC", GIT_DIR: "s", HTTP_PROXY: "s" },
    { home, own: "/own" },
  );
  expect(Object.values(env)).not.toContain("s");
  expect(env).toMatchObject({
    PATH: "/usr/bin",
    LANG: "de_DE.UTF-8",
    LC_ALL: "C",
    TZ: "UTC",
    HOME: "/own/home",
    TMPDIR: "/own/tmp",
    NVM_DIR: join(home, ".nvm"),
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
  });
});

test("processes are counted where the kernel counts those of one sandbox apart", () => {
  expect(limitedRunner("6.18.44")).toContain("ulimit -u ");
  expect(limitedRunner("5.14.0-rc1")).toContain("ulimit -u ");
  expect(limitedRunner("5.13.19")).not.toContain("ulimit -u ");
  expect(limitedRunner("4.18.0")).toContain("ulimit -f ");
});

describe("what a command may read and write", () => {
  const place: SandboxPlace = {
    folder: ws,
    own: join(base, "own"),
    sockets: join(base, "sockets"),
    home,
    path: `${join(home, "bin")}:/usr/bin`,
    trusted: [],
    hidden: [],
    hosts: [],
    asRoot: false,
  };
  const paths = (entries: FolderRules["denyRead"] = []): readonly string[] =>
    entries.map((entry) => (typeof entry === "string" ? entry : entry.path));

  test("reads nothing of the home folder but programs and the working folder, and writes there alone", () => {
    const { denyRead, allowRead, allowWrite } = folderRules(place);
    expect(paths(denyRead)).toEqual(expect.arrayContaining([home, join(home, ".ssh"), "/etc/shadow"]));
    const own = paths(allowRead).filter((path) => path.startsWith(base) || path === place.own);
    expect(own).toEqual([join(home, "bin"), join(home, ".nvm"), ws, place.own]);
    expect(paths(allowWrite)).toEqual([ws, place.own]);
  });

  test("the programs that a command goes through can be read where Heddle is installed below a home folder", () => {
    const root = realpathSync(join(import.meta.dirname, "..", "..", ".."));
    const vendor = join(root, "node_modules", "@anthropic-ai", "sandbox-runtime", "vendor");
    expect(paths(folderRules({ ...place, home: dirname(root) }).allowRead)).toContain(vendor);
  });

  test("every path is taken as it stands, whatever signs it has", () => {
    for (const entries of Object.values(folderRules({ ...place, folder: join(ws, "[x]*") }))) {
      for (const entry of Array.isArray(entries) ? entries : []) expect(entry).toMatchObject({ literal: true });
    }
  });

  test("keeps secrets and Heddle's own folders from a command though they lie in the working folder", () => {
    const data = join(home, "notes");
    mkdirSync(data);
    const { denyRead, denyWrite } = folderRules({ ...place, folder: home, hidden: [data, join(home, "later")] });
    expect(paths(denyRead)).toEqual(expect.arrayContaining([data, join(home, ".ssh")]));
    expect(paths(denyWrite)).toEqual(expect.arrayContaining([data, join(home, "later"), join(home, ".aws")]));
  });

  test("cannot change Heddle itself where it is installed in the working folder, or is that folder", () => {
    const root = join(import.meta.dirname, "..", "..", "..");
    expect(paths(folderRules({ ...place, folder: root }).denyWrite)).toEqual(
      expect.arrayContaining([join(root, "node_modules"), join(root, "dist"), join(root, "src")]),
    );
    expect(paths(folderRules({ ...place, folder: dirname(root) }).denyWrite)).toContain(root);
  });

  test("protects the repository as it is now: none, one, a worktree's", () => {
    const git = join(ws, ".git");
    const ofGit = (): readonly string[] => paths(folderRules(place).denyWrite).filter((path) => path.includes(".git"));
    expect(ofGit()).toEqual([join(git, "hooks"), join(git, "config")]);
    mkdirSync(git);
    for (const name of ["HEAD", "config"]) writeFileSync(join(git, name), "");
    makeHooksFolder(ws);
    expect(ofGit()).toEqual([git]);
    rmSync(git, { recursive: true });
    writeFileSync(git, "gitdir: /elsewhere");
    expect(ofGit()).toEqual([]);
  });

  test("a link on the search path opens what it leads to, not what is beside it", () => {
    symlinkSync(join(home, "bin"), join(programs, "link"));
    expect(paths(folderRules({ ...place, path: join(programs, "link") }).allowRead)).toContain(join(home, "bin"));
  });

  test("sockets of the sandbox are there only where there are hosts", () => {
    expect(paths(folderRules({ ...place, hosts: ["a.b"] }).allowRead)).toContain(place.sockets);
  });
});
