import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "../../../adapters/mcp/server-package.ts";
import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { sha256Hex } from "../../../core/base/hash.ts";
import { timeSortedId, type ToolCallId, type TurnId } from "../../../core/base/ids.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import { reachOfDoor } from "./door-reach.ts";
import { lacksRight } from "../../access/why-not-allowed.ts";
import { NotStoredError, refusalOf } from "../../base/store-refusal.ts";
import { packageVersion } from "../../cli/base/package-root.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import { refusedAnswer } from "../../tool/answer.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { readLabel, type DoorCall, type DoorCaller } from "./door-call.ts";
import { servePrompts } from "./mcp-prompts.ts";
import { serveResources, type ResourceReader } from "./mcp-resources.ts";
import { findMcpTool, mcpTools } from "./mcp-tools.ts";
import { inSpan } from "./call-span.ts";
import { refusalOfAnswer } from "./refused-call.ts";

/** Whom a server speaks with, and what it works on. */
export interface McpSession {
  readonly workspace: Workspace;
  readonly dispatch: Dispatch;
  readonly caller: DoorCaller;
  readonly peopleAt: NonNullable<DoorCall["peopleAt"]>;
  /** The session that a client names, as `heddle mcp` does; null without one. */
  readonly session: string | null;
  /** The program's name where its request has none, as it is with older clients behind `heddle mcp`. */
  readonly client: string | null;
  /** Performs a call that changes something, unless its answer was not delivered when the same request came before. */
  readonly once: (request: string, perform: () => Promise<ToolAnswer>) => Promise<ToolAnswer>;
}

const instructions = `Heddle is a workspace in which people and agents edit documents together. Find a canvas with document_list, take its lease with canvas_check_out, locate with canvas_grep or canvas_outline, read with canvas_read_lines, edit with canvas_edit or canvas_apply_patch, and give the lease back with canvas_check_in. The lease_id goes with every canvas call and lives two minutes after the last one. A person may take control at any time: after STALE_EPOCH stop editing unless you are asked again. Under the policy suggest an edit waits until a person keeps it. Conversations are read with conversation_read, and conversation_ask asks a model of the workspace.`;

const listTtlMs = 3_600_000;

/** The list of tools: the same for everybody, made once. */
const listedTools = mcpTools.map(({ name, description, inputSchema, annotations, meta }) => ({
  name,
  description,
  inputSchema: inputSchema as { type: "object" },
  annotations,
  ...(meta === undefined ? {} : { _meta: meta }),
}));

/** Makes the server of one request, or of one connection: everything that outside programs can do, in MCP's words. */
export function createMcpServer(session: McpSession, era: "legacy" | "modern" = "modern"): Server {
  const server = new Server(
    { name: "heddle", title: "Heddle", version: packageVersion() },
    {
      // Older clients have no stream on which a change could be reported.
      capabilities: { tools: {}, resources: era === "modern" ? { subscribe: true } : {}, prompts: {}, completions: {} },
      instructions,
      cacheHints: {
        "tools/list": { ttlMs: listTtlMs, cacheScope: "private" },
        "resources/templates/list": { ttlMs: listTtlMs, cacheScope: "private" },
        "server/discover": { ttlMs: listTtlMs, cacheScope: "private" },
      },
    },
  );
  serveResources(server, () => readerOf(session));
  servePrompts(server, () => readerOf(session));
  server.setRequestHandler("tools/list", () => ({ tools: listedTools }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = findMcpTool(params.name);
    if (tool === undefined) throw unknownTool(params.name);
    const given: unknown = params.arguments ?? {};
    const reporting = startReporting(context);
    try {
      const call = await doorCall(session, context, reporting.progress);
      const { token } = session.caller;
      if (token !== null && !token.rights.includes(tool.right)) {
        return toolResult(refusedAnswer(lacksRight(token, tool.right)));
      }
      const perform = (): Promise<ToolAnswer> =>
        inSpan(tool.name, context.mcpReq._meta, () => tool.run(isJsonObject(given) ? given : {}, call, params.name));
      const request = JSON.stringify([context.mcpReq.id, params.name, given, call.session]);
      return toolResult(tool.right === "read" ? await perform() : await session.once(sha256Hex(request), perform));
    } catch (problem) {
      if (!(problem instanceof NotStoredError))
        session.workspace.platform.logger.error("mcp-call-failed", { tool: tool.name, reason: reasonOf(problem) });
      return toolResult(refusedAnswer(refusalOf(problem)));
    } finally {
      reporting.end();
    }
  });
  return server;
}

function unknownTool(name: string): ProtocolError {
  const nearest = nearestWord(
    name,
    mcpTools.map((tool) => tool.name),
  );
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const message = `There is no tool named ${JSON.stringify(name.slice(0, 80))}.${hint}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { name: name.slice(0, 80) });
}

const clientInfoKey = "io.modelcontextprotocol/clientInfo";

/** Returns the caller as a reader of resources; a token without the right to read reaches none. */
export async function readerOf({ workspace, caller }: McpSession): Promise<ResourceReader> {
  const { token } = caller;
  if (token !== null && !token.rights.includes("read")) throw protocolRefusal(lacksRight(token, "read"));
  return { workspace, reach: await reachOfDoor(caller, workspace) };
}

function protocolRefusal({ code, message }: Refusal): ProtocolError {
  return new ProtocolError(errorTable[code].mcp, message, { code });
}

async function doorCall(
  session: McpSession,
  context: ServerContext,
  progress: DoorCall["progress"],
): Promise<DoorCall> {
  const { workspace, dispatch, caller, peopleAt } = session;
  const { clock, random } = workspace.platform;
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const info = envelope[clientInfoKey];
  const client = clientLabel(info) ?? session.client;
  const turnId = timeSortedId("turn", clock.now(), random.bytes(12)) as TurnId;
  return {
    via: "mcp",
    workspace,
    dispatch,
    caller,
    peopleAt,
    reach: await reachOfDoor(caller, workspace),
    client,
    session: session.session ?? client ?? "",
    callId: callIdOf(context),
    turnId,
    signal: context.mcpReq.signal,
    progress,
  };
}

function clientLabel(info: unknown): string | null {
  return typeof info === "object" && info !== null && "name" in info ? readLabel(info.name) : null;
}

/** Returns the name that the program's own log has for the call, as far as it says one. */
function callIdOf({ mcpReq: { id, _meta: meta } }: ServerContext): ToolCallId {
  const named = [meta?.["claudecode/toolUseId"], meta?.["callId"]].map(readLabel).find((each) => each !== null);
  return (named ?? String(id).slice(0, 60)) as ToolCallId;
}

/** Sends the progress of a call to a client that asked for it: rising numbers, and none after the end. */
function startReporting({ mcpReq }: ServerContext): { readonly progress: (message: string) => void; end(): void } {
  const token = mcpReq._meta?.progressToken;
  let count = 0;
  let isOver = token === undefined;
  return {
    progress(message) {
      if (isOver || token === undefined) return;
      count += 1;
      mcpReq
        .notify({
          method: "notifications/progress",
          params: { progressToken: token, progress: count, message: message.slice(-progressUnitsMax) },
        })
        // The client is gone; the call's own signal says so.
        .catch(() => {
          isOver = true;
        });
    },
    end() {
      isOver = true;
    },
  };
}

const progressUnitsMax = 1_000;

/** Says everything in both forms, since clients differ in which one they show to their models. */
function toolResult({ ok, content, code, blocks }: ToolAnswer) {
  if (ok) {
    const text = { type: "text" as const, text: JSON.stringify(content) };
    return { content: [text, ...mediaOf(blocks)], structuredContent: { ...content } };
  }
  const error = refusalOfAnswer({ content, ...(code === undefined ? {} : { code }) });
  return {
    isError: true,
    content: [{ type: "text" as const, text: `${error.code}: ${error.message}\n${JSON.stringify(error.details)}` }],
    structuredContent: { error },
  };
}

/** Texts beside the answer, as an MCP client reads them; the tools of this door return no images. */
function mediaOf(blocks: ToolAnswer["blocks"]): { readonly type: "text"; readonly text: string }[] {
  return (blocks ?? [])
    .slice(1)
    .flatMap((block) => (block.type === "text" ? [{ type: "text", text: block.text }] : []));
}
