import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listFiles } from "../../src/adapters/files/list-files.ts";
import { findProgram } from "../../src/adapters/shell/sandbox-programs.ts";
import { openSandboxedShell } from "../../src/adapters/shell/sandboxed-shell.ts";
import type { CommandEnd, Shell } from "../../src/core/port/shell.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import { scaled } from "../scale.ts";
import { folderOfNobody, runAsNobody } from "./as-nobody.ts";
import { pathWithSandbox } from "./programs.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-shell-ends-"));
const { clock } = systemPlatform();
let shell: Shell;
let env: Readonly<Record<string, string>>;
/** This file exists if a program that must not run outside the sandbox was run there. */
const outside = join(tmpdir(), `heddle-ran-outside-${process.pid}`);

beforeAll(async () => {
  env = { PATH: pathWithSandbox(), HOME: folder, LANG: "C.UTF-8", OPENAI_API_KEY: "secret" };
  shell = await openSandboxedShell({ folder, hidden: [], clock, env });
});

afterAll(async () => {
  await shell.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: string, timeLimitMs = 20_000): Promise<{ end: CommandEnd | string; output: string }> {
  let output = "";
  const ended = await shell.run(command, {
    timeLimitMs,
    signal: new AbortController().signal,
    onOutput: (text) => void (output += text),
  });
  return { end: ended.ok ? ended.value : ended.error.code, output };
}

test("no command runs once agents write a folder from which the sandbox takes its programs", async () => {
  const programs = dirname(findProgram("bwrap", (env["PATH"] ?? "").split(delimiter)) ?? "");
  let written: readonly string[] = [];
  const other = await openSandboxedShell({ folder, hidden: [], clock, env, written: () => written });
  const ran = async () => {
    const run = { timeLimitMs: 20_000, signal: new AbortController().signal, onOutput: () => {} };
    const ended = await other.run("echo x >> ran", run);
    return ended.ok ? ended.value.type : ended.error;
  };
  expect(await ran()).toBe("exited");
  // A person adds the folder while the sandbox is open.
  written = [programs];
  expect(await ran()).toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    message: expect.stringContaining(`agents now write ${programs}`),
  });
  expect(readFileSync(join(folder, "ran"), "utf8")).toBe("x\n");
  rmSync(join(folder, "ran"));
  await other.close();
});

describe("a command", () => {
  test("ends with its own exit code, and its output on both streams is reported as it comes", async () => {
    expect(await run("echo one; echo two >&2; exit 3")).toEqual({
      end: { type: "exited", code: 3 },
      output: "one\ntwo\n",
    });
    expect(await run("printf 'gr\\303\\274n\\377'")).toMatchObject({ output: "grün\ufffd" });
  });

  test("S-40 that prints the words of a cancelled or timed-out result has only printed them", async () => {
    const said = "[command cancelled]\n[timed out]\nbwrap: Can't mount\nKilled\n";
    const printed = await run(`cat <<'E'\n${said}E`);
    expect(printed).toEqual({ end: { type: "exited", code: 0 }, output: said });
  });

  test("with quotes, comments, syntax errors or a here-document is run as its own script", async () => {
    expect(await run(`echo "it's"' "so"' # and no more'`)).toMatchObject({ output: `it's "so"\n` });
    expect((await run("echo 'open")).end).toEqual({ type: "exited", code: 2 });
    expect((await run("")).end).toEqual({ type: "exited", code: 0 });
    expect(
      await run(`echo ${"'".repeat(20_000)}"x"; echo $HEDDLE_COMMAND; env | grep -c HEDDLE_COMMAND`),
    ).toMatchObject({
      output: "x\n\n0\n",
    });
    expect(await run("cat; echo $?")).toMatchObject({ output: "0\n" });
  });

  test("that ends by its own signal reports it as a shell does", async () => {
    expect((await run("kill -SEGV $$")).end).toEqual({ type: "exited", code: 139 });
  });

  test("runs in the folder, and its writes persist there and in its temporary folder, and nowhere else", async () => {
    await run('echo a > a.txt; echo b > "$TMPDIR/b"; echo c > /tmp/c; echo d > ~/d');
    expect(await run('pwd; cat a.txt "$TMPDIR/b" ~/d; ls /tmp/c 2>/dev/null')).toMatchObject({
      output: `${folder}\na\nb\nd\n`,
    });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a\n");
    expect(readdirSync(folder)).toEqual(["a.txt"]);
  });

  test("uses git without running programs of a repository", async () => {
    const repository = join(folder, "repository");
    mkdirSync(repository);
    execFileSync("git", ["init", "-q", repository]);
    mkdirSync(join(repository, "hooks"));
    writeFileSync(join(repository, "hooks", "pre-commit"), "#!/bin/sh\ntouch ../hook-ran\n", { mode: 0o755 });
    execFileSync("git", ["-C", repository, "config", "core.hooksPath", "hooks"]);
    execFileSync("git", ["-C", repository, "config", "core.fsmonitor", "touch ../monitor-ran"]);
    const committed = await run(
      "cd repository; git add -A; git -c user.name=a -c user.email=a@b commit -qm x; git log --oneline | wc -l; ls .. | grep ran",
    );
    expect(committed.output).toBe("1\n");
  });

  test("sees only the named variables of the server's environment", async () => {
    const { output } = await run("env");
    expect(output).toContain("LANG=C.UTF-8");
    expect(output).not.toContain("secret");
  });

  test("is not run when it was cancelled before, and is refused once the shell is closed", async () => {
    const ended = await shell.run("touch never", {
      timeLimitMs: 1_000,
      signal: AbortSignal.abort(),
      onOutput: () => {},
    });
    expect(ended).toEqual({ ok: true, value: { type: "cancelled" } });
    expect((await run("ls never")).end).toEqual({ type: "exited", code: 2 });
  });
});

describe("in a folder of its own", () => {
  let own: string;
  let inOwn: Shell;

  beforeEach(async () => {
    own = mkdtempSync(join(tmpdir(), "heddle-shell-own-[x]*-"));
    inOwn = await openSandboxedShell({
      folder: own,
      hidden: [],
      clock,
      env: { ...env, PATH: `${own}/bin:${env["PATH"] ?? ""}` },
    });
  });

  afterEach(async () => {
    await inOwn.close();
    rmSync(own, { recursive: true, force: true });
  });

  async function said(command: string): Promise<string> {
    let output = "";
    const ended = await inOwn.run(command, {
      timeLimitMs: 20_000,
      signal: new AbortController().signal,
      onOutput: (text) => void (output += text),
    });
    return ended.ok ? output : ended.error.message;
  }

  test("git works, and its folder stays unchanged, even where files in it would redirect git", async () => {
    execFileSync("git", ["init", "-q", own]);
    rmSync(join(own, ".git", "hooks"), { recursive: true });
    const evil = "mkdir -p evil/hooks; cp .git/config evil/";
    const tried = ["commondir", "config.worktree", "hooks/pre-commit", "config", "index"].map(
      (name) => `echo ../evil > .git/${name} && echo CHANGED ${name}`,
    );
    const commands = [
      evil,
      ...tried,
      "git add -A && echo CHANGED index",
      "mv .git g && echo CHANGED .git",
      "git status -s",
    ];
    const [output, other] = await Promise.all([said(commands.join("; ")), said("sleep 0.1; git status -s")]);
    expect(output).toContain("?? evil/");
    expect(output).not.toContain("CHANGED");
    expect(other).not.toContain("fatal");
    expect(readdirSync(join(own, ".git"))).not.toContain("commondir");
  });

  test("the server never runs a program that a command puts where the server would find it", async () => {
    const names = ["bwrap", "rg", "socat", "bash", "sh", "git", "node"];
    const fake = `#!/bin/sh\necho > ${outside}\nexec /usr/bin/$(basename "$0") "$@"\n`;
    const plant = names.map((name) => `printf '%s' '${fake}' > bin/${name}; chmod +x bin/${name}`);
    await said(["mkdir bin", ...plant].join("; "));
    expect(readdirSync(join(own, "bin")).toSorted()).toEqual(names.toSorted());
    await inOwn.close();
    const path = `${own}/bin:${env["PATH"] ?? ""}`;
    inOwn = await openSandboxedShell({ folder: own, hidden: [], clock, env: { ...env, PATH: path } });
    expect(await said("echo still here")).toContain("still here");
    const before = process.env["PATH"];
    process.env["PATH"] = path;
    await listFiles(own);
    process.env["PATH"] = before;
    expect(existsSync(outside)).toBe(false);
  });
});

test("a command reaches the hosts that the owner named, and no other name or port", async () => {
  const served = createServer((request, response) => response.end(`answered ${request.url ?? ""}`));
  const port = await new Promise<number>((resolve) => {
    served.listen(0, "127.0.0.1", () => {
      const address = served.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  const online = await openSandboxedShell({ folder, hidden: [], hosts: [`127.0.0.1:${port}`], clock, env });
  const asks = (url: string): string =>
    `node -e 'const p=new URL(process.env.HTTP_PROXY);require("http").get({host:p.hostname,port:p.port,path:"${url}",headers:{"proxy-authorization":"Basic "+btoa(decodeURIComponent(p.username)+":"+p.password)}},r=>{let t="";r.on("data",d=>t+=d);r.on("end",()=>console.log(r.statusCode,t.slice(0,20)))})'`;
  let output = "";
  const ended = await online.run(
    [asks(`http://127.0.0.1:${port}/x`), asks(`http://127.0.0.1:${port + 1}/`), asks("http://example.com/")].join(";"),
    { timeLimitMs: 20_000, signal: new AbortController().signal, onOutput: (text) => void (output += text) },
  );
  await online.close();
  served.close();
  expect(ended).toEqual({ ok: true, value: { type: "exited", code: 0 } });
  expect(output).toMatch(/^200 answered \/x\n403 .*\n403 .*\n$/);
});

test("without the sandbox's programs every command is refused with their names, and nothing runs", async () => {
  const bare = await openSandboxedShell({ folder, hidden: [], clock, env: { PATH: join(folder, "empty") } });
  const refused = await bare.run("touch ran", {
    timeLimitMs: 1_000,
    signal: new AbortController().signal,
    onOutput: () => {},
  });
  expect(refused).toMatchObject({ ok: false, error: { code: "SANDBOX_UNAVAILABLE" } });
  expect(!refused.ok && refused.error.message).toMatch(/bubblewrap \(bwrap\) and ripgrep \(rg\).*apt install/s);
  expect((await run("ls ran")).end).toEqual({ type: "exited", code: 2 });
  await bare.close();
});

test("when the system forbids the sandbox, its own message is shown", async () => {
  const programs = mkdtempSync(join(tmpdir(), "heddle-forbidden-"));
  for (const name of ["bwrap", "rg"]) {
    writeFileSync(
      join(programs, name),
      "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n",
      {
        mode: 0o755,
      },
    );
  }
  const forbidden = await openSandboxedShell({
    folder,
    hidden: [],
    clock,
    env: { ...env, PATH: `${programs}:${env["PATH"]}` },
  });
  const refused = await forbidden.run("touch ran", {
    timeLimitMs: 1_000,
    signal: new AbortController().signal,
    onOutput: () => {},
  });
  expect(!refused.ok && refused.error.message).toContain("No permissions to create a new namespace");
  await forbidden.close();
});

test("when the folder changes between the look at it and the start, the sandbox is set up again, and no command runs twice", async () => {
  const programs = mkdtempSync(join(tmpdir(), "heddle-late-"));
  const [real, path] = [findProgram("bwrap", (env["PATH"] ?? "").split(delimiter)), env["PATH"]];
  const fails = join(programs, "fails");
  // Fails as often as there are lines in the file.
  const script = `#!/bin/sh\nif [ -s ${fails} ]; then sed -i 1d ${fails}; echo "bwrap: Can't find source path /gone" >&2; exit 1; fi\nexec ${real} "$@"\n`;
  writeFileSync(join(programs, "bwrap"), script, { mode: 0o755 });
  const late = await openSandboxedShell({ folder, hidden: [], clock, env: { ...env, PATH: `${programs}:${path}` } });
  const ran = async (command: string) => {
    let output = "";
    const onOutput = (text: string): void => void (output += text);
    const ended = await late.run(command, { timeLimitMs: 20_000, signal: new AbortController().signal, onOutput });
    return [ended.ok ? ended.value : ended.error.message, output];
  };
  expect(await ran("true")).toEqual([{ type: "exited", code: 0 }, ""]);
  writeFileSync(fails, "1\n2\n");
  expect(await ran("echo once >> once; echo out; exit 1")).toEqual([{ type: "exited", code: 1 }, "out\n"]);
  expect(readFileSync(join(folder, "once"), "utf8")).toBe("once\n");
  writeFileSync(fails, "1\n2\n3\n");
  expect(await ran("echo never >> never")).toEqual([expect.stringContaining("Can't find source path /gone"), ""]);
  expect(existsSync(join(folder, "never"))).toBe(false);
  await late.close();
  rmSync(programs, { recursive: true });
});

test("S-39 a cancelled process tree ends within 100 ms, with grandchildren and a fork that ignores SIGTERM", async () => {
  const own = folderOfNobody();
  const tree = `trap "" TERM INT HUP; (trap "" TERM INT HUP; (trap "" TERM; setsid sleep 5252 >/dev/null 2>&1) & sleep 5252) & echo started; sleep 5252`;
  const count = scaled(10);
  const commands = Array.from({ length: count }, () => ({ command: tree, cancelAt: "started" }));
  const ran = await runAsNobody({ shell: { folder: own, hidden: [] }, commands, atOnce: 1 }, { HOME: own });
  expect(ran.map(({ ended }) => ended)).toEqual(ran.map(() => ({ ok: true, value: { type: "cancelled" } })));
  const took = ran.map(({ cancelMs }) => cancelMs ?? Infinity).toSorted((a, b) => a - b);
  expect(took.length).toBe(count);
  // Beside other tests the machine is busy: then the test checks the median, and the 95th percentile only for a hundred
  // runs.
  const share = count < 100 ? 0.5 : 0.95;
  expect(took[Math.ceil(count * share) - 1]).toBeLessThan(100);
  expect(processes()).not.toContain("sleep 5252");
  rmSync(own, { recursive: true, force: true });
});

test("19.6 a command whose processes use too much memory together ends as a whole, and says why", async () => {
  const memoryMax = 150 * 1024 * 1024;
  const small = await openSandboxedShell({ folder, hidden: [], clock, env, memoryMax });
  let said = "";
  const onOutput = (text: string): void => void (said += text);
  const run = { timeLimitMs: 60_000, signal: new AbortController().signal, onOutput };
  writeFileSync(join(folder, "grows"), "x=$(head -c 32000000 /dev/zero | tr '\\0' x); sleep $1\n");
  expect(await small.run("bash grows 1", run), said).toEqual({ ok: true, value: { type: "exited", code: 0 } });
  const ended = await small.run("(setsid bash grows 7171 &); bash grows 7171 & bash grows 7171", run);
  expect(ended, said).toEqual({ ok: true, value: { type: "out-of-memory" } });
  expect(processes()).not.toContain("sleep 7171");
  expect(await small.run("echo fits", run)).toEqual({ ok: true, value: { type: "exited", code: 0 } });
  await small.close();
});

/** The process of the newest shell; the oldest belongs to the other tests. */
function newestHelper(): number {
  const rows = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" }).split("\n");
  const helpers = rows.flatMap((row) => new RegExp(`^ *(\\d+) +${process.pid} .*sandbox-process`).exec(row)?.[1] ?? []);
  return Number(helpers.at(-1));
}

test("a sandbox that no longer answers does not delay the end of its shell", async () => {
  const own = await openSandboxedShell({ folder, hidden: [], clock, env });
  const signal = new AbortController().signal;
  expect(await own.run("true", { timeLimitMs: 10_000, signal, onOutput: () => {} })).toMatchObject({ ok: true });
  process.kill(newestHelper(), "SIGSTOP");
  const hanging = own.run("true", { timeLimitMs: 10_000, signal, onOutput: () => {} });
  // By then it has asked the sandbox for its command line.
  await new Promise((resolve) => setTimeout(resolve, 30));
  const before = performance.now();
  await own.close();
  expect(await hanging).toMatchObject({ ok: true, value: { type: "cancelled" } });
  expect(performance.now() - before).toBeLessThan(8_000);
});

test("a lost sandbox is started again, and a shell leaves nothing behind", async () => {
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
  try {
    const own = await openSandboxedShell({ folder, hidden: [], clock, env });
    const end = async (command: string): Promise<CommandEnd | string> => {
      const ended = await own.run(command, {
        timeLimitMs: 10_000,
        signal: new AbortController().signal,
        onOutput: () => {},
      });
      return ended.ok ? ended.value.type : ended.error.code;
    };
    expect(await end("true")).toBe("exited");
    process.kill(newestHelper(), "SIGKILL");
    expect(await end("true")).toBe("exited");
    expect(readdirSync(temporary)).toHaveLength(1);
    await own.close();
    expect(readdirSync(temporary)).toEqual([]);
    expect(await end("true")).toBe("cancelled");
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});

test("a folder that a command has closed to its own user is removed when the shell closes", async () => {
  const work = folderOfNobody();
  const temporary = folderOfNobody();
  const closing = 'mkdir -p "$TMPDIR/x/y" && chmod 000 "$TMPDIR/x"';
  const errand = { shell: { folder: work, hidden: [] }, commands: [{ command: closing }], atOnce: 1 };
  const [ran] = await runAsNobody(errand, { TMPDIR: temporary });
  expect(ran?.ended).toEqual({ ok: true, value: { type: "exited", code: 0 } });
  expect(readdirSync(temporary)).toEqual([]);
  rmSync(work, { recursive: true, force: true });
  rmSync(temporary, { recursive: true, force: true });
});

test("a killed server ends its commands and removes their files", async () => {
  const own = mkdtempSync(join(tmpdir(), "heddle-shell-killed-"));
  const temporary = mkdtempSync(join(tmpdir(), "heddle-shell-temporary-"));
  const errand = { shell: { folder: own, hidden: [] }, commands: [{ command: "touch on; sleep 7171" }], atOnce: 1 };
  const script = join(import.meta.dirname, "run-commands.ts");
  const server = spawn(process.execPath, [script, JSON.stringify(errand)], { env: { ...env, TMPDIR: temporary } });
  await expect.poll(() => existsSync(join(own, "on")), { timeout: 20_000 }).toBe(true);
  server.kill("SIGKILL");
  await expect.poll(processes, { timeout: 5_000 }).not.toContain("sleep 7171");
  await expect.poll(() => [readdirSync(own), readdirSync(temporary)], { timeout: 5_000 }).toEqual([["on"], []]);
  rmSync(own, { recursive: true, force: true });
  rmSync(temporary, { recursive: true, force: true });
});

test("kernel settings cannot be written and no service's socket is reachable, even if the server runs as root", async () => {
  const place = mkdtempSync(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "heddle-socket-"));
  let connected = 0;
  const service = createSocketServer(() => (connected += 1));
  await new Promise<void>((resolve) => service.listen(join(place, "socket"), resolve));
  const setting = "/proc/sys/kernel/domainname";
  const before = readFileSync(setting, "utf8");
  const dial = `node -e 'require("net").connect("${place}/socket").on("connect",()=>console.log("CONNECTED")).on("error",e=>console.log("refused"))'`;
  const { output } = await run(
    `echo changed > ${setting}; cat ${setting}; timeout 5 ${dial}; ls -l /proc/sys/kernel/core_pattern`,
  );
  service.close();
  rmSync(place, { recursive: true, force: true });
  expect(readFileSync(setting, "utf8")).toBe(before);
  expect(output).toContain("refused");
  expect(connected).toBe(0);
});

function processes(): string {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
}
