import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { nkeys } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { HintBus } from "../../core/port/hint-bus.ts";
import type { LogFields, Logger } from "../../core/port/platform.ts";
import { describeHintBus } from "../../testing/cluster/hint-suite.ts";
import { testCertificate, testKey } from "../network/tls-server.test-support.ts";
import { systemPlatform } from "../platform/system-platform.ts";
import type { NatsCredentials, NatsPlace } from "./nats-address.ts";
import { openNatsHints, subjectOf } from "./nats-hints.ts";
import { TestNatsServer, type NatsAccess } from "./nats-server.test-support.ts";
import { natsProgram, RealNatsServer } from "./real-nats.test-support.ts";

interface NatsServer {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  remove?(): Promise<void>;
}

const { clock } = systemPlatform("error", () => {});
const secret = new Uint8Array(32).fill(1);
const password = "p@ss:w/rd";
const access: NatsAccess = { user: "heddle", password };
const credentials: NatsCredentials = { type: "password", user: "heddle", password };
const retryMs = 100;

const servers: readonly {
  readonly name: string;
  readonly missing?: string;
  readonly make: (given: NatsAccess) => NatsServer;
}[] = [
  { name: "NATS, in the test's own server", make: (given) => new TestNatsServer(given) },
  {
    name: "NATS, in nats-server",
    ...("missing" in natsProgram ? { missing: natsProgram.missing } : {}),
    make: (given) => new RealNatsServer(given),
  },
];

const opened: { close(): Promise<void> }[] = [];
const log: (LogFields & { readonly event: string })[] = [];
const noted = (event: string, fields: LogFields = {}): void => void log.push({ event, ...fields });
const logger: Logger = { info: noted, warn: noted, error: noted };
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
  log.length = 0;
});

function placeOf({ port }: NatsServer, given: Partial<NatsPlace> = {}): NatsPlace {
  return { host: "127.0.0.1", port, isTls: false, credentials, ...given };
}

/** Opens a bus and counts what it hears. */
function bus(place: NatsPlace): HintBus & { readonly heard: () => number } {
  const made = openNatsHints({ place, secret, clock, logger, retryMs });
  let heard = 0;
  made.onHint(() => (heard += 1));
  opened.push(made);
  return {
    tell: () => made.tell(),
    onHint: (listener) => made.onHint(listener),
    close: () => made.close(),
    heard: () => heard,
  };
}

async function started(server: NatsServer): Promise<NatsServer> {
  opened.push({ close: () => server.remove?.() ?? server.stop() });
  await server.start();
  return server;
}

for (const { name, missing, make } of servers) {
  describeHintBus(
    name,
    async () => {
      const server = make(access);
      await server.start();
      return {
        bus: (cluster) =>
          openNatsHints({
            place: placeOf(server),
            secret: cluster === "ours" ? secret : new Uint8Array(32).fill(2),
            clock,
            logger,
            retryMs,
          }),
        server,
        close: () => server.remove?.() ?? server.stop(),
      };
    },
    { hasServer: true, ...(missing === undefined ? {} : { missing }) },
  );
}

describe.each(servers)("a bus by $name", ({ missing, make }) => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-hints-"));
  const trusted = getCACertificates("default");
  beforeAll(() => setDefaultCACertificates([...trusted, testCertificate]));
  afterAll(() => {
    setDefaultCACertificates(trusted);
    rmSync(folder, { recursive: true, force: true });
  });
  const each = (name: string, run: () => Promise<void>): void =>
    test(name, async ({ skip }) => (missing === undefined ? run() : skip(missing)));

  const user = nkeys.createUser();
  const file = join(folder, "heddle.creds");
  const known: readonly (readonly [string, NatsAccess, NatsCredentials])[] = [
    ["a user and a password", access, credentials],
    ["a token", { token: "t0ken" }, { type: "token", token: "t0ken" }],
    ["a file of credentials", { nkey: user.getPublicKey() }, { type: "file", path: file }],
  ];
  for (const [what, let_, said] of known) {
    each(`is let in by ${what}`, async () => {
      writeFileSync(file, credentialsFile(new TextDecoder().decode(user.getSeed())));
      const server = await started(make(let_));
      await expect.poll(bus(placeOf(server, { credentials: said })).heard).toBeGreaterThan(0);
      expect(log).toEqual([]);
    });
  }

  each("that is not let in warns once, names no secret, and is there as soon as it is let in", async () => {
    const file_ = join(folder, "replaced.creds");
    writeFileSync(file_, credentialsFile(new TextDecoder().decode(nkeys.createUser().getSeed())));
    const server = await started(make({ nkey: user.getPublicKey() }));
    const hints = bus(placeOf(server, { credentials: { type: "file", path: file_ } }));
    await expect.poll(() => log.length).toBe(1);
    await delay(5 * retryMs);
    expect(log).toEqual([
      {
        event: "hints-away",
        at: `nats://127.0.0.1:${server.port}`,
        reason: expect.stringContaining("Authorization Violation"),
      },
    ]);
    hints.tell();
    expect(hints.heard()).toBe(0);
    writeFileSync(file_, credentialsFile(new TextDecoder().decode(user.getSeed())));
    await expect.poll(hints.heard).toBeGreaterThan(0);
    expect(log.slice(1)).toEqual([{ event: "hints-back", at: `nats://127.0.0.1:${server.port}` }]);
  });

  each("whose password is wrong warns without it", async () => {
    const server = await started(make(access));
    bus(placeOf(server, { credentials: { type: "password", user: "heddle", password: "wr0ng" } }));
    await expect.poll(() => log.length).toBe(1);
    expect(JSON.stringify(log)).not.toMatch(/wr0ng|p@ss/u);
  });

  each("opens while the server is away, warns once, and hears hints once the server is there", async () => {
    const server = make(access);
    await started(server);
    await server.stop();
    const hints = bus(placeOf(server));
    await expect.poll(() => log.length).toBe(1);
    await delay(5 * retryMs);
    expect(log).toEqual([{ event: "hints-away", at: `nats://127.0.0.1:${server.port}`, reason: "connection refused" }]);
    await server.start();
    await expect.poll(hints.heard).toBeGreaterThan(0);
  });

  each("that may not listen warns once and may later", async () => {
    const server = await started(make({ ...access, isDeaf: true }));
    const hints = bus(placeOf(server));
    await expect.poll(() => log.length).toBeGreaterThan(0);
    await delay(5 * retryMs);
    expect(log).toEqual([
      { event: "hints-away", at: expect.any(String), reason: expect.stringContaining("Permissions Violation") },
    ]);
    expect(hints.heard()).toBe(0);
  });

  each("N-22 takes whatever comes on its subject as a hint, and nothing else", async () => {
    const server = await started(make(access));
    const hints = bus(placeOf(server));
    await expect.poll(hints.heard).toBeGreaterThan(0);
    const stranger = await Stranger.open(server);
    opened.push(stranger);
    const before = hints.heard();
    const subject = subjectOf(secret);
    for (const payload of [Buffer.from("{"), randomBytes(1_048_576), Buffer.from("MSG x 1 1\r\n"), Buffer.alloc(0)]) {
      stranger.publish(subject, payload);
    }
    stranger.say(`HPUB ${subject} 21 23\r\nNATS/1.0\r\nA: ${"\u0001".repeat(3)}b\r\n\r\nhi\r\n`);
    for (let count = 0; count < 10_000; count += 1) stranger.publish(`heddle.hints.${count}`, randomBytes(16));
    await expect.poll(() => hints.heard() - before).toBe(5);
    await delay(100);
    expect(hints.heard() - before).toBe(5);
    hints.tell();
    await expect.poll(() => hints.heard() - before).toBe(6);
    expect(log).toEqual([]);
  });

  for (const host of ["localhost", "127.0.0.1"]) {
    each(`N-22 speaks TLS with a server that has a certificate for ${host}`, async () => {
      const server = await started(make({ ...access, tls: { cert: testCertificate, key: testKey } }));
      await expect.poll(bus(placeOf(server, { host, isTls: true })).heard).toBeGreaterThan(0);
      expect(log).toEqual([]);
    });
  }

  each("N-22 says who it is to no server whose certificate is for another name", async () => {
    const server = await started(make({ ...access, tls: namedCertificate() }));
    await expect.poll(bus(placeOf(server, { host: "localhost", isTls: true })).heard).toBeGreaterThan(0);
    const hints = bus(placeOf(server, { host: "127.0.0.1", isTls: true }));
    await expect.poll(() => log.length).toBe(1);
    expect(log[0]?.["reason"]).toContain("IP: 127.0.0.1 is not in the cert's list");
    expect(hints.heard()).toBe(0);
  });

  each("N-22 says who it is to no server whose certificate is unknown or that has none", async () => {
    setDefaultCACertificates(trusted);
    try {
      const unknown = await started(make({ ...access, tls: { cert: testCertificate, key: testKey } }));
      const bare = await started(make(access));
      for (const server of [unknown, bare]) bus(placeOf(server, { host: "localhost", isTls: true }));
      await expect.poll(() => log.length).toBe(2);
      expect(log.map(({ reason }) => String(reason)).toSorted()).toEqual([
        expect.stringMatching(/self-signed|self signed/u),
        "server does not support 'tls'",
      ]);
      for (const server of [unknown, bare]) if (server instanceof TestNatsServer) expect(server.introductions).toBe(0);
    } finally {
      setDefaultCACertificates([...trusted, testCertificate]);
    }
  });

  each("N-22 hears what the protocol's text says", async () => {
    const server = await started(make(access));
    for (const [said, answers] of facts) {
      const stranger = await Stranger.open(server, false);
      stranger.say(said.map((line) => `${line}\r\n`).join(""));
      await expect.poll(() => stranger.heard(), { message: said.join(" | ") }).toEqual(answers);
      await stranger.close();
    }
  });
});

/** What a server answers to the first lines of a client; the test's own one is held to what `nats-server` says. */
const who = (given: object): string =>
  `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, protocol: 1, headers: true, no_responders: true, lang: "test", version: "1", ...given })}`;
const known = who({ user: "heddle", pass: password });
const greeting = `INFO {"proto":1,"headers":true,"auth_required":true,"max_payload":1048576}`;
const facts: readonly (readonly [said: readonly string[], answers: readonly string[]])[] = [
  [[], [greeting]],
  [
    [known, "PING"],
    [greeting, "PONG"],
  ],
  [
    [who({ user: "heddle", pass: "wrong" }), "PING"],
    [greeting, "-ERR 'Authorization Violation'", "end"],
  ],
  [["PING"], [greeting, "-ERR 'Authorization Violation'", "end"]],
  [
    [known, "SUB a.b 1", "PUB a.b 0", "", "PUB a.c 0", "", "PING"],
    [greeting, "MSG a.b 1 0", "", "PONG"],
  ],
  [
    [known, "SUB a.b 7", "PUB a.b back 2", "hi", "PING"],
    [greeting, "MSG a.b 7 back 2", "hi", "PONG"],
  ],
  [
    [known, "SUB a 1", "HPUB a 12 14", "NATS/1.0", "", "hi", "PING"],
    [greeting, "HMSG a 1 12 14", "NATS/1.0", "", "hi", "PONG"],
  ],
  [
    [known, "SUB a 1", "UNSUB 1", "PUB a 0", "", "PING"],
    [greeting, "PONG"],
  ],
  [
    [known, "NONSENSE"],
    [greeting, "-ERR 'Unknown Protocol Operation'", "end"],
  ],
  [
    [known, "PUB a 1", "hi", "PING"],
    [greeting, "-ERR 'Unknown Protocol Operation'", "end"],
  ],
  [
    [known, "PUB a many", "PING"],
    [greeting, "end"],
  ],
  [
    [known, "PUB a 1048577"],
    [greeting, "-ERR 'Maximum Payload Violation'", "end"],
  ],
];

test("N-22 a server that sends garbage is given up and tried again", async () => {
  const server = new TestNatsServer(access);
  await started(server);
  const hints = bus(placeOf(server));
  await expect.poll(hints.heard).toBeGreaterThan(0);
  const before = hints.heard();
  server.send("MSG not a message\r\n\u0000\u0001");
  await expect.poll(hints.heard).toBeGreaterThan(before);
  hints.tell();
  await expect.poll(hints.heard).toBeGreaterThan(before + 1);
});

test("N-22 goes to no server that another one names", async () => {
  const other = new TestNatsServer(access);
  await started(other);
  const others = [`127.0.0.1:${other.port}`];
  const server = new TestNatsServer({ user: "heddle", password: "another", others });
  await started(server);
  bus(placeOf(server));
  await expect.poll(() => server.introductions).toBeGreaterThan(2);
  expect(other.introductions).toBe(0);
});

test("listens to one subject, which another cluster cannot know", async () => {
  const server = new TestNatsServer(access);
  await started(server);
  const hints = bus(placeOf(server));
  await expect.poll(hints.heard).toBeGreaterThan(0);
  expect(server.subjects).toEqual([subjectOf(secret)]);
  expect(subjectOf(secret)).toMatch(/^heddle\.hints\.[0-9a-f]{32}$/u);
  expect(subjectOf(secret)).not.toContain(Buffer.from(secret).toString("hex"));
  expect(subjectOf(new Uint8Array(32))).not.toBe(subjectOf(secret));
});

/** Somebody else in the same account, who speaks the protocol's text. */
class Stranger {
  readonly #socket: Socket;
  #said = "";
  #isOver = false;

  static async open({ port }: NatsServer, introduces = true): Promise<Stranger> {
    const socket = connect({ host: "127.0.0.1", port });
    await new Promise<void>((resolve, reject) => socket.once("connect", () => resolve()).once("error", reject));
    const stranger = new Stranger(socket);
    if (introduces) stranger.say(`${known}\r\n`);
    return stranger;
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data: Buffer) => (this.#said += data.toString("utf8")));
    socket.on("error", () => {});
    socket.on("close", () => (this.#isOver = true));
  }

  say(text: string): void {
    this.#socket.write(text);
  }

  publish(subject: string, payload: Buffer): void {
    this.#socket.write(
      Buffer.concat([Buffer.from(`PUB ${subject} ${payload.length}\r\n`), payload, Buffer.from("\r\n")]),
    );
  }

  /** The lines that the server said, of its greeting what a client needs. */
  heard(): readonly string[] {
    const lines = this.#said.split("\r\n").slice(0, -1);
    const told = lines.map((line) => {
      if (!line.startsWith("INFO ")) return line;
      const { proto, headers, auth_required, max_payload } = JSON.parse(line.slice(5)) as Record<string, unknown>;
      return `INFO ${JSON.stringify({ proto, headers, auth_required, max_payload })}`;
    });
    return this.#isOver ? [...told, "end"] : told;
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }
}

/** A certificate for `localhost` by name alone, which is trusted from then on. */
function namedCertificate(): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), "heddle-certificate-"));
  const asked = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost";
  const named = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"];
  execFileSync("openssl", [...asked.split(" "), ...named], { cwd: folder, stdio: "ignore" });
  const [cert, key] = ["cert.pem", "key.pem"].map((name) => readFileSync(join(folder, name), "utf8"));
  rmSync(folder, { recursive: true });
  setDefaultCACertificates([...getCACertificates("default"), cert ?? ""]);
  return { cert: cert ?? "", key: key ?? "" };
}

/** A file of credentials as NATS' own tools write it. */
function credentialsFile(seed: string): string {
  return `-----BEGIN NATS USER JWT-----
e30.e30.e30
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`;
}
