import type { ConnectOptions, HeddleClient } from "./base/types.ts";
import { createClient } from "./client.ts";
import { textEngine } from "./text-engine.ts";

/**
 * Opens a connection to a Heddle server and keeps it open until `close`; see HeddleClient. Returns at once, before the server
 * has answered. Throws for a malformed `clientId` only.
 */
export function connectHeddle(options: ConnectOptions): HeddleClient {
  return createClient(options, textEngine);
}
