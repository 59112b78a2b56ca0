// An agent as a program of its own, written from the protocol's schema: a prompt that is JSON is a list of steps to do.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Readable, Writable } from "node:stream";
import type {
  AgentContext,
  RequestPermissionResponse,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk/unstable";
import { agent, methods, ndJsonStream } from "../../adapters/acp/acp-package.ts";

/** One thing that the agent does. */
export type AgentStep =
  | { readonly do: "update"; readonly update: SessionUpdate }
  | { readonly do: "ask"; readonly id: string; readonly title: string; readonly kinds: readonly string[] }
  | { readonly do: "read" | "die" | "hang" | "mcp" | "session"; readonly path?: string }
  | { readonly do: "write" | "disk"; readonly path: string; readonly content: string }
  | { readonly do: "writes"; readonly paths: readonly string[]; readonly content: string }
  | { readonly do: "raw"; readonly line: string }
  | { readonly do: "huge"; readonly bytes: number }
  | { readonly do: "half" }
  | { readonly do: "flood"; readonly updates: number }
  | { readonly do: "elicit"; readonly form: object }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "end"; readonly stopReason: StopReason };

/** The MCP servers that the client handed over. */
let given: unknown = null;

if (process.argv[1] === import.meta.filename) serve();

function serve(): void {
  let sessions = 0;
  const stops = new Map<string, () => void>();
  const version = Number(process.env["AGENT_VERSION"] ?? "1");
  const { agent: names } = methods;
  const app = agent({ name: "scripted" })
    .onRequest(names.initialize, () => ({
      protocolVersion: version,
      agentInfo: { name: process.env["AGENT_NAME"] ?? "scripted", version: "1" },
      agentCapabilities: {
        loadSession: true,
        mcpCapabilities: { http: true },
        ...(process.env["AGENT_FORKS"] === undefined ? {} : { sessionCapabilities: { fork: {} } }),
      },
    }))
    .onRequest(names.session.fork, ({ params: { sessionId } }) => ({ sessionId: `${sessionId}-${(sessions += 1)}` }))
    .onRequest(names.session.new, ({ params }) => {
      given = params.mcpServers;
      return { sessionId: `s-${process.pid}-${(sessions += 1)}` };
    })
    .onRequest(names.session.load, async ({ params: { sessionId, mcpServers }, client }) => {
      given = mcpServers;
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "REPLAYED" } },
      });
      return {};
    })
    .onRequest(names.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
      const stopped = new Promise<"cancelled">((resolve) => stops.set(sessionId, () => resolve("cancelled")));
      const texts = prompt.map((block) => (block.type === "text" ? block.text : `[${block.type}]`));
      let isStopped = false;
      void stopped.then(() => (isStopped = true));
      const work = perform(client, sessionId, texts, () => isStopped);
      const stopReason = await Promise.race([work, stopped]);
      return { stopReason };
    })
    .onNotification(names.session.cancel, ({ params: { sessionId } }) => stops.get(sessionId)?.());
  app.connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  );
}

async function perform(
  client: AgentContext,
  sessionId: string,
  texts: readonly string[],
  isStopped: () => boolean,
): Promise<StopReason> {
  const say = async (text: string): Promise<void> => {
    if (isStopped()) return;
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    });
  };
  const last = texts.at(-1) ?? "";
  if (!last.startsWith("[{")) {
    await say(`Heard: ${texts.join(" | ")}`);
    return "end_turn";
  }
  for (const step of JSON.parse(last) as readonly AgentStep[]) {
    if (isStopped()) return "cancelled";
    switch (step.do) {
      case "update":
        await client.notify(methods.client.session.update, { sessionId, update: step.update });
        break;
      case "ask": {
        const options = step.kinds.map((kind, at) => ({ optionId: `o${at}`, name: kind, kind: kind as "allow_once" }));
        const toolCall = { toolCallId: step.id, title: step.title, kind: "execute" as const };
        const asked = { sessionId, toolCall, options };
        const answer = await client.request(methods.client.session.requestPermission as string, asked);
        const { outcome } = answer as RequestPermissionResponse;
        const chosen = "optionId" in outcome ? step.kinds[Number(outcome.optionId.slice(1))] : "cancelled";
        const status = chosen === "allow_once" ? ("completed" as const) : ("failed" as const);
        const update = { sessionUpdate: "tool_call_update" as const, toolCallId: step.id, status };
        const content = [{ type: "content" as const, content: { type: "text" as const, text: `ran ${step.id}` } }];
        await client.notify(methods.client.session.update, { sessionId, update: { ...update, content } });
        await say(`[${step.id}: ${chosen ?? "unknown"}]`);
        break;
      }
      case "read": {
        const read = client.request(methods.client.fs.readTextFile, { sessionId, path: step.path ?? "" });
        await say(
          await read.then(
            ({ content }) => `[read: ${content}]`,
            (problem: { code: number }) => `[refused: ${problem.code}]`,
          ),
        );
        break;
      }
      case "elicit": {
        const answer = await client.request(methods.client.elicitation.create as string, { sessionId, ...step.form });
        await say(`[${JSON.stringify(answer)}]`);
        break;
      }
      case "session":
        await say(`Session ${sessionId}: ${texts.length}`);
        break;
      case "mcp":
        await say(JSON.stringify(given));
        break;
      case "write": {
        const { path, content } = step;
        const written = client.request(methods.client.fs.writeTextFile, { sessionId, path, content });
        await say(
          await written.then(
            () => "[written]",
            (problem: Error) => `[refused: ${problem.message}]`,
          ),
        );
        break;
      }
      case "writes": {
        const { paths, content } = step;
        await Promise.allSettled(
          paths.map((path) => client.request(methods.client.fs.writeTextFile, { sessionId, path, content })),
        );
        break;
      }
      case "disk":
        mkdirSync(dirname(step.path), { recursive: true });
        writeFileSync(step.path, step.content);
        break;
      case "raw":
        process.stdout.write(`${step.line}\n`);
        break;
      case "huge":
        process.stdout.write(`${"x".repeat(step.bytes)}\n`);
        await new Promise(() => {});
        break;
      case "half":
        process.stdout.write('{"jsonrpc":"2.0","method":"session/upd', () => process.exit(3));
        await new Promise(() => {});
        break;
      case "flood": {
        const update = { sessionUpdate: "_unheard_of", text: "x".repeat(100) };
        const line = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
        process.stdout.write(`${line}\n`.repeat(step.updates));
        break;
      }
      case "wait":
        await new Promise((resolve) => setTimeout(resolve, step.ms));
        break;
      case "die":
        process.kill(process.pid, "SIGKILL");
        await new Promise(() => {});
        break;
      case "hang":
        await new Promise(() => {});
        break;
      case "end":
        return step.stopReason;
    }
  }
  return "end_turn";
}
