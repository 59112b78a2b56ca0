import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HeddleClient, TextReplica } from "../../../src/client/base/types.ts";
import type { BlockId } from "../../../src/core/base/ids.ts";
import { connectTestClient, until } from "../../../src/testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../src/testing/test-server.ts";
import { repository } from "../../tidy/source-files.ts";
import type { Agent, HeddleDoor } from "./programs.ts";
import { editWords, startAgentProvider, type Edit } from "./provider.ts";

type Named = readonly [id: string, agent: Agent];

/** Lets each agent edit a line of its own in one canvas, by both ways to Heddle's MCP server, while a person types in the first. */
export async function editOneCanvas(wanted: readonly Named[], bin: string): Promise<void> {
  const server = await startTestServer({ welcome: false });
  const person = connectTestClient(server, { name: "Ada" });
  const ids = wanted.map(([id]) => id);
  let stop = (): string => "";
  try {
    const created = await person.call("canvas.create", { title: "Notes", text: ["Ada: ", ...ids, ""].join("\n") });
    if (!created.ok) throw new Error(created.error.message);
    const text = person.openText(created.value.canvasId);
    await until(text.header, (header) => header !== null);
    stop = typeIn(text);
    for (const [at, named] of wanted.entries()) {
      await tryClient(named, { server, person, bin, canvasId: created.value.canvasId, line: at + 2 });
    }
    const typed = stop();
    await until(text.unconfirmed, (count) => count === 0);
    const lines = text.text().split("\n");
    const expected = [`Ada: ${typed}`, ...ids.map((id) => `${id} over HTTP and by program`), ""];
    if (JSON.stringify(lines) !== JSON.stringify(expected)) {
      throw new Error(`does not hold: the text is what everybody wrote, but ${JSON.stringify(lines)}`);
    }
    checkBlame(text, ids);
    console.log(
      `one canvas: ${typed.length} characters of a person among the edits of ${ids.join(", ")}; nothing lost`,
    );
  } finally {
    stop();
    person.close();
    await server.close();
  }
}

/** Types a character each 20 ms at the end of the first line. Returns what stops it, and returns what was typed. */
function typeIn(text: TextReplica): () => string {
  let typed = "";
  const timer = setInterval(() => {
    const letter = String.fromCharCode(97 + (typed.length % 26));
    const at = text.text().indexOf("\n");
    text.edit([{ from: at, to: at, insert: letter }]);
    typed += letter;
  }, 20);
  return () => {
    clearInterval(timer);
    return typed;
  };
}

/** What each line ends with is its agent's, and what the person typed hers. */
function checkBlame(text: TextReplica, ids: readonly string[]): void {
  const whole = text.text();
  const authorsOf = (words: string): readonly string[] => {
    const from = whole.indexOf(words);
    const spans = text.blame(from, from + words.length);
    return [...new Set(spans.map(({ id }) => text.actorOf(id.replica)?.name ?? "nobody"))];
  };
  for (const id of ids) {
    const authors = authorsOf(`${id} over HTTP and by program`).filter((name) => name !== "Ada");
    if (JSON.stringify(authors) !== JSON.stringify([id])) {
      throw new Error(`does not hold: ${id} wrote its line, but ${JSON.stringify(authors)} did`);
    }
  }
  const first = whole.slice(0, whole.indexOf("\n"));
  if (JSON.stringify(authorsOf(first)) !== '["Ada"]') throw new Error("does not hold: the first line is Ada's");
}

interface Place {
  readonly server: TestServer;
  readonly person: HeddleClient;
  readonly bin: string;
  readonly canvasId: BlockId;
  readonly line: number;
}

async function tryClient([id, agent]: Named, { server, person, bin, canvasId, line }: Place): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), `heddle-${id}-`));
  const cwd = join(home, "work");
  mkdirSync(cwd);
  const provider = await startAgentProvider(agent);
  const began = performance.now();
  try {
    const token = randomBytes(32).toString("base64url");
    const hash = createHash("sha256").update(token).digest("hex");
    const made = await person.call("token.create", { name: id, hash, rights: ["read", "write"] });
    if (!made.ok) throw new Error(made.error.message);
    const command = [process.execPath, join(repository, "bin/heddle.js"), "mcp", "--url", server.url];
    const door: HeddleDoor = { url: server.url, token, command };
    const env = { HOME: home, PATH: process.env["PATH"] ?? "", ...agent.prepare(home, provider.url) };
    const steps = [
      ...edits("hh", canvasId, { line, before: id, after: `${id} over HTTP` }),
      ...edits("heddle", canvasId, { line, before: `${id} over HTTP`, after: `${id} over HTTP and by program` }),
    ];
    const program = agent.asClient(home, door, editWords(steps));
    const { code, output } = await run(
      { ...program, command: join(bin, program.command) },
      { cwd, env: { ...env, ...program.env } },
    );
    const text = await server.workspace.hub.reader.read(canvasId);
    const isDone = text.ok && text.value.text.includes(`${id} over HTTP and by program`);
    if (code !== 0 || !isDone) {
      const asked = provider.seen.requests.map(({ path }) => path).slice(-8);
      const said = `exit code ${code}, ${JSON.stringify(asked)}\n${output.slice(-3_000)}`;
      throw new Error(`${id}: does not hold: it edits the canvas over HTTP and by program: ${said}`);
    }
    console.log(
      `${id}: edits a canvas over HTTP and by program (${((performance.now() - began) / 1000).toFixed(1)} s)`,
    );
  } finally {
    await provider.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A check-out, a patch of one line, a check-in. */
function edits(
  server: string,
  canvasId: BlockId,
  { line, before, after }: { readonly line: number; readonly before: string; readonly after: string },
): readonly Edit[] {
  const patch = `@@ -${line},1 +${line},1 @@\n-${before}\n+${after}\n`;
  return [
    { server, name: "canvas_check_out", arguments: { canvas_id: canvasId } },
    { server, name: "canvas_apply_patch", arguments: { lease_id: "$LEASE", patch } },
    { server, name: "canvas_check_in", arguments: { lease_id: "$LEASE" } },
  ];
}

/** How long a program may take. Milliseconds. */
const programMs = 120_000;

function run(
  { command, args, input }: { readonly command: string; readonly args: readonly string[]; readonly input?: string },
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"], timeout: programMs });
  child.stdin.end(input ?? "");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
