import * as v from "valibot";
import { emptyParams } from "../parts.ts";

/** As its owner wrote it in the file of servers. */
const server = v.pipe(v.string(), v.regex(/^[^\p{C}]{1,64}$/u));
const tool = v.pipe(v.string(), v.minLength(1), v.maxLength(300));
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

export const mcpCommands = {
  "mcp.list": emptyParams,
  "mcp.set-enabled": v.object({ server, enabled: v.boolean() }),
  "mcp.reload": v.object({ server: v.exactOptional(server) }),
  "mcp.accept-tool": v.object({ server, tool, hash }),
};
