import * as v from "valibot";
import type { ServerProcess } from "../e2e/server-process.ts";

/** Environment of a server whose heap can be collected from outside. */
export const collectable = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

const boundMs = 30_000;
const collects = { id: 1, method: "HeapProfiler.collectGarbage" };

const said = v.object({
  id: v.optional(v.number()),
  method: v.optional(v.string()),
  params: v.optional(v.object({ sessionId: v.optional(v.string()) })),
});

/**
 * Lets a server and its threads collect all their garbage, through its inspector, so that what it holds can be told from
 * what it has not yet given back: Node lets a heap grow to several times its contents before it collects the whole.
 */
export async function collectGarbage(server: Pick<ServerProcess, "output">): Promise<void> {
  const address = [...server.output().matchAll(/Debugger listening on (ws:\/\/\S+)/g)].at(-1)?.[1];
  if (address === undefined) throw new Error("the server was started without an inspector");
  const inspector = new WebSocket(address);
  const send = (message: object): void => inspector.send(JSON.stringify(message));
  let threads = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("the server did not collect its garbage in time")), boundMs);
      inspector.addEventListener("open", () => {
        // The server answers in order: once it has answered, its threads are known.
        send({ id: 0, method: "NodeWorker.enable", params: { waitForDebuggerOnStart: false } });
        send(collects);
      });
      let open = 1;
      inspector.addEventListener("message", ({ data }) => {
        const { id, method, params } = v.parse(said, JSON.parse(String(data)));
        if (method === "NodeWorker.attachedToWorker") {
          threads += 1;
          open += 1;
          const message = JSON.stringify(collects);
          send({ id: 1 + threads, method: "NodeWorker.sendMessageToWorker", params: { ...params, message } });
        }
        if (id === collects.id || method === "NodeWorker.receivedMessageFromWorker") open -= 1;
        if (open > 0) return;
        clearTimeout(timer);
        resolve();
      });
      inspector.addEventListener("error", () => reject(new Error("the server's inspector cannot be reached")));
    });
  } finally {
    inspector.close();
  }
}
