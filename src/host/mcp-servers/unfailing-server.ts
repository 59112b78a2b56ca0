import { reasonOf } from "../../core/base/reason.ts";
import { err, type Result } from "../../core/base/result.ts";
import type { ToolServer, ToolServerFailure } from "../../core/port/tool-server.ts";

/**
 * Wraps a server so that it fails only with the port's failures: an exception of the protocol library fails this server and
 * no other.
 */
export function unfailingServer(server: ToolServer): ToolServer {
  return {
    listTools: () => inWords(() => server.listTools()),
    call: (call) => inWords(() => server.call(call)),
    listOffers: () => inWords(() => server.listOffers()),
    read: (uri) => inWords(() => server.read(uri)),
    prompt: (name, values) => inWords(() => server.prompt(name, values)),
    async close() {
      try {
        await server.close();
      } catch {
        // The server is no longer used, whatever its close does.
      }
    },
  };
}

async function inWords<Value>(
  ask: () => Promise<Result<Value, ToolServerFailure>>,
): Promise<Result<Value, ToolServerFailure>> {
  try {
    return await ask();
  } catch (problem) {
    return err({ type: "garbled", message: reasonOf(problem), retryable: false });
  }
}
