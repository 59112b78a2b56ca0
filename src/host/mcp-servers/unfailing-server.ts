import { reasonOf } from "../../core/base/reason.ts";
import { err, type Result } from "../../core/base/result.ts";
import type { ToolServer, ToolServerFailure } from "../../core/port/tool-server.ts";

/** A server that only fails in the port's words: a defect of what speaks the protocol is this server's, and no other's. */
export function unfailingServer(server: ToolServer): ToolServer {
  return {
    listTools: () => inWords(() => server.listTools()),
    call: (call) => inWords(() => server.call(call)),
    async close() {
      try {
        await server.close();
      } catch {
        // It is not spoken with any more, whatever it does.
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
