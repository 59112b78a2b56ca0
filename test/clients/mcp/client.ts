// Heddle's client for MCP servers, as the conformance suite starts it: the server's address is the last argument. It connects, signs in
// where the server wants that, lists the tools, calls each as the scenario expects, and ends.
import { mcpConnector, mcpSignIn } from "../../../src/adapters/mcp/connect.ts";
import { systemPlatform } from "../../../src/adapters/platform/system-platform.ts";
import type { HttpTarget, ServerSignIn, ToolServer, ToolServerFailure } from "../../../src/core/port/tool-server.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Result } from "../../../src/core/base/result.ts";
import type { Answer, Question } from "../../../src/core/turn/state/question.ts";

const { clock } = systemPlatform("error");
const url = process.argv.at(-1) ?? "";
const given = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
};
let kept: JsonObject = {};
const signIn: ServerSignIn = {
  redirectUrl: "http://localhost:3000/callback",
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  client:
    given.client_id === undefined
      ? null
      : // The suite does not say where its client is registered; an entry of Heddle's has to.
        { id: given.client_id, secret: given.client_secret ?? null, issuer: null },
  scope: null,
  read: () => kept,
  write: async (next) => {
    kept = next;
  },
};

function connect(target: HttpTarget): Promise<Result<ToolServer, ToolServerFailure>> {
  return mcpConnector("0.0.0")(target, {
    times: { connectMs: 10_000, callMs: 10_000, callMsMax: 10_000 },
    clock,
    events: { onToolsChanged: () => {}, onClosed: () => {}, onNoise: (text) => process.stderr.write(text) },
    signal: new AbortController().signal,
  });
}

/** Signs in as a person would: opens the page, which sends the browser back at once. */
async function allow(): Promise<void> {
  const state = crypto.randomUUID();
  const options = { signIn, state, signal: AbortSignal.timeout(20_000) };
  const begun = await mcpSignIn("0.0.0")({ type: "http", url, headers: {} }, options);
  if (!begun.ok) throw new Error(`the sign-in did not begin: ${begun.error.message}`);
  if (begun.value === null) return;
  const page = await fetch(begun.value.url, { redirect: "manual" });
  const back = new URL(page.headers.get("location") ?? "");
  const finished = await begun.value.finish(new Map(back.searchParams));
  if (!finished.ok) throw new Error(`the sign-in did not end: ${finished.error.message}`);
}

/** Answers what a server asks, as a person who takes the first of what is offered. */
async function ask(questions: readonly Question[]): Promise<readonly Answer[]> {
  return questions.map(({ options }) => ({ chosen: [options[0]?.label ?? "Ada"] }));
}

/** Sample values for what a tool takes. */
function sample({ inputSchema }: { readonly inputSchema: JsonObject }): JsonObject {
  const properties = Object.entries((inputSchema["properties"] ?? {}) as Record<string, JsonObject>);
  return Object.fromEntries(
    properties.map(([name, { type }]) => [name, type === "number" || type === "integer" ? 2 : "text"]),
  );
}

/** Lists and calls; the failure that a sign-in may mend, null for none. */
async function work(isSignedIn: boolean): Promise<ToolServerFailure | null> {
  const connected = await connect({ type: "http", url, headers: {}, ...(isSignedIn && { signIn }) });
  if (!connected.ok) return connected.error;
  const server = connected.value;
  try {
    const listed = await server.listTools();
    if (!listed.ok) return listed.error;
    const calls = given.toolCalls ?? listed.value.map((tool) => ({ name: tool.name, arguments: sample(tool) }));
    for (const { name, arguments: parameters } of calls) {
      const signal = new AbortController().signal;
      const called = await server.call({ tool: name, parameters, signal, progress: () => {}, ask });
      if (!called.ok && (called.error.type === "not-let-in" || "wanted" in kept)) return called.error;
    }
    return null;
  } finally {
    await server.close();
  }
}

let problem = await work(false);
for (let attempt = 0; attempt < 3 && (problem?.type === "not-let-in" || "wanted" in kept); attempt += 1) {
  await allow();
  problem = await work(true);
}
if (problem !== null) throw new Error(problem.message);
process.exit(0);
