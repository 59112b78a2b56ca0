import { assert } from "../../../core/base/assert.ts";
import { agentTools } from "./agent-tools.ts";
import { conversationTools } from "./conversation-tools.ts";
import { documentTools } from "./document-tools.ts";
import type { DoorTool } from "./door-tool.ts";

/** Every tool for outside programs, by family, always in this order: clients and providers keep the list. */
export const mcpTools: readonly DoorTool[] = [...agentTools, ...documentTools, ...conversationTools];

/** Clients put their own name for the server before a tool's, and providers allow 64 characters. */
const nameUnitsMax = 40;
for (const { name } of mcpTools) assert(name.length <= nameUnitsMax, `the name ${name} is short enough`);

const toolsByName = new Map(mcpTools.map((tool) => [tool.name, tool]));

/** Finds a tool; the founding design's dotted names (`canvas.apply_patch`) count as well. */
export function findMcpTool(name: string): DoorTool | undefined {
  return toolsByName.get(name.replaceAll(".", "_"));
}
