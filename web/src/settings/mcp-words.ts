import type { McpServerState } from "../../../src/core/protocol/base/mcp-server-state.ts";

/** Returns the status of an MCP server in a few words. */
export function statusWords({ status, tools }: Pick<McpServerState, "status" | "tools">): string {
  switch (status.type) {
    case "disabled":
      return "Switched off";
    case "connecting":
      return "Connecting…";
    case "ready": {
      const changed = tools.filter((tool) => tool.changed !== null).length;
      const offered = tools.length - changed;
      const words = offered === 1 ? "1 tool" : `${offered} tools`;
      return changed === 0 ? `Ready, ${words}` : `Ready, ${words}; ${changed} changed and not offered`;
    }
    case "failed":
      return status.retryAt === null ? "Failed" : "Failed, retrying";
  }
}

/** Returns why a server failed and what to do, one sentence each; null without a failure. */
export function failureWords({ status }: Pick<McpServerState, "status">): string | null {
  return status.type === "failed" ? `${sentence(status.reason)} ${status.next}` : null;
}

/** Returns a server's program or host in a few words. */
export function placeWords({ transport, place }: Pick<McpServerState, "transport" | "place">): string {
  return transport === "stdio" ? `Program ${place}` : `At ${place}`;
}

function sentence(words: string): string {
  const whole = /[.!?]$/.test(words) ? words : `${words}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
