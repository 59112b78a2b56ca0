import { WebSocket } from "ws";
import { must } from "../../src/core/base/assert.ts";
import type { BlockId } from "../../src/core/base/ids.ts";
import { connectHeddle } from "../../src/client/connect.ts";
import type { HeddleClient, SocketLike, SocketListener, TextReplica } from "../../src/client/base/types.ts";
import type { Acknowledged } from "./history.ts";
import type { NodeProcess } from "./nodes.ts";

/** Sends people to nodes that are up, one after the other, and lets go those of a node that is down. */
export class Balancer {
  readonly nodes: readonly NodeProcess[];
  readonly #sockets = new Map<WebSocket, NodeProcess>();
  #next = 0;

  constructor(nodes: readonly NodeProcess[]) {
    this.nodes = nodes;
  }

  open(listener: SocketListener): SocketLike {
    const up = this.nodes.filter(({ isUp }) => isUp);
    this.#next += 1;
    const node = up[this.#next % Math.max(1, up.length)] ?? must(this.nodes[0], "there are nodes");
    const socket = new WebSocket(`${node.origin.replace("http", "ws")}/ws`, { perMessageDeflate: false });
    this.#sockets.set(socket, node);
    socket.on("open", () => listener.opened());
    socket.on("message", (data: Buffer) => listener.received(data.toString("utf8")));
    socket.on("close", (code: number) => {
      this.#sockets.delete(socket);
      listener.closed(code);
    });
    socket.on("error", () => {});
    return { send: (frame) => socket.send(frame), close: () => socket.close() };
  }

  /** Takes a node out: what a balancer does when `/readyz` fails. */
  down(node: NodeProcess): void {
    node.isUp = false;
    for (const [socket, at] of this.#sockets) if (at === node) socket.terminate();
  }
}

export interface PersonOptions {
  readonly balancer: Balancer;
  readonly token: string;
  readonly number: number;
  readonly canvasId: BlockId;
  readonly everyMs: number;
  readonly acknowledged: Acknowledged[];
}

/** Somebody who types a word that nobody else types, again and again, also while nothing answers. */
export class Person {
  readonly client: HeddleClient;
  readonly text: TextReplica;
  readonly typed: string[] = [];
  readonly canvasId: BlockId;
  readonly #number: number;
  readonly #timer: NodeJS.Timeout;
  #told = 0;

  constructor({ balancer, token, number, canvasId, everyMs, acknowledged }: PersonOptions) {
    this.canvasId = canvasId;
    this.#number = number;
    const { origin } = must(balancer.nodes[0], "there are nodes");
    this.client = connectHeddle({
      url: origin,
      token,
      clientId: `person-of-a-cluster-${number}`,
      name: `Person ${number}`,
      platform: { openSocket: (_url, listener) => balancer.open(listener) },
    });
    this.text = this.client.openText(canvasId);
    this.text.unconfirmed.subscribe(() => {
      // Edits are acknowledged in the order in which they were made.
      const confirmed = this.typed.length - this.text.unconfirmed.get();
      for (const word of this.typed.slice(this.#told, confirmed)) {
        acknowledged.push({ canvasId, word, atMs: performance.now() });
      }
      this.#told = Math.max(this.#told, confirmed);
    });
    this.#timer = setInterval(() => this.#type(), everyMs);
  }

  #type(): void {
    if (!this.text.ready) return;
    const word = `p${this.#number}w${this.typed.length}q`;
    this.typed.push(word);
    this.text.edit([{ from: this.text.length, to: this.text.length, insert: ` ${word}` }]);
  }

  /** Stops typing. */
  rest(): void {
    clearInterval(this.#timer);
  }

  close(): void {
    this.rest();
    this.client.close();
  }
}
