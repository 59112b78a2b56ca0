import { uploadBlob } from "../start/upload-blob.ts";
import { randomBytes } from "node:crypto";
import { Readable, Writable } from "node:stream";
import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { packageVersion } from "../base/package-root.ts";
import type { Terminal } from "../base/terminal.ts";
import { reachServer, serverValues, type ReachedServer } from "../start/reach-server.ts";
import type { DoorServer } from "./agent-door.ts";

export const acpForm: CommandForm = {
  name: "acp",
  values: serverValues,
  switches: [],
};

export const acpHelp = `heddle acp: work as an agent in an editor, over the Agent Client Protocol

Examples
  heddle acp                      an editor starts this and speaks over stdin and stdout
  heddle acp --data ./notes       with the workspace in ./notes
  heddle acp --url http://127.0.0.1:7420    at that server; its token in HEDDLE_TOKEN

Zed, in settings.json:
  "agent_servers": { "Heddle": { "type": "custom", "command": "heddle", "args": ["acp"] } }
JetBrains, in ~/.jetbrains/acp.json:
  { "agent_servers": { "Heddle": { "command": "heddle", "args": ["acp"] } } }

Each session is a conversation of the workspace, so the app shows it too. Where a server runs on the data folder, heddle acp joins
it; otherwise it starts one, which ends with the editor. Standard output holds the protocol alone.

Flags
  --url URL          the address of the server
  --token T          its token; better HEDDLE_TOKEN, or the whole address in --url: every user can read flags
  --data DIR         the data folder, and the server on it       HEDDLE_DATA
  --store URL        a PostgreSQL database, as for "heddle serve" HEDDLE_DATABASE_URL
  --models FILE      the catalogue, as for "heddle serve"        HEDDLE_MODELS
  --workspace DIR, --context-window N, --when-full WHAT: as for "heddle serve"`;

/** The largest message of an editor. Bytes. */
const messageBytesMax = 32 * 1024 * 1024;

/** Speaks with an editor over stdin and stdout until it leaves. Returns the exit code. */
export async function acp(line: CommandLine, terminal: Terminal): Promise<number> {
  const [{ agentDoor }, { ndJsonStream }] = await Promise.all([
    import("./agent-door.ts"),
    import("../../../adapters/acp/acp-package.ts"),
  ]);
  const quiet: Terminal = { ...terminal, print: (text) => terminal.note(text) };
  let reached: Promise<Result<ReachedServer, Refusal>> | null = null;
  const door = agentDoor({
    version: packageVersion(),
    draw: () => randomBytes(6).toString("hex"),
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    reach: async () => {
      reached = reachServer(line, quiet);
      const server = await reached;
      if (server.ok) return ok(doorServer(server.value));
      terminal.note(`heddle: ${server.error.message}`);
      return server;
    },
  });
  const stream = ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    { maxMessageBytes: messageBytesMax },
  );
  const connection = door.connect(stream);
  await Promise.race([connection.closed, signalled()]);
  connection.close();
  const server = await (reached as Promise<Result<ReachedServer, Refusal>> | null);
  if (server?.ok === true) await server.value.close();
  return 0;
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

function doorServer({ client, url, token }: ReachedServer): DoorServer {
  return { client, upload: (bytes) => uploadBlob({ url, token }, bytes) };
}
