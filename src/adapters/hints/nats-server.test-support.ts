import { createPublicKey, randomBytes, verify } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";

/** Who may connect to a server, and what each may do. */
export interface NatsAccess {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** A user's public key, whose seed signs the server's nonce. */
  readonly nkey?: string;
  /** Whether subscriptions are refused. */
  readonly isDeaf?: boolean;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Servers that clients are told to use as well. */
  readonly others?: readonly string[];
}

const maxPayload = 1_048_576;

/** A NATS server for tests: what the protocol's text has between one client and the next, for one account without accounts' rights. */
export class TestNatsServer {
  port = 0;
  readonly #access: NatsAccess;
  readonly #clients = new Set<TestNatsClient>();
  #server: Server | null = null;

  constructor(access: NatsAccess) {
    this.#access = access;
  }

  /** Listens, at the port that it had before. */
  async start(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(this.port, "127.0.0.1", resolve);
    });
    const address = server.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const client of this.#clients) client.end();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  /** The subjects that clients listen to. */
  get subjects(): readonly string[] {
    return [...this.#clients].flatMap(({ subscriptions }) => [...subscriptions.values()]);
  }

  /** How often somebody said who they are. */
  introductions = 0;

  /** Sends bytes to every client, whatever they are. */
  send(bytes: string | Uint8Array): void {
    for (const client of this.#clients) client.send(bytes);
  }

  deliver(message: NatsMessage): void {
    for (const client of this.#clients) client.deliver(message);
  }

  #accept(socket: Socket): void {
    const client = new TestNatsClient(this, socket, this.#access, () => this.#clients.delete(client));
    this.#clients.add(client);
  }
}

interface NatsMessage {
  readonly subject: string;
  readonly reply: string;
  readonly headerBytes: number | null;
  readonly payload: Buffer;
}

class TestNatsClient {
  /** Subjects by the client's own numbers. */
  readonly subscriptions = new Map<string, string>();
  readonly #server: TestNatsServer;
  readonly #access: NatsAccess;
  readonly #nonce = randomBytes(11).toString("base64url");
  #socket: Socket;
  #unread = Buffer.alloc(0);
  #isIn = false;
  #isOver = false;

  constructor(server: TestNatsServer, socket: Socket, access: NatsAccess, onEnd: () => void) {
    this.#server = server;
    this.#access = access;
    this.#socket = socket;
    socket.once("close", onEnd);
    this.send(`INFO ${JSON.stringify(this.#info())}\r\n`);
    if (access.tls === undefined) this.#read(socket);
    else this.#read(this.#secured(socket, access.tls));
  }

  send(bytes: string | Uint8Array): void {
    if (!this.#isOver) this.#socket.write(bytes);
  }

  end(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  deliver({ subject, reply, headerBytes, payload }: NatsMessage): void {
    for (const [sid, wanted] of this.subscriptions) {
      if (wanted !== subject) continue;
      const to = reply === "" ? "" : `${reply} `;
      const sizes = headerBytes === null ? String(payload.length) : `${headerBytes} ${payload.length}`;
      this.send(`${headerBytes === null ? "MSG" : "HMSG"} ${subject} ${sid} ${to}${sizes}\r\n`);
      this.send(payload);
      this.send("\r\n");
    }
  }

  #info(): object {
    const { user, token, nkey, tls, others } = this.#access;
    return {
      server_id: "TEST",
      server_name: "TEST",
      version: "2.9.10",
      proto: 1,
      go: "none",
      host: "127.0.0.1",
      port: this.#server.port,
      headers: true,
      max_payload: maxPayload,
      client_id: 1,
      ...(user === undefined && token === undefined && nkey === undefined ? {} : { auth_required: true }),
      ...(nkey === undefined ? {} : { nonce: this.#nonce }),
      ...(tls === undefined ? {} : { tls_required: true }),
      ...(others === undefined ? {} : { connect_urls: others }),
    };
  }

  #secured(socket: Socket, { cert, key }: { readonly cert: string; readonly key: string }): Socket {
    const secured = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ cert, key }) });
    this.#socket = secured;
    return secured;
  }

  #read(socket: Socket): void {
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      this.#unread = Buffer.concat([this.#unread, data]);
      while (!this.#isOver && this.#step());
    });
  }

  /** Takes one operation from what is unread; false: it is not whole yet. */
  #step(): boolean {
    const end = this.#unread.indexOf("\r\n");
    if (end === -1) return false;
    const line = this.#unread.toString("utf8", 0, end);
    const [name = "", ...words] = line.split(/\s+/u);
    const rest = this.#unread.subarray(end + 2);
    const operation = name.toUpperCase();
    if (operation !== "PUB" && operation !== "HPUB") {
      this.#unread = rest;
      this.#perform(operation, words, line.slice(name.length + 1));
      return true;
    }
    const size = Number(words.at(-1));
    if (!Number.isInteger(size)) return this.#over();
    if (size > maxPayload) return this.#refuse("Maximum Payload Violation");
    if (rest.length < size + 2) return false;
    if (rest.toString("latin1", size, size + 2) !== "\r\n") return this.#refuse("Unknown Protocol Operation");
    this.#unread = rest.subarray(size + 2);
    const isPlain = operation === "PUB";
    this.#server.deliver({
      subject: words[0] ?? "",
      reply: words.length > (isPlain ? 2 : 3) ? (words[1] ?? "") : "",
      headerBytes: isPlain ? null : Number(words.at(-2)),
      payload: Buffer.from(rest.subarray(0, size)),
    });
    return true;
  }

  #perform(operation: string, words: readonly string[], text: string): void {
    if (operation === "CONNECT") return this.#connect(text);
    if (!this.#isIn) return void this.#refuse("Authorization Violation");
    switch (operation) {
      case "PING":
        return this.send("PONG\r\n");
      case "PONG":
        return;
      case "SUB":
        return this.#subscribe(words[0] ?? "", words.at(-1) ?? "");
      case "UNSUB":
        return void this.subscriptions.delete(words[0] ?? "");
      default:
        return void this.#refuse("Unknown Protocol Operation");
    }
  }

  #subscribe(subject: string, sid: string): void {
    if (this.#access.isDeaf === true) this.send(`-ERR 'Permissions Violation for Subscription to "${subject}"'\r\n`);
    else this.subscriptions.set(sid, subject);
  }

  #connect(text: string): void {
    this.#server.introductions += 1;
    const said = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const { user, password, token, nkey } = this.#access;
    this.#isIn =
      said["user"] === user &&
      said["pass"] === password &&
      said["auth_token"] === token &&
      (nkey === undefined || (said["nkey"] === nkey && isSigned(nkey, this.#nonce, String(said["sig"]))));
    if (!this.#isIn) this.#refuse("Authorization Violation");
  }

  /** Says what is wrong and ends the connection. */
  #refuse(problem: string): false {
    this.send(`-ERR '${problem}'\r\n`);
    return this.#over();
  }

  #over(): false {
    this.#isOver = true;
    this.#socket.end();
    return false;
  }
}

/** Whether the seed of a public key, 32 bytes between a prefix and a checksum in base 32, has signed the nonce. */
function isSigned(nkey: string, nonce: string, signature: string): boolean {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(nkey, (letter) => digits.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const bytes = Buffer.from(Array.from({ length: 33 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2)));
  const jwk = { kty: "OKP", crv: "Ed25519", x: bytes.subarray(1).toString("base64url") };
  return verify(
    null,
    Buffer.from(nonce),
    createPublicKey({ key: jwk, format: "jwk" }),
    Buffer.from(signature, "base64url"),
  );
}
