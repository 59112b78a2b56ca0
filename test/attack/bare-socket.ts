import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Opens a socket that never ends its own half, and survives whatever the server does. */
export function openBare(port: number, firstBytes = ""): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  if (firstBytes !== "") socket.write(firstBytes);
  return socket;
}

/** The bytes of a request with the server's own host. */
export function requestBytes(port: number, path: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, "", ""].join("\r\n");
}

/** Repeats work until the time is up. */
export async function forSeconds(seconds: number, work: () => void, everyMs = 5): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    work();
    await delay(everyMs);
  }
}
