import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../core/base/reason.ts";
import { closedCalls } from "./closed-calls.ts";
import { hold, isEmpty, isHeld, lookForObeyed } from "./obeyed-files.ts";
import { removeFolder } from "./remove-folder.ts";
import type { SandboxAnswer, SandboxRequest } from "./sandbox-messages.ts";
import type { FolderRules } from "./sandbox-policy.ts";
import { SandboxManager } from "./sandbox-runtime.ts";

// Runs in its own process, because the sandbox protects the process's working folder and keeps one state per process. It
// exits with the server, however the server exits, and then removes the sandbox's files from the folder.

function answer(message: SandboxAnswer): void {
  process.send?.(message);
}

let own: string | null = null;
/** The file with the filter of the kernel's calls; null before the start, and where there is none. */
let filterFile: string | null = null;
/** The most files that the sandbox is told to protect besides its own. */
const keptMax = 800;

async function open({ policy, own: given }: Extract<SandboxRequest, { readonly type: "open" }>): Promise<void> {
  own = given;
  try {
    if (process.platform === "linux") filterFile = writeFilter(given);
    // Without hosts there are no proxies, and nothing in the sandbox connects to them.
    if (policy.network.allowedDomains.length === 0) SandboxManager.updateConfig(policy);
    else await SandboxManager.initialize(policy);
    answer({ type: "opened" });
  } catch (problem) {
    answer({ type: "not-opened", reason: reasonOf(problem) });
  }
}

/** How many commands run, and what the folder had when none did. */
let running = 0;
let known: ReadonlySet<string> = new Set();
/** The folder of the commands. */
const folder = process.cwd();

/** Adds to the rules what other programs run or obey in the folder as it is, and what may have another name outside. */
function withObeyed(rules: FolderRules): FolderRules {
  const { paths, linked, ofGit } = lookForObeyed(folder);
  if (running === 0) known = paths;
  // What lies in a folder that is kept needs no rule of its own, and may go before the command starts.
  const isApart = (path: string): boolean => ![...ofGit].some((place) => path.startsWith(`${place}/`));
  const kept = [...ofGit, ...[...paths, ...linked].filter(isApart)].slice(0, keptMax);
  const denied = kept.map((path) => ({ path: join(folder, path), literal: true }) as const);
  return { ...rules, denyWrite: [...rules.denyWrite, ...denied] };
}

/** Renames what came into the folder while commands ran and other programs would run or obey by itself. */
function holdNew(): readonly string[] {
  // While others run, the sandbox keeps empty files in the place of those that they may not make.
  const isOwn = (path: string): boolean => running > 0 && isEmpty(join(folder, path));
  const found = [...lookForObeyed(folder).paths];
  return hold(
    folder,
    found.filter((path) => !known.has(path) && !isHeld(path) && !isOwn(path)),
  );
}

async function wrap({ id, command, rules }: Extract<SandboxRequest, { readonly type: "wrap" }>): Promise<void> {
  let counted = false;
  try {
    const filesystem = withObeyed(rules);
    running += 1;
    counted = true;
    const line = await SandboxManager.wrapWithSandbox(command, "bash", { filesystem });
    answer({ type: "wrapped", id, line: withClosedCalls(line) });
  } catch (problem) {
    if (counted) running -= 1;
    answer({ type: "not-wrapped", id, reason: reasonOf(problem) });
  }
}

function clean({ id }: Extract<SandboxRequest, { readonly type: "ended" }>): void {
  SandboxManager.cleanupAfterCommand();
  running -= 1;
  answer({ type: "cleaned", id, held: holdNew() });
}

const ownProcesses = " --proc /proc ";
/** Read-only: the root user outside controls the kernel's settings inside too, and one names a program that it runs. */
const kernelSettings = "--ro-bind /proc/sys /proc/sys ";
/** The descriptor on which bubblewrap reads the filter. */
const filterFd = 8;

/** Closes calls of the kernel, and for root its settings. Throws when the line has an unknown form. */
function withClosedCalls(line: string): string {
  if (process.platform !== "linux") return line;
  const at = line.indexOf(ownProcesses);
  if (!line.includes("bwrap ") || at < 0 || at > line.indexOf(" -- ") || filterFile === null)
    throw new Error("the sandbox's command line has an unknown form");
  const end = at + ownProcesses.length;
  const more = `${process.geteuid?.() === 0 ? kernelSettings : ""}--seccomp ${filterFd} `;
  return `${line.slice(0, end)}${more}${line.slice(end)} ${filterFd}<'${filterFile}'`;
}

/** Writes the filter where only this process's user may change it; returns its path. */
function writeFilter(own: string): string | null {
  const filter = closedCalls(process.arch);
  const path = join(own, "sandbox", "closed-calls");
  if (filter === null || path.includes("'")) return null;
  writeFileSync(path, filter, { mode: 0o600 });
  return path;
}

process.on("message", (request: SandboxRequest) => {
  if (request.type === "open") void open(request);
  else if (request.type === "wrap") void wrap(request);
  else clean(request);
});

process.on("disconnect", () => {
  const leave = async (): Promise<never> => {
    if (own !== null) await removeFolder(own);
    process.exit(0);
  };
  SandboxManager.reset().then(leave, leave);
});

// The server's terminal sends SIGINT to every foreground process; the server decides when this process exits.
process.on("SIGINT", () => {});
