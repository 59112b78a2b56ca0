import { WebSocket } from "ws";
import { protocolVersion, schemaHash } from "../../src/core/protocol/version.ts";
import { must } from "../../src/core/base/assert.ts";
import type { Listening } from "../sync/child.ts";

/** A message of the server, as far as the bench reads it. */
export interface Received {
  readonly type: string;
  readonly record?: {
    readonly body: {
      readonly type: string;
      readonly state?: { readonly type: string };
      readonly node?: { readonly id: string };
    };
  };
}

/** One page of the bench: a socket that counts bytes and waits for messages, and commands over HTTP. */
export class BenchPage {
  readonly #listening: Listening;
  readonly #socket: WebSocket;
  #waiting: { readonly fits: (message: Received) => boolean; readonly resolve: (message: Received) => void } | null =
    null;
  /** Bytes of frames received. */
  bytes = 0;

  private constructor(listening: Listening, socket: WebSocket) {
    this.#listening = listening;
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#take(data));
  }

  static async open(listening: Listening, number: number): Promise<BenchPage> {
    const socket = new WebSocket(`ws://127.0.0.1:${listening.port}/ws`, { perMessageDeflate: false, maxPayload: 0 });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const page = new BenchPage(listening, socket);
    const clientId = `bench-page-${String(number).padStart(8, "0")}`;
    const welcomed = page.next(({ type }) => type === "welcome");
    page.send({ type: "hello", protocol: protocolVersion, schemaHash, token: listening.token, clientId });
    await welcomed;
    return page;
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Resolves with the next message that fits. */
  next(fits: (message: Received) => boolean): Promise<Received> {
    return new Promise((resolve) => {
      this.#waiting = { fits, resolve };
    });
  }

  async call<Answer>(name: string, params: object): Promise<Answer> {
    return (await this.#request(`commands/${name}`, { method: "POST", body: JSON.stringify(params) })) as Answer;
  }

  async tool(name: string, params: object): Promise<unknown> {
    return this.#request(`tools/${name}`, { method: "POST", body: JSON.stringify(params) });
  }

  /** Reads a route whole, without looking at it: what arrives in large pieces costs the bench little. */
  async read(path: string): Promise<number> {
    const { port, token } = this.#listening;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, { headers });
    if (!answer.ok || answer.body === null) throw new Error(`${path}: ${answer.status}`);
    let bytes = 0;
    for await (const piece of answer.body) bytes += piece.length;
    return bytes;
  }

  close(): void {
    this.#socket.terminate();
  }

  async #request(path: string, init: RequestInit): Promise<unknown> {
    const { port, token } = this.#listening;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, { ...init, headers });
    const body: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body).slice(0, 300)}`);
    return body;
  }

  #take(data: Buffer): void {
    this.bytes += data.length;
    const waiting = this.#waiting;
    if (waiting === null) return;
    for (const message of must(JSON.parse(data.toString()) as readonly Received[], "a frame is an array")) {
      if (!waiting.fits(message)) continue;
      this.#waiting = null;
      waiting.resolve(message);
      return;
    }
  }
}
