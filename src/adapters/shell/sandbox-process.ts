import { reasonOf } from "../../core/base/reason.ts";
import { removeFolder } from "./remove-folder.ts";
import type { SandboxAnswer, SandboxRequest } from "./sandbox-messages.ts";
import { SandboxManager } from "./sandbox-runtime.ts";

// A process of its own, because the sandbox protects what lies in the folder that its process stands in, and keeps one
// state a process. It ends when the server does, however that ends, and removes then what the sandbox put in the folder.

function answer(message: SandboxAnswer): void {
  process.send?.(message);
}

let own: string | null = null;

async function open({ policy, own: folder }: Extract<SandboxRequest, { readonly type: "open" }>): Promise<void> {
  own = folder;
  try {
    // Without hosts there are no proxies, and nothing in the sandbox to talk to them.
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
 * Who is root outside owns the kernel's settings inside as well, and one of them names a program that the kernel runs:
 * they are shown read-only. Throws where the line is not of the form that is known.
 */
function withoutKernelSettings(line: string): string {
  const at = line.indexOf(ownProcesses);
  if (!line.includes("bwrap ") || at < 0 || at > line.indexOf(" -- ")) throw new Error("the sandbox has another form");
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

// The server's terminal says so to every process in its foreground; the server decides when this one goes.
process.on("SIGINT", () => {});
