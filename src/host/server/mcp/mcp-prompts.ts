import { ProtocolError, ProtocolErrorCode, type Server } from "../../../adapters/mcp/server-package.ts";
import { shortened } from "../../../core/base/shortened.ts";
import type { NamedPrompt } from "../../../core/turn/state/named-prompt.ts";
import type { ResourceReader } from "./mcp-resources.ts";

const descriptionUnitsMax = 100;

/** Serves the workspace's named prompts; a token for single objects reaches none of them. */
export function servePrompts(server: Server, open: () => Promise<ResourceReader>): void {
  const listed = async (): Promise<readonly NamedPrompt[]> => {
    const { workspace, reach } = await open();
    return reach === null ? workspace.conversations.prompts.list() : [];
  };
  server.setRequestHandler("prompts/list", async () => ({
    prompts: (await listed()).map(({ name, text }) => ({
      name,
      description: shortened(text.replaceAll(/\s+/g, " "), descriptionUnitsMax),
    })),
  }));
  server.setRequestHandler("prompts/get", async ({ params: { name } }) => {
    const prompt = (await listed()).find((each) => each.name === name);
    if (prompt === undefined) {
      const message = `The workspace has no prompt named ${JSON.stringify(name.slice(0, 80))}. List the prompts to see the names.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { name: name.slice(0, 80) });
    }
    return { messages: [{ role: "user" as const, content: { type: "text" as const, text: prompt.text } }] };
  });
}
