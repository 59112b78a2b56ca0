import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../core/base/json.ts";

/** What a call is given; answers of other calls are passed on as they are. */
type CallParameters = Readonly<Record<string, unknown>>;

/** A program with its own MCP client, as others write it. */
export interface OutsideAgent {
  readonly client: Client;
  /** Returns the structured answer of a call; of a refusal `{ error }`. */
  call(name: string, parameters?: CallParameters): Promise<JsonObject>;
  /** Returns the code of a refusal; `ok` when there is none. */
  code(name: string, parameters?: CallParameters): Promise<string>;
  close(): Promise<void>;
}

/** Connects an agent to a server's `/mcp`. */
export async function connectAgent(
  to: { readonly url: string; readonly token: string },
  options: { readonly name?: string; readonly era?: "auto" | "legacy"; readonly session?: string } = {},
): Promise<OutsideAgent> {
  const { name = "loom", era = "auto", session } = options;
  const client = new Client({ name, version: "1.0.0" }, era === "auto" ? { versionNegotiation: { mode: "auto" } } : {});
  const headers = {
    authorization: `Bearer ${to.token}`,
    ...(session === undefined ? {} : { "heddle-session": session }),
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${to.url}/mcp`), { requestInit: { headers } }));
  const call: OutsideAgent["call"] = async (tool, parameters = {}) => {
    const { structuredContent } = await client.callTool({ name: tool, arguments: parameters });
    return structuredContent as JsonObject;
  };
  return {
    client,
    call,
    code: async (tool, parameters) => {
      const { error } = (await call(tool, parameters)) as { readonly error?: { readonly code: string } };
      return error?.code ?? "ok";
    },
    close: () => client.close(),
  };
}

/** Sends one message as it is; the headers are those of a client of the stateless revision unless they are given. */
export function post(
  to: { readonly url: string; readonly token: string },
  message: JsonObject,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${to.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${to.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A call of a tool in the stateless revision, with its headers. */
export function statelessCall(name: string, parameters: JsonObject, version = "2026-07-28") {
  const message: JsonObject = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: parameters,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };
  return { message, headers: { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": name } };
}
