import { spawn } from "node:child_process";
import { errorTable } from "../../core/base/errors.ts";
import type { DataDirectory } from "../data/data-directory.ts";
import type { CommandForm, CommandLine } from "./base/command-line.ts";
import { packageVersion } from "./base/package-root.ts";
import { addressToOpen, runningServer } from "./start/running-server.ts";
import { stopSignal } from "./base/stop-signals.ts";
import { styled, type Terminal } from "./base/terminal.ts";

export const serveForm: CommandForm = {
  name: "serve",
  values: [
    "data",
    "models",
    "mcp-config",
    "store",
    "blobs",
    "workspace",
    "workspace-branch",
    "shell",
    "shell-hosts",
    "documents",
    "canvas-tools",
    "web",
    "search-url",
    "port",
    "host",
    "public-url",
    "oidc-issuer",
    "oidc-client-id",
    "oidc-name",
    "model",
    "context-window",
    "when-full",
    "compact-at",
    "thinking",
    "tell-edits",
    "script",
    "tool-syntax",
    "tool-calls",
    "approvals",
    "budget-tokens",
    "budget-dollars",
    "budget-steps",
    "budget-sub-agents",
    "agent-pace",
    "lease-ttl-ms",
    "history-days",
    "node-address",
    "shared-data",
    "node-ttl-ms",
    "nats",
    "nats-credentials",
  ],
  switches: ["open", "json", "allow-remote", "team", "verbose"],
};

/** How long a server may take to stop before the process ends without it. Milliseconds. */
const drainMs = 5000;
/** How long a node may take to hand over what it owns. */
const nodeDrainMs = 10_000;

/** Serves until a signal asks it to stop. Returns the exit code. */
export async function serve(line: CommandLine, terminal: Terminal): Promise<number> {
  // Installed before the start: a signal during the start takes effect when the start is done, and ends in order.
  const stopped = stopSignal();
  const { startFromLine } = await import("./start/start-from-line.ts");
  const started = await startFromLine(line, terminal);
  if (!started.ok) {
    terminal.note(styled(terminal, "red", `heddle: ${started.error.message}`));
    // A second start is how a person gets the printed address back.
    const running = started.error.code === "DATA_IN_USE" ? await runningServer(line, terminal) : null;
    if (running?.ok === true) terminal.note(`The running server is at ${addressToOpen(running.value)}`);
    return errorTable[started.error.code].exit;
  }
  const { address, server, data, modelProblem, ownerLink } = started.value;
  if (line.switches.has("json")) {
    const { port, url } = server;
    terminal.print(
      JSON.stringify({
        address,
        ...(ownerLink === null ? {} : { ownerLink }),
        url,
        port,
        data: data.root,
        version: packageVersion(),
        pid: process.pid,
      }),
    );
  } else {
    terminal.print(`Heddle is ready: ${styled(terminal, "bold", address)}`);
    if (ownerLink !== null) {
      terminal.print(`Open this link to become the first owner: ${styled(terminal, "bold", ownerLink)}`);
      terminal.note("It works once, for 15 minutes. Start Heddle again for another.");
    }
    terminal.note(styled(terminal, "dim", `Data in ${data.root}. Ctrl-C stops the server.`));
  }
  // The server still starts: a key may be set in the app.
  if (modelProblem !== null) terminal.note(styled(terminal, "yellow", modelProblem));
  void started.value.recognised.then((words) => {
    if (words !== null) terminal.note(styled(terminal, "dim", words));
  });
  if (line.switches.has("open") && terminal.isInteractive) openBrowser(ownerLink ?? address);
  const ended = await Promise.race([stopped.then(() => null), started.value.ended ?? new Promise<never>(() => {})]);
  if (ended !== null) terminal.note(styled(terminal, "red", `heddle: ${ended}`));
  const isNode = started.value.ended !== undefined;
  const code = await drain(() => started.value.stop(), data, terminal, isNode ? nodeDrainMs : drainMs);
  return ended === null ? code : 1;
}

async function drain(
  stop: () => Promise<void>,
  data: DataDirectory,
  terminal: Terminal,
  boundMs: number,
): Promise<number> {
  terminal.note("Stopping. Press Ctrl-C again to end at once.");
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), boundMs);
  });
  const ended = await Promise.race([stop().then(() => "stopped" as const), bound]);
  clearTimeout(timer);
  const how =
    ended === "stopped" ? "Stopped." : "Stopped before everything had finished. The rest continues at the next start.";
  terminal.note(`${how} Your data is in ${data.root}.`);
  return 0;
}

function openBrowser(address: string): void {
  const [program, args]: readonly [string, readonly string[]] =
    process.platform === "darwin"
      ? ["open", [address]]
      : process.platform === "win32"
        ? ["rundll32", ["url.dll,FileProtocolHandler", address]]
        : ["xdg-open", [address]];
  const opener = spawn(program, [...args], { stdio: "ignore", detached: true });
  // Without a browser, the person can still open the printed address.
  opener.on("error", () => {});
  opener.unref();
}
