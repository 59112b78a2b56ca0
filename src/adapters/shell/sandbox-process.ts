import { reasonOf } from "../../core/base/reason.ts";
import { removeFolder } from "./remove-folder.ts";
import type { SandboxAnswer, SandboxRequest } from "./sandbox-messages.ts";
import { SandboxManager } from "./sandbox-runtime.ts";

// Runs in its own process, because the sandbox protects the process's working folder and keeps one state per process. It
// exits with the server, however the server exits, and then removes the sandbox's files from the folder.

function answer(message: SandboxAnswer): void {
  process.send?.(message);
}

let own: string | null = null;

async function open({ policy, own: folder }: Extract<SandboxRequest, { readonly type: "open" }>): Promise<void> {
  own = folder;
  try {
    // Without hosts there are no proxies, and nothing in the sandbox connects to them.
    if (policy.network.allowedDomains.length === 0) SandboxManager.updateConfig(policy);
    else await SandboxManager.initialize(policy);
    answer({ type: "opened" });
  } catch (problem) {
    answer({ type: "not-opened", reason: reasonOf(problem) });
  }
}

async function wrap({ id, command, rules }: Extract<SandboxRequest, { readonly type: "wrap" }>): Promise<void> {
  try {
    const line = await SandboxManager.wrapWithSandbox(command, "bash", { filesystem: rules });
    answer({ type: "wrapped", id, line: process.geteuid?.() === 0 ? withoutKernelSettings(line) : line });
  } catch (problem) {
    answer({ type: "not-wrapped", id, reason: reasonOf(problem) });
  }
}

function clean({ id }: Extract<SandboxRequest, { readonly type: "ended" }>): void {
  SandboxManager.cleanupAfterCommand();
  answer({ type: "cleaned", id });
}

const ownProcesses = " --proc /proc ";

/**
 * The root user outside controls the kernel's settings inside as well, and one setting names a program that the kernel
 * runs. This makes them read-only. Throws when the line has an unknown form.
 */
function withoutKernelSettings(line: string): string {
  const at = line.indexOf(ownProcesses);
  if (!line.includes("bwrap ") || at < 0 || at > line.indexOf(" -- "))
    throw new Error("the sandbox's command line has an unknown form");
  const end = at + ownProcesses.length;
  return `${line.slice(0, end)}--ro-bind /proc/sys /proc/sys ${line.slice(end)}`;
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
