import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { limitedRunner } from "./command-limits.ts";
import { commandEnvironment } from "./sandbox-environment.ts";
import { folderRules, makeHooksFolder, type FolderRules, type SandboxPlace } from "./sandbox-policy.ts";
import { findProgram, missingSandboxReason } from "./sandbox-programs.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-sandbox-parts-")));
const [programs, home, ws] = ["programs", "home", "ws"].map((name) => join(base, name)) as [string, string, string];
for (const folder of [programs, join(home, "bin"), join(home, ".nvm"), join(home, ".ssh"), ws]) {
  mkdirSync(folder, { recursive: true });
}
for (const name of ["bwrap", "rg"]) writeFileSync(join(programs, name), "", { mode: 0o755 });
writeFileSync(join(programs, "socat"), "", { mode: 0o644 });

afterAll(() => rmSync(base, { recursive: true }));

describe("missingSandboxReason", () => {
  const linux = { platform: "linux", arch: "x64", folders: [programs], network: false };

  test.each([
    ["nothing is missing", {}, null],
    ["of macOS comes with it", { platform: "darwin", folders: [] }, null],
    ["socat, which only the network needs, is not executable", { network: true }, /lacks socat\. Install/],
    ["all are missing", { folders: [], network: true }, /bubblewrap \(bwrap\) and ripgrep \(rg\) and socat/],
    ["the system is not supported", { platform: "win32" }, /no sandbox for win32/],
    ["the processor is not supported", { arch: "riscv64" }, /no sandbox for riscv64 processors/],
  ])("%s", (_name, change, said) => {
    const why = missingSandboxReason({ ...linux, ...change });
    if (said === null) expect(why).toBeNull();
    else expect(why).toMatch(said);
  });

  test("findProgram returns the first folder's executable", () => {
    expect(findProgram("rg", ["/nowhere", programs])).toBe(join(programs, "rg"));
    expect(findProgram("socat", [programs])).toBeNull();
  });
});

test("a command's environment has the named variables and no other of the server's", () => {
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

test("processes are limited where the kernel counts those of one sandbox separately", () => {
  expect(limitedRunner("6.18.44")).toContain("ulimit -u ");
  expect(limitedRunner("5.14.0-rc1")).toContain("ulimit -u ");
  expect(limitedRunner("5.13.19")).not.toContain("ulimit -u ");
  expect(limitedRunner("4.18.0")).toContain("ulimit -f ");
});

describe("the access of a command", () => {
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

  test("covers only programs of the home folder and the working folder, and writes only there", () => {
    const { denyRead, allowRead, allowWrite } = folderRules(place);
    expect(paths(denyRead)).toEqual(expect.arrayContaining([home, join(home, ".ssh"), "/etc/shadow"]));
    const own = paths(allowRead).filter((path) => path.startsWith(base) || path === place.own);
    expect(own).toEqual([join(home, "bin"), join(home, ".nvm"), ws, place.own]);
    expect(paths(allowWrite)).toEqual([ws, place.own]);
  });

  test("includes the sandbox's own programs where Heddle is installed below a home folder", () => {
    const root = realpathSync(join(import.meta.dirname, "..", "..", ".."));
    const vendor = join(root, "node_modules", "@anthropic-ai", "sandbox-runtime", "vendor");
    expect(paths(folderRules({ ...place, home: dirname(root) }).allowRead)).toContain(vendor);
  });

  test("treats every path literally, whatever characters it has", () => {
    for (const entries of Object.values(folderRules({ ...place, folder: join(ws, "[x]*") }))) {
      for (const entry of Array.isArray(entries) ? entries : []) expect(entry).toMatchObject({ literal: true });
    }
  });

  test("excludes secrets and Heddle's own folders inside the working folder", () => {
    const data = join(home, "notes");
    mkdirSync(data);
    const { denyRead, denyWrite } = folderRules({ ...place, folder: home, hidden: [data, join(home, "later")] });
    expect(paths(denyRead)).toEqual(expect.arrayContaining([data, join(home, ".ssh")]));
    expect(paths(denyWrite)).toEqual(expect.arrayContaining([data, join(home, "later"), join(home, ".aws")]));
  });

  test("excludes writing Heddle itself where it is installed in the working folder or is that folder", () => {
    const root = join(import.meta.dirname, "..", "..", "..");
    expect(paths(folderRules({ ...place, folder: root }).denyWrite)).toEqual(
      expect.arrayContaining([join(root, "node_modules"), join(root, "dist"), join(root, "src")]),
    );
    expect(paths(folderRules({ ...place, folder: dirname(root) }).denyWrite)).toContain(root);
  });

  test("protects the current repository: none, an ordinary one, a worktree's", () => {
    const git = join(ws, ".git");
    const ofGit = (): readonly string[] => paths(folderRules(place).denyWrite).filter((path) => path.includes(".git"));
    expect(ofGit()).toEqual([join(git, "hooks"), join(git, "config")]);
    mkdirSync(git);
    for (const name of ["HEAD", "config"]) writeFileSync(join(git, name), "");
    makeHooksFolder(ws);
    expect(ofGit()).toEqual([git]);
    writeFileSync(join(git, "config"), '[core]\n\thooksPath = "tools/hooks"\n\thooksPath = /elsewhere\n');
    mkdirSync(join(ws, ".husky"));
    const hooks = [join(ws, ".husky"), join(ws, "tools", "hooks")];
    expect(paths(folderRules(place).denyWrite).filter((path) => /husky|hooks|elsewhere/.test(path))).toEqual(hooks);
    rmSync(git, { recursive: true });
    writeFileSync(git, "gitdir: /elsewhere");
    expect(ofGit()).toEqual([]);
  });

  test("follows a link on the search path to its target only", () => {
    symlinkSync(join(home, "bin"), join(programs, "link"));
    expect(paths(folderRules({ ...place, path: join(programs, "link") }).allowRead)).toContain(join(home, "bin"));
  });

  test("includes the sandbox's sockets only when hosts are allowed", () => {
    expect(paths(folderRules({ ...place, hosts: ["a.b"] }).allowRead)).toContain(place.sockets);
  });
});
