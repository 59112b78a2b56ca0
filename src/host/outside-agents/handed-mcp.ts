import type { InitializeResponse, McpServer } from "@agentclientprotocol/sdk/unstable";
import { sha256Hex } from "../../core/base/hash.ts";
import type { AskingTurn } from "../../core/port/language-model.ts";
import type { Platform } from "../../core/port/platform.ts";
import { tokenOf, type AccessTokens } from "../access/access-tokens.ts";
import { notRemembered } from "../base/once.ts";

/** How Heddle's own MCP server is reached. */
export interface McpDoor {
  /** `http://127.0.0.1:7420`. */
  readonly url: string;
  /** What speaks MCP over stdin and stdout with that server, for agents that cannot use HTTP. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Heddle's MCP server for one session, with a token of its own. */
export interface HandedMcp {
  readonly servers: readonly McpServer[];
  /** Ends the token. */
  revoke(): Promise<void>;
}

/** A token that a killed Heddle leaves behind ends by itself. Milliseconds. */
const tokenLifeMs = 24 * 60 * 60 * 1000;

/**
 * Makes what an agent is handed of Heddle: its MCP server, with a token that reads and writes the session's conversation and
 * folder alone and dies with the session. Nothing where there is no server, or nobody whose rights it could use.
 */
export async function handMcp(
  door: McpDoor | null,
  { tokens, platform }: { readonly tokens: AccessTokens; readonly platform: Platform },
  {
    name,
    asking: { rootId, folderId, path },
    started,
  }: { readonly name: string; readonly asking: AskingTurn; readonly started: InitializeResponse },
): Promise<HandedMcp> {
  const by = path.findLast(({ actor }) => actor.type === "person")?.actor;
  // A token of another one's token would outlive it.
  if (door === null || by?.type !== "person" || tokenOf(by) !== null) return { servers: [], revoke: async () => {} };
  const secret = Buffer.from(platform.random.bytes(32)).toString("base64url");
  const made = await tokens.create(
    by,
    {
      name,
      hash: sha256Hex(secret),
      rights: ["read", "write"],
      scope: { folderIds: folderId === null ? [] : [folderId], rootIds: [rootId], canvasIds: [] },
      expiresAt: platform.clock.now() + tokenLifeMs,
    },
    notRemembered,
  );
  if (!made.ok) return { servers: [], revoke: async () => {} };
  const { tokenId } = made.value;
  const speaksHttp = started.agentCapabilities?.mcpCapabilities?.http === true;
  const server: McpServer = speaksHttp
    ? {
        type: "http",
        name: "heddle",
        url: `${door.url}/mcp`,
        headers: [{ name: "Authorization", value: `Bearer ${secret}` }],
      }
    : {
        name: "heddle",
        command: door.command,
        args: [...door.args, "--url", door.url],
        env: [{ name: "HEDDLE_TOKEN", value: secret }],
      };
  return {
    servers: [server],
    revoke: async () => {
      await tokens.revoke(tokenId, notRemembered);
    },
  };
}
