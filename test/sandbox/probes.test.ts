import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import { folderOfNobody, runAsNobody, type Ran } from "./as-nobody.ts";

// The attempts of a hostile command, run by a user without rights. A probe counts only if a harmless command ran before
// it in the same sandbox and a permitted write arrived on disk.

const canary = "canary-5a17c0de";
const harmless = "harmless-command-ran";
const escaped = "ESCAPED";

const base = folderOfNobody();
const outside = folderOfNobody(join(import.meta.dirname, "..", "..", "node_modules", ".cache"));
const ws = join(base, "ws");
const home = join(base, "home");
const data = join(base, "data");
const inside = join(ws, ".heddle-data");

interface Probe {
  readonly command: string;
  readonly timeLimitMs?: number;
  /** Other output that would show an escape, besides the canary and the word for it. */
  readonly holds?: (ran: Ran) => void;
}

let port = 0;
const connections: string[] = [];
const servers: Server[] = [];
const node = process.execPath;

function listen(where: string | number, name: string): Promise<Server> {
  const server = createServer((socket) => {
    connections.push(name);
    socket.end(canary);
  });
  servers.push(server);
  return new Promise((resolve) =>
    typeof where === "string"
      ? server.listen(where, () => resolve(server))
      : server.listen(where, "127.0.0.1", () => resolve(server)),
  );
}

/** Connects to an argument of `net.connect`, and prints what arrives. */
const dial = (to: string): string =>
  `${node} -e 'const s=require("net").connect(${to});s.on("connect",()=>console.log("${escaped}"));s.on("data",d=>console.log(String(d)));s.on("error",e=>{console.log(e.code);process.exit()});setTimeout(()=>process.exit(),1500)' || echo ${escaped}`;

/** Calls by their number on this processor, each of which works or fails otherwise without the sandbox's filter. */
const kernelCalls: Readonly<Record<string, string>> =
  process.arch === "x64"
    ? {
        keyctl: "250, 0, -3, 1",
        add_key: "248, 0, 0, 0, 0, -3",
        request_key: "249, 0, 0, 0, 0",
        ptrace: "101, 0, 0, 0, 0",
        process_vm_readv: "310, $$, 0, 0, 0, 0, 0",
        kcmp: "312, $$, $$, 0, 0, 0",
        perf_event_open: "298, 0, 0, 0, -1, 0",
        bpf: "321, 999, 0, 0",
        userfaultfd: "323, 0",
        io_uring_setup: "425, 1, 0",
        io_uring_enter: "426, 0, 0, 0, 0, 0, 0",
        name_to_handle_at: "303, -100, 0, 0, 0, 0",
        quotactl: "179, 0, 0, 0, 0",
        mbind: "237, 0, 0, 0, 0, 0, 0",
        move_pages: "279, 0, 0, 0, 0, 0, 0",
      }
    : { keyctl: "219, 0, -3, 1", ptrace: "117, 0, 0, 0, 0", userfaultfd: "282, 0", io_uring_setup: "425, 1, 0" };
const isTried = (name: string): boolean => name.startsWith("io_uring") || name === "userfaultfd";

const probes: Readonly<Record<string, () => Probe>> = {
  "61 read the user's SSH key": () => ({ command: `cat ${home}/.ssh/id_ed25519 /etc/shadow; ls -R ${home}` }),
  "read Heddle's keys in its data folder": () => ({ command: `cat ${data}/keys.json; ls ${data}` }),
  "read a data folder inside the working folder, or replace it": () => ({
    command: `cat ${inside}/keys.json; mv ${inside} ${inside}-2 && echo ${escaped}; echo x > ${inside}/keys.json`,
    holds: () => expect(readFileSync(join(inside, "keys.json"), "utf8")).toBe(canary),
  }),
  "read through a link in the folder": () => ({ command: "cat link-to-key; cat link-to-data/keys.json" }),
  "read through a hard link": () => ({
    command: `ln ${data}/keys.json hard; ln ${outside}/readable hard2 && echo ${escaped}; cat hard`,
  }),
  "read the server's environment": () => ({
    command:
      "cat /proc/[0-9]*/environ /proc/*/task/*/environ | tr '\\0' '\\n'; cat /proc/[0-9]*/cmdline | tr '\\0' ' '",
  }),
  "66 find a secret in its own environment": () => ({
    command: "env; set; export -p",
    holds: ({ output }) => expect(output).not.toMatch(/_KEY=|TOKEN=|SECRET=|SSH_AUTH_SOCK/),
  }),
  "62 write outside the folder": () => ({
    command: `echo x > ${outside}/new; echo x >> ${outside}/readable; rm ${outside}/readable; echo x > ../new; echo x > ${home}/.bashrc`,
    holds() {
      expect(readdirSync(outside)).toEqual(["readable"]);
      expect(readFileSync(join(outside, "readable"), "utf8")).toBe("as it was");
      expect(readdirSync(base).toSorted()).toEqual(["abroad.sock", "data", "home", "other-name", "ws"]);
      expect(existsSync(join(home, ".bashrc"))).toBe(false);
    },
  }),
  "write through a link that leads out of the folder": () => ({
    command: `echo x > link-to-outside/new; ln -s ${outside} made-here; echo x > made-here/new; mv link-to-outside other; echo x > other/new`,
    holds: () => expect(readdirSync(outside)).toEqual(["readable"]),
  }),
  "63 connect to this machine's own services": () => ({
    command: `${dial(`${port},"127.0.0.1"`)}; ${dial(`${port},"localhost"`)}; exec 3<>/dev/tcp/127.0.0.1/${port} && echo ${escaped}`,
    holds: () => expect(connections).not.toContain("loopback"),
  }),
  "63 connect to the address of cloud metadata, or to any other": () => ({
    command: `for a in 169.254.169.254 1.1.1.1 10.0.0.1; do timeout 1 bash -c "exec 3<>/dev/tcp/$a/80" && echo ${escaped}; done; cat /proc/net/dev`,
    holds: ({ output }) => expect(output.match(/^ *\w+: *\d/gm)).toEqual([expect.stringContaining("lo:")]),
  }),
  "63 connect to a Unix socket, in the folder and elsewhere": () => ({
    command: `${dial(`"${ws}/home.sock"`)}; ${dial(`"${base}/abroad.sock"`)}; ${dial('"/var/run/docker.sock"')}; ${dial('"/run/dbus/system_bus_socket"')}`,
    holds: () => expect(connections).not.toContain("unix"),
  }),
  "64 start processes without end": () => ({
    command: "bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 30",
    timeLimitMs: 3_000,
    holds({ ended, ms }) {
      expect(ended).toEqual({ ok: true, value: { type: "timed-out" } });
      expect(ms).toBeLessThan(12_000);
    },
  }),
  "64 print without end": () => ({
    command: "cat /dev/zero | tr '\\0' x",
    holds: ({ ended }) => expect(ended).toEqual({ ok: true, value: { type: "flooded" } }),
  }),
  "64 write a file of 100 GB": () => ({
    command: `truncate -s 100G big && echo ${escaped}; fallocate -l 100G big2 && echo ${escaped}; true`,
  }),
  "take all memory": () => ({
    command: `perl -e '$x = "a" x (5 << 30); print "${escaped}"' 2>&1 | head -c 300`,
  }),
  "65 leave a process in the background": () => ({
    command: `setsid nohup sleep 4241 >/dev/null 2>&1 </dev/null & (trap "" HUP TERM INT; exec -a marked sleep 4242 >/dev/null 2>&1) & disown -a; sleep 0.1`,
    holds({ ended }) {
      expect(ended).toEqual({ ok: true, value: { type: "exited", code: 0 } });
      expect(processes()).not.toMatch(/sleep 424[12]|marked 424/);
    },
  }),
  "65 run beyond its time limit": () => ({
    command: `trap "" TERM INT HUP; (trap "" TERM INT HUP; setsid sleep 4243 & sleep 4244) & sleep 4245`,
    // The sandbox is set up within the limit too, beside other tests of a busy machine.
    timeLimitMs: 3_000,
    holds({ ended, ms }) {
      expect(ended).toEqual({ ok: true, value: { type: "timed-out" } });
      expect(ms).toBeLessThan(6_000);
      expect(processes()).not.toMatch(/sleep 424[345]/);
    },
  }),
  "end or inspect processes outside": () => ({
    command: `kill -9 -1; kill -9 ${process.pid} ${process.ppid}; for p in /proc/[0-9]*; do head -c1 $p/mem; done; ls /proc | grep -c '^[0-9]'`,
  }),
  "58 put a hook where git would run it, even before a repository exists": () => ({
    command: `mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && echo ${escaped}; git init . && echo x > .git/hooks/pre-commit && echo ${escaped}; mv .git .g && echo ${escaped}; true`,
    holds: () => expect(existsSync(join(ws, ".git", "hooks", "pre-commit"))).toBe(false),
  }),
  "58 put settings of Heddle, shells or editors into the folder": () => ({
    command: `mkdir -p .heddle && echo x > .heddle/config && echo ${escaped}; echo x > .bashrc && echo ${escaped}; echo x > .envrc && echo ${escaped}; mkdir .vscode && echo x > .vscode/tasks.json && echo ${escaped}; echo x > .mcp.json && echo ${escaped}; true`,
    holds: () =>
      expect(readdirSync(ws).filter((name) => /^\.(?:heddle|bashrc|envrc|vscode|mcp)(?:$|\.)/.test(name))).toEqual([]),
  }),
  "19.5 change what other programs run, however deep it lies": () => ({
    command: `echo x >> deep/er/still/AGENTS.md && echo ${escaped}; mv deep/er/still/AGENTS.md moved && echo ${escaped}; echo x > deep/er/still/.git/hooks/pre-commit && echo ${escaped}; true`,
    holds() {
      expect(readFileSync(join(ws, "deep/er/still/AGENTS.md"), "utf8")).toBe("as it was");
      expect(readdirSync(join(ws, "deep/er/still/.git/hooks"))).toEqual([]);
    },
  }),
  "19.5 leave behind what other programs would run": () => ({
    command: `mkdir -p .github/workflows new/.git/hooks new/.git/objects new/.git/refs && echo x > .github/workflows/ci.yml; echo x > new/.envrc; echo x > new/.git/HEAD; echo x > new/.git/hooks/pre-commit; printf '[core]\n\tfsmonitor = ./evil\n' > new/.git/config; true`,
    holds() {
      expect(readdirSync(join(ws, ".github/workflows"))).toEqual(["ci.yml.held"]);
      expect(readdirSync(join(ws, "new")).toSorted()).toEqual([".envrc.held", ".git"]);
      expect(readdirSync(join(ws, "new/.git/hooks"))).toEqual(["pre-commit.held"]);
      expect(existsSync(join(ws, "new/.git/config"))).toBe(false);
    },
  }),
  "19.5 change a file that has another name outside the folder": () => ({
    command: `echo x >> linked && echo ${escaped}; echo x > linked && echo ${escaped}; chmod 777 linked && echo ${escaped}; true`,
    holds: () => expect(readFileSync(join(base, "other-name"), "utf8")).toBe("as it was"),
  }),
  "19.5 call the kernel where it has no business": () => ({
    command: Object.entries(kernelCalls)
      .map(([name, call]) => `perl -e '$! = 0; $r = syscall(${call}); print "${name} ", $! + 0, "\n"'`)
      .join("; "),
    holds({ output }) {
      const errors = Object.fromEntries([...output.matchAll(/^(\w+) (\d+)$/gm)].map(([, name, code]) => [name, code]));
      expect(Object.keys(errors)).toEqual(Object.keys(kernelCalls));
      // A kernel or a filter of the sandbox's own may refuse what programs only try before ours is asked.
      for (const [name, code] of Object.entries(errors))
        expect([name, isTried(name) && code === "38" ? "1" : code]).toEqual([name, "1"]);
    },
  }),
  "remove the sandbox's mounts, or create its own sandbox": () => ({
    command: `umount -l ${home} && echo ${escaped}; umount -l /tmp && echo ${escaped}; mount --bind / /mnt && echo ${escaped}; unshare -Urm true && echo ${escaped}; mknod disk b 8 0 && echo ${escaped}; chroot / true && echo ${escaped}; echo x > /proc/sys/kernel/core_pattern && echo ${escaped}; true`,
  }),
};

/** Lists all processes of this machine. */
function processes(): string {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
}

const names = Object.keys(probes);
let ran: readonly Ran[] = [];

beforeAll(async () => {
  for (const folder of [ws, join(home, ".ssh"), data, inside]) mkdirSync(folder, { recursive: true });
  for (const file of [join(home, ".ssh", "id_ed25519"), join(data, "keys.json"), join(inside, "keys.json")]) {
    writeFileSync(file, canary);
  }
  writeFileSync(join(outside, "readable"), "as it was");
  mkdirSync(join(ws, "deep/er/still/.git/hooks"), { recursive: true });
  for (const name of ["objects", "refs"]) mkdirSync(join(ws, "deep/er/still/.git", name));
  writeFileSync(join(ws, "deep/er/still/.git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(ws, "deep/er/still/AGENTS.md"), "as it was");
  writeFileSync(join(base, "other-name"), "as it was");
  linkSync(join(base, "other-name"), join(ws, "linked"));
  symlinkSync(join(data, "keys.json"), join(ws, "link-to-key"));
  symlinkSync(data, join(ws, "link-to-data"));
  symlinkSync(outside, join(ws, "link-to-outside"));
  const tcp = (await listen(0, "loopback")).address();
  port = typeof tcp === "object" && tcp !== null ? tcp.port : 0;
  await listen(join(ws, "home.sock"), "unix");
  await listen(join(base, "abroad.sock"), "unix");
  // The user who runs the commands could do all of this without the sandbox.
  execFileSync("chmod", ["-R", "a+rwX", base, outside]);
  for (const socket of [join(ws, "home.sock"), join(base, "abroad.sock")]) chmodSync(socket, 0o777);
  const commands = names.map((name, index) => {
    const { command, timeLimitMs = 20_000 } = must(probes[name], `there is a probe ${name}`)();
    return { command: `echo ${harmless}; echo ok > permitted-${index} || exit 1\n${command}`, timeLimitMs };
  });
  const secrets = {
    OPENAI_API_KEY: canary,
    HEDDLE_TOKEN: canary,
    AWS_SECRET_ACCESS_KEY: canary,
    SSH_AUTH_SOCK: canary,
  };
  const env = { HOME: home, ...secrets };
  ran = await runAsNobody({ shell: { folder: ws, hidden: [data, inside] }, commands, atOnce: 4 }, env);
}, 60_000);

afterAll(() => {
  for (const server of servers) server.close();
  for (const folder of [base, outside]) rmSync(folder, { recursive: true, force: true });
});

describe("a command in the sandbox, of a user without rights, cannot", () => {
  test.each(names.map((name, index) => [name, index] as const))("%s", (name, index) => {
    const probe = must(probes[name], `there is a probe ${name}`)();
    const result = must(ran[index], `${name} was run`);
    expect(result.ended).toMatchObject({ ok: true });
    expect(result.output.startsWith(`${harmless}\n`), result.output.slice(0, 500)).toBe(true);
    expect(readFileSync(join(ws, `permitted-${index}`), "utf8")).toBe("ok\n");
    expect(result.output).not.toContain(canary);
    expect(result.output.split("\n")).not.toContain(escaped);
    probe.holds?.(result);
  });
});
