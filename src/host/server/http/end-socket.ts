import type { Duplex } from "node:stream";
import type { Clock } from "../../../core/port/platform.ts";
import { serverLimits } from "./server-limits.ts";

/** Sends last bytes and destroys the socket, also when its peer never closes its own half or never reads. */
export function endSocket(socket: Duplex, clock: Clock, lastBytes: string): void {
  socket.on("error", () => socket.destroy());
  const cancel = clock.setTimer(serverLimits.graceMs, () => socket.destroy());
  socket.once("close", cancel);
  socket.end(lastBytes);
}
