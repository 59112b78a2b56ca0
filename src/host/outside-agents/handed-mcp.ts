import type { InitializeResponse, McpServer } from "@agentclientprotocol/sdk/unstable";
import { sha256Hex } from "../../core/base/hash.ts";
import { timeSortedId, type TurnId } from "../../core/base/ids.ts";
import type { AskingTurn } from "../../core/port/language-model.ts";
import type { LentToken } from "../access/lent-tokens.ts";
import type { AgentsWorkspace } from "./attached-agents.ts";

/** How Heddle's own MCP server is reached. */
export interface McpDoor {
  /** `http://127.0.0.1:7420`. */
  readonly url: string;
  /** What speaks MCP over stdin and stdout with that server, for agents that cannot use HTTP. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Heddle's MCP server for the sessions of one agent, with a token that is lent to it. */
export interface HandedMcp {
  readonly servers: readonly McpServer[];
  /** Makes the token valid for a turn until that is over, or a program joins it. */
  beginTurn(asking: AskingTurn): Promise<void>;
  /** The agent works on this turn no longer. */
  endTurn(turnId: TurnId): void;
  /** Ends the token. */
  end(): void;
}

type HandPorts = Pick<AgentsWorkspace, "tokens" | "platform" | "rights" | "watch" | "isUnderWay">;

const nothing: HandedMcp = { servers: [], beginTurn: async () => {}, endTurn: () => {}, end: () => {} };

/**
 * Makes what an agent is handed of Heddle: its MCP server, with a token that reads and writes the session's conversation and
 * folder alone, for whom each turn works and while it is under way. Nothing where there is no server, or nobody whose rights it
 * could use.
 */
export async function handMcp(
  door: McpDoor | null,
  ports: HandPorts,
  {
    name,
    asking,
    started,
  }: { readonly name: string; readonly asking: AskingTurn; readonly started: InitializeResponse },
): Promise<HandedMcp> {
  if (door === null || (await lenderOf(asking, ports)) === null) return nothing;
  const { tokens, platform } = ports;
  const { rootId, folderId } = asking;
  const secret = Buffer.from(platform.random.bytes(32)).toString("base64url");
  const createdAt = platform.clock.now();
  const token = tokens.lent.lend({
    id: timeSortedId("token", createdAt, platform.random.bytes(12)),
    name,
    hash: sha256Hex(secret),
    rights: ["read", "write"],
    scope: { folderIds: folderId === null ? [] : [folderId], rootIds: [rootId], canvasIds: [] },
    createdAt,
  });
  await beginTurn(token, asking, ports);
  return {
    servers: [serverOf(door, started, secret)],
    beginTurn: (turn) => beginTurn(token, turn, ports),
    endTurn: (turnId) => token.endTurn(turnId),
    end: () => token.end(),
  };
}

function serverOf(door: McpDoor, { agentCapabilities }: InitializeResponse, secret: string): McpServer {
  if (agentCapabilities?.mcpCapabilities?.http === true) {
    const headers = [{ name: "Authorization", value: `Bearer ${secret}` }];
    return { type: "http", name: "heddle", url: `${door.url}/mcp`, headers };
  }
  return {
    name: "heddle",
    command: door.command,
    args: [...door.args, "--url", door.url],
    env: [{ name: "HEDDLE_TOKEN", value: secret }],
  };
}

function lenderOf({ runId, path }: AskingTurn, { rights }: HandPorts) {
  return rights.lenderOf(
    runId,
    path.map(({ actor }) => actor),
  );
}

/** Makes a token valid for a turn, and looks at each change of the conversation whether it still may be. */
async function beginTurn(token: LentToken, asking: AskingTurn, ports: HandPorts): Promise<void> {
  const { rootId, runId, turnId } = asking;
  const by = await lenderOf(asking, ports);
  if (by === null || token.isFor(turnId)) return;
  token.beginTurn({ turnId, by, reach: () => ports.rights.reachOfRun(rootId, runId) });
  let stop = (): void => {};
  const look = async (): Promise<void> => {
    const isUnderWay = await ports.isUnderWay(rootId, runId, turnId);
    if (isUnderWay && (await lenderOf(asking, ports)) !== null) return;
    stop();
    token.endTurn(turnId);
  };
  stop = await ports.watch(rootId, () => void look());
  await look();
}
