import type { BeginSignIn, ConnectToolServer } from "../../core/port/tool-server.ts";
import type { RunningPrograms } from "./running-programs.ts";

/**
 * Makes the function that connects to MCP servers, over stdio or HTTP. `version` is the client version reported to servers.
 * `programs` records started programs so that a later process can end those that a crash left. The MCP client package is
 * loaded with the first connection.
 */
export function mcpConnector(version: string, programs?: RunningPrograms): ConnectToolServer {
  return async (target, options) => {
    const { shakeHandsWith } = await import("./handshake.ts");
    return shakeHandsWith(target, { ...options, version, ...(programs === undefined ? {} : { programs }) });
  };
}

/** Makes the function that begins sign-ins at servers; loads the package with the first. */
export function mcpSignIn(version: string): BeginSignIn {
  return async (target, options) => {
    const { signInStarter } = await import("./sign-in.ts");
    return signInStarter(version)(target, options);
  };
}
