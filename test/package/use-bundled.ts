import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as hints from "../../src/adapters/hints/nats-hints.ts";
import { TestNatsServer } from "../../src/adapters/hints/nats-server.test-support.ts";
import type * as mcp from "../../src/adapters/mcp/connect.ts";
import type * as shells from "../../src/adapters/shell/sandboxed-shell.ts";
import type * as tokenizer from "../../src/adapters/tokens/exact-tokens.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";

// Uses each bundled package through the installed Heddle, and prints the results.
// node test/package/use-bundled.ts FOLDER-OF-HEDDLE WORKING-FOLDER

const [installed = "", folder = ""] = process.argv.slice(2);
const mcpServer = join(import.meta.dirname, "../../src/adapters/mcp/fixture-server.test-support.ts");
const { clock, logger } = systemPlatform("error");
const { signal } = new AbortController();

const { loadTokenizer } = await builtFile<typeof tokenizer>("adapters/tokens/exact-tokens.js");
const { mcpConnector } = await builtFile<typeof mcp>("adapters/mcp/connect.js");
const { openNatsHints } = await builtFile<typeof hints>("adapters/hints/nats-hints.js");
const { openSandboxedShell } = await builtFile<typeof shells>("adapters/shell/sandboxed-shell.js");

const tokens = (await loadTokenizer())("hello world");
const tools = await toolNames();
const printed = await printedBy("echo from the sandbox");
const hinted = await hintArrives();
console.log(JSON.stringify({ tokens, tools, printed, hinted }));

async function hintArrives(): Promise<boolean> {
  const server = new TestNatsServer({ token: "t0ken" });
  await server.start();
  const credentials = { type: "token", token: "t0ken" } as const;
  const place = { host: "127.0.0.1", port: server.port, isTls: false, credentials };
  const bus = openNatsHints({ place, secret: new Uint8Array(32), clock, logger });
  await new Promise<void>((resolve) => bus.onHint(resolve));
  await bus.close();
  await server.stop();
  return true;
}

async function toolNames(): Promise<readonly string[]> {
  const server = await mcpConnector("0.0.0")(
    { type: "stdio", command: process.execPath, args: [mcpServer], env: {}, cwd: folder },
    {
      clock,
      signal,
      times: { connectMs: 20_000, callMs: 20_000, callMsMax: 20_000 },
      events: { onToolsChanged() {}, onClosed() {}, onNoise() {} },
    },
  );
  if (!server.ok) throw new Error(server.error.message);
  const listed = await server.value.listTools();
  await server.value.close();
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value.map(({ name }) => name);
}

async function printedBy(command: string): Promise<string> {
  const shell = await openSandboxedShell({ folder, hidden: [], clock, env: process.env });
  let text = "";
  const ended = await shell.run(command, { timeLimitMs: 20_000, signal, onOutput: (piece) => void (text += piece) });
  await shell.close();
  return ended.ok ? text : ended.error.message;
}

async function builtFile<Exports>(path: string): Promise<Exports> {
  const loaded: Exports = await import(pathToFileURL(join(installed, "dist", path)).href);
  return loaded;
}
