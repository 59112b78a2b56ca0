import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A proxy between a store and its database that breaks the connection on request. */
export interface DatabaseProxy {
  /** The database's address through this proxy. */
  readonly url: string;
  /**
   * Breaks the connection of the next COMMIT: before the server receives it, or after the server has answered, so that
   * nobody receives the answer. Resolves when that has happened.
   */
  breakNextCommit(when: "before it arrives" | "after it is made"): Promise<void>;
  /** Breaks every connection on which the text is sent. */
  breakAt(text: string): void;
  /** Refuses new connections and closes the open ones. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

const socketName = ".s.PGSQL.5432";

/** The database is reached over a socket in a folder, the parameter `host` of its address. */
export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pg-proxy-"));
  const through = new URL(url);
  const target = join(through.searchParams.get("host") ?? "", socketName);
  through.searchParams.set("host", folder);

  const sockets = new Set<Socket>();
  let isCut = false;
  let poison: string | null = null;
  let trap: { readonly when: "before it arrives" | "after it is made"; readonly sprung: () => void } | null = null;

  const pipe = (client: Socket): void => {
    if (isCut) {
      client.destroy();
      return;
    }
    const server = connect(target);
    const end = (): void => {
      for (const socket of [client, server]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", end);
    }
    let swallowing: (() => void) | null = null;
    client.on("data", (data: Buffer) => {
      if (poison !== null && data.includes(poison)) {
        end();
        return;
      }
      const caught = trap !== null && isCommit(data) ? trap : null;
      if (caught === null) {
        server.write(data);
        return;
      }
      trap = null;
      if (caught.when === "before it arrives") {
        end();
        caught.sprung();
        return;
      }
      swallowing = caught.sprung;
      server.write(data);
    });
    server.on("data", (data: Buffer) => {
      if (swallowing === null) {
        client.write(data);
        return;
      }
      end();
      swallowing();
    });
  };

  const listener: Server = createServer(pipe);
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(join(folder, socketName), resolve);
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: through.href,
    breakNextCommit: (when) =>
      new Promise((resolve) => {
        trap = { when, sprung: resolve };
      }),
    breakAt(text) {
      poison = text;
    },
    cut,
    mend() {
      isCut = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => listener.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether the data is a COMMIT as a store sends it: alone, not prepared. */
function isCommit(data: Buffer): boolean {
  return data.includes("COMMIT\0");
}
