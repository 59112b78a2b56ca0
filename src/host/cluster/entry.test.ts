import { Agent, createServer, request, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { must } from "../../core/base/assert.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openMeters } from "../../adapters/telemetry/meters.ts";
import { valueOf } from "../../testing/metrics-text.ts";
import { MemoryCluster } from "../../testing/cluster/memory-cluster.ts";
import { TunnelSocket } from "../server/http/tunnel-socket.ts";
import { ClusterNode, type NodeClaim } from "./cluster-node.ts";
import { Entry, type LocalServer } from "./entry.ts";
import { LinkToOwner, listenForNodes, type LinkListener } from "./link.ts";

const platform = systemPlatform("error", () => {});
const { clock } = platform;
const ttlMs = 1_500;

/** A node whose workspace is a small HTTP server that says who it is. */
class TestNode {
  readonly name: string;
  node!: ClusterNode;
  entry!: Entry;
  link!: LinkListener;
  local: LocalServer | null = null;
  /** What arrived at this node's server. */
  readonly asked: string[] = [];
  /** Answers everything with 401 while it is set. */
  refuses = false;
  /** How often another node asked this one to take a client. */
  tunnelsAsked = 0;
  /** Holds answers back while it is set. */
  isSilent = false;
  /** Whether its renewals reach nobody, as those of a process that is stopped. */
  isStopped = false;
  flood: { readonly path: string; readonly unreadMax: number; ended(unread: number): void } | null = null;
  secret: Uint8Array = new Uint8Array(32).fill(7);
  readonly meters = openMeters();
  readonly nodeMeters = this.meters.ofNode();

  constructor(name: string) {
    this.name = name;
  }

  async start(cluster: MemoryCluster): Promise<void> {
    this.link = await listenForNodes({
      host: "127.0.0.1",
      port: 0,
      secret: this.secret,
      incarnation: () => this.node.state.incarnation,
      isKnown: (incarnation) => this.node.state.view?.nodes.some((row) => row.incarnation === incarnation) === true,
      accept: ({ epoch, from }) => {
        const { local } = this;
        this.tunnelsAsked += 1;
        if (local === null || local.claim.epoch !== epoch) return null;
        return (stream) => local.take(new TunnelSocket(stream, from, this.nodeMeters));
      },
    });
    const table = cluster.table();
    this.node = new ClusterNode({
      identity: { nodeId: this.name, ttlMs },
      address: `127.0.0.1:${this.link.port}`,
      table: {
        ...table,
        renew: (incarnation) => (this.isStopped ? new Promise(() => {}) : table.renew(incarnation)),
        look: () => (this.isStopped ? new Promise(() => {}) : table.look()),
      },
      platform,
      isFatal: () => false,
      open: async (claim) => this.#serve(claim),
    });
    this.entry = await Entry.open({
      node: this.node,
      secret: this.secret,
      clock,
      host: "127.0.0.1",
      port: 0,
      names: { hosts: [] },
      local: () => this.local,
      meters: { all: this.meters, node: this.nodeMeters },
    });
  }

  async metric(name: string): Promise<number> {
    return valueOf((await this.meters.text()).text, `heddle_node_${name}`);
  }

  /** Sends without end to who asks for a path, until that much lies unread; then the connection ends. Resolves to how much. */
  floods(path: string, unreadMax: number): Promise<number> {
    return new Promise((resolve) => {
      this.flood = { path, unreadMax, ended: resolve };
    });
  }

  #serve(claim: NodeClaim): { close(): Promise<void> } {
    const sockets = new Set<Duplex>();
    const http: Server = createServer((asked, answer) => {
      this.asked.push(`${asked.method} ${asked.url}`);
      if (this.isSilent) return;
      if (this.refuses) return void answer.writeHead(401).end();
      if (this.flood !== null && asked.url === this.flood.path) {
        this.#send(answer, this.flood);
        return;
      }
      let body = "";
      asked.on("data", (data: Buffer) => (body += data.toString("utf8")));
      asked.on("end", () => {
        answer.setHeader("x-from", asked.socket.remoteAddress ?? "");
        answer.end(`${this.name} ${asked.method} ${asked.url} ${asked.headers.host} ${body.length}`);
      });
    });
    const rooms = new WebSocketServer({ noServer: true });
    http.on("upgrade", (asked, socket, head) =>
      rooms.handleUpgrade(asked, socket, head, (room) =>
        room.on("message", (data: Buffer) => room.send(`${this.name} ${data.toString("utf8")}`)),
      ),
    );
    this.local = {
      claim,
      take(socket) {
        sockets.add(socket);
        http.emit("connection", socket);
      },
    };
    return {
      close: async () => {
        this.local = null;
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  #send(answer: ServerResponse, flood: NonNullable<TestNode["flood"]>): void {
    const piece = Buffer.alloc(64 * 1024, "x");
    const more = (): void => {
      answer.write(piece);
      if (answer.writableLength < flood.unreadMax) return void setImmediate(more);
      flood.ended(answer.writableLength);
      answer.destroy();
    };
    more();
  }

  /** What is left of a process that was killed: nothing. */
  async kill(): Promise<void> {
    const { local } = this;
    this.local = null;
    if (local !== null) await this.link.close();
    await this.entry.close();
  }
}

describe("nodes of a cluster", () => {
  let cluster: MemoryCluster;
  let nodes: TestNode[] = [];
  beforeEach(async () => {
    cluster = new MemoryCluster(clock);
    nodes = [new TestNode("a"), new TestNode("b")];
    for (const node of nodes) await node.start(cluster);
    await expect.poll(() => nodes.filter(({ local }) => local !== null).length).toBe(1);
    await expect.poll(() => nodes.every(({ node }) => node.owner !== null)).toBe(true);
  });
  afterEach(async () => {
    await Promise.all(
      nodes.map(async ({ node, entry, link }) => {
        await entry.close();
        await node.stop();
        await link.close();
      }),
    );
  });
  const owner = (): TestNode =>
    must(
      nodes.find(({ local }) => local !== null),
      "a node owns the workspace",
    );
  const other = (): TestNode =>
    must(
      nodes.find(({ local }) => local === null),
      "another does not",
    );
  const urlOf = ({ entry }: TestNode, path: string): string => `http://127.0.0.1:${entry.port}${path}`;

  test("a request that reaches another node is answered by the owner, with the client's own address and host", async () => {
    const [here, there] = [other(), owner()];
    const answer = await fetch(urlOf(here, "/x?y=1"), { method: "POST", body: "z".repeat(3_000_000) });
    expect(await answer.text()).toBe(`${there.name} POST /x?y=1 127.0.0.1:${here.entry.port} 3000000`);
    expect(answer.headers.get("x-from")).toMatch(/127\.0\.0\.1$/);
    expect(await (await fetch(urlOf(there, "/y"))).text()).toContain(`${there.name} GET /y`);
    expect(here.asked).toEqual([]);
  });

  test("a WebSocket that reaches another node is the owner's, and ends when the owner is another", async () => {
    const [here, there] = [other(), owner()];
    const socket = new WebSocket(urlOf(here, "/ws").replace("http", "ws"));
    const said: string[] = [];
    socket.on("message", (data: Buffer) => said.push(data.toString("utf8")));
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send("hello");
    await expect.poll(() => said).toEqual([`${there.name} hello`]);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await there.node.stop();
    await closed;
    await expect.poll(async () => (await fetch(urlOf(here, "/z"))).text()).toContain(`${here.name} GET /z`);
  });

  test("N-03 a client of an owner that is stopped is let go before its time runs out, to be there when the next one serves", async () => {
    const [here, there] = [other(), owner()];
    const socket = new WebSocket(urlOf(here, "/ws").replace("http", "ws"));
    await new Promise((resolve) => socket.once("open", resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    there.isStopped = true;
    await closed;
    const { incarnation } = must(there.local, "the owner serves").claim;
    const { nodes: rows } = await cluster.table().look();
    expect(rows.find((row) => row.incarnation === incarnation)?.remainingMs).toBeGreaterThan(100);
    expect(here.local).toBeNull();
    expect(await (await fetch(urlOf(here, "/next"))).text()).toContain(`${here.name} GET /next`);
  });

  test("N-39 a request that arrives while the workspace moves waits for the next owner", async () => {
    const [here, there] = [other(), owner()];
    const stopping = there.node.stop();
    expect(await (await fetch(urlOf(here, "/moving"))).text()).toContain(`${here.name} GET /moving`);
    await stopping;
  });

  test("however many clients wait for a node that is not ready to serve, it is asked by one of them at a time", async () => {
    const [here, there] = [other(), owner()];
    const { local } = there;
    there.local = null;
    const clients = 60;
    const answers = Array.from({ length: clients }, async (_, index) =>
      (await fetch(urlOf(here, `/waits${index}`))).text(),
    );
    await new Promise((resolve) => setTimeout(resolve, 800));
    const asked = there.tunnelsAsked;
    there.local = local;
    for (const answer of await Promise.all(answers)) expect(answer).toContain(`${there.name} GET /waits`);
    // Each asks once; after that one asks for all, every 20 ms.
    expect(asked).toBeGreaterThan(clients);
    expect(asked).toBeLessThan(2 * clients);
  });

  test("a connection that came before this node served, and was served here, leads to the next owner after this one", async () => {
    const there = owner();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const asks = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const asked = request(urlOf(there, path), { agent, timeout: 5_000 }, (answer) => {
          let body = "";
          answer.on("data", (data: Buffer) => (body += data.toString("utf8")));
          answer.on("end", () => resolve(body));
        });
        asked.on("timeout", () => asked.destroy(new Error("nobody answered")));
        asked.on("error", reject);
        asked.end();
      });
    const { local } = there;
    there.local = null;
    const early = asks("/early");
    await new Promise((resolve) => setTimeout(resolve, 50));
    there.local = local;
    expect(await early).toContain(`${there.name} GET /early`);
    there.node.refusedAsStale(must(local, "it serves").claim.incarnation);
    await expect.poll(() => there.local !== local, { timeout: 5_000 }).toBe(true);
    try {
      expect(await asks("/later")).toContain("GET /later");
    } finally {
      agent.destroy();
    }
  });

  test("N-19 what reads is asked again of the next owner; what may have been done is told as unknown", async () => {
    const [here, there] = [other(), owner()];
    there.isSilent = true;
    const read = fetch(urlOf(here, "/read"));
    const done = fetch(urlOf(here, "/do"), { method: "POST", body: "{}" });
    await expect.poll(() => there.asked.toSorted()).toEqual(["GET /read", "POST /do"]);
    await there.node.stop();
    expect(await (await read).text()).toContain(`${here.name} GET /read`);
    const unknown = await done;
    expect(unknown.status).toBe(502);
    expect(await unknown.json()).toMatchObject({ error: { code: "UNKNOWN_OUTCOME" } });
    expect(here.asked).toEqual(["GET /read"]);
  });

  test("a request for another name or from another page is refused before anybody is asked", async () => {
    const here = other();
    const status = (headers: Readonly<Record<string, string>>): Promise<number> =>
      new Promise((resolve, reject) => {
        const asked = request({ port: here.entry.port, path: "/", headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        asked.on("error", reject);
        asked.end();
      });
    expect(await status({ host: "evil.example" })).toBe(403);
    expect(await status({ host: `127.0.0.1:${here.entry.port}`, origin: "https://evil.example" })).toBe(403);
    expect(owner().asked).toEqual([]);
    const socket = new WebSocket(urlOf(here, "/ws").replace("http", "ws"), { origin: "https://evil.example" });
    const refused = await new Promise((resolve) => socket.once("error", (problem) => resolve(String(problem))));
    expect(refused).toContain("403");
  });

  test("N-22 a link with a wrong key, of an unknown node or under another epoch brings nothing through", async () => {
    const [here, there] = [other(), owner()];
    const row = must(here.node.owner, "the owner is known");
    const { epoch } = must(there.local, "the owner serves").claim;
    const incarnation = must(here.node.state.incarnation, "the node has joined");
    const dial = (given: { epoch?: number; incarnation?: number; secret?: Uint8Array }): Promise<unknown> => {
      const link = new LinkToOwner(row, { epoch, incarnation, secret: here.secret, clock, ...given });
      return link.open("1.2.3.4").finally(() => link.close());
    };
    await expect(dial({ secret: new Uint8Array(32) })).rejects.toThrow();
    await expect(dial({ incarnation: 99 })).rejects.toThrow();
    await expect(dial({ epoch: epoch + 1 })).rejects.toMatchObject({ name: "NotOwnerError" });
    expect(await dial({})).toBeDefined();
    expect(there.asked).toEqual([]);
  });

  test("N-21 somebody who does not read holds up nobody else on the same link, and the owner's bound ends it", async () => {
    const [here, there] = [other(), owner()];
    const ended = there.floods("/flood", 4 * 1024 * 1024);
    const slow = connect(here.entry.port, "127.0.0.1");
    slow.pause();
    slow.write(`GET /flood HTTP/1.1\r\nHost: 127.0.0.1:${here.entry.port}\r\n\r\n`);
    // What the link and the sockets hold is soon full.
    const started = performance.now();
    for (let index = 0; index < 50; index += 1) {
      expect(await (await fetch(urlOf(here, `/n${index}`))).text()).toContain(`${there.name} GET /n${index}`);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(await ended).toBeGreaterThanOrEqual(4 * 1024 * 1024);
    expect(await there.metric("link_stalls_total")).toBeGreaterThan(0);
    // A reader that is paused does not hear of the end.
    const closed = new Promise((resolve) => slow.on("error", () => {}).once("close", resolve));
    slow.resume();
    await closed;
  });

  test("each node's own metrics are read at it, by whom the owner lets read its own; they count what is passed on", async () => {
    const [here, there] = [other(), owner()];
    await fetch(urlOf(here, "/x"), { method: "POST", body: "z".repeat(100_000) });
    await fetch(urlOf(there, "/y"));
    const answer = await fetch(urlOf(here, "/metrics"));
    expect(answer.headers.get("content-type")).toContain("text/plain");
    const text = await answer.text();
    expect(valueOf(text, 'heddle_node_clients_total{way="passed-on"}')).toBeGreaterThan(0);
    expect(valueOf(text, 'heddle_node_link_bytes_total{direction="out"}')).toBeGreaterThan(100_000);
    expect(valueOf(text, 'heddle_node_link_bytes_total{direction="in"}')).toBeGreaterThan(0);
    expect(await there.metric('clients_total{way="here"}')).toBeGreaterThan(0);
    expect(await there.metric('link_bytes_total{direction="in"}')).toBeGreaterThan(100_000);
    there.refuses = true;
    expect((await fetch(urlOf(here, "/metrics"))).status).toBe(401);
  });

  test("N-47 a node tells whether it is ready", async () => {
    const here = other();
    expect(await (await fetch(urlOf(here, "/readyz"))).json()).toMatchObject({
      status: "ready",
      owns: false,
      renews: true,
    });
    await here.node.stop();
    const stopped = await fetch(urlOf(here, "/readyz"));
    expect(stopped.status).toBe(503);
    expect(await stopped.json()).toMatchObject({ status: "not-ready" });
  });
});
