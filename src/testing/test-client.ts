import { connectHeddle } from "../client/connect.ts";
import type { HeddleClient, Observable } from "../client/base/types.ts";
import { openNodeSocket } from "../host/base/node-socket.ts";

/** Lists that hold everything a test makes. */
export const allConversations = {
  of: "conversations",
  archived: false,
  order: "created",
  filter: "",
  count: 1_000,
} as const;
export const allCanvases = { of: "canvases", filter: "", count: 1_000 } as const;

let clients = 0;

/** Connects a client in this process to a server, over a real socket. Each client gets its own id unless one is given. */
export function connectTestClient(
  to: { readonly url: string; readonly token: string },
  options: { readonly clientId?: string; readonly name?: string } = {},
): HeddleClient {
  clients += 1;
  return connectHeddle({
    url: to.url,
    token: to.token,
    clientId: options.clientId ?? `test-client-${String(clients).padStart(8, "0")}`,
    ...(options.name === undefined ? {} : { name: options.name }),
    platform: { openSocket: openNodeSocket },
  });
}

/**
 * Resolves with the first value that matches, the current value included. Rejects after `boundMs` milliseconds with the
 * last value in the message.
 */
export function until<Value, Fit extends Value = Value>(
  observable: Observable<Value>,
  fits: ((value: Value) => value is Fit) | ((value: Value) => boolean),
  boundMs = 10_000,
): Promise<Fit> {
  return new Promise((resolve, reject) => {
    const check = (): boolean => {
      const value = observable.get();
      if (!fits(value)) return false;
      clearTimeout(timer);
      stop();
      // The caller's predicate has matched.
      resolve(value as Fit);
      return true;
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`no value fitted in ${boundMs} ms; the last was ${JSON.stringify(observable.get())}`));
    }, boundMs);
    const stop = observable.subscribe(check);
    check();
  });
}
