import type { ConnectToolServer } from "../../core/port/tool-server.ts";
import type { RunningPrograms } from "./running-programs.ts";

/**
 * Connects to servers of the Model Context Protocol, over standard input and output or over HTTP. `version` is Heddle's
 * own, which servers are told; `programs` remembers those that are started. The package that speaks the protocol is loaded with the first server.
 */
export function mcpConnector(version: string, programs?: RunningPrograms): ConnectToolServer {
  return async (target, options) => {
    const { shakeHandsWith } = await import("./handshake.ts");
    return shakeHandsWith(target, { ...options, version, ...(programs === undefined ? {} : { programs }) });
  };
}
