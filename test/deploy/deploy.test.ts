import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { connect as connectNats } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openNatsHints } from "../../src/adapters/hints/nats-hints.ts";
import { natsProgram } from "../../src/adapters/hints/real-nats.test-support.ts";
import { testCertificate, testKey } from "../../src/adapters/network/tls-server.test-support.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import { inspectPostgres } from "../../src/adapters/storage/postgres/inspect-postgres.ts";
import { openPostgresStore } from "../../src/adapters/storage/postgres/open-postgres-store.ts";
import { readCommandLine } from "../../src/host/cli/base/command-line.ts";
import { serveForm } from "../../src/host/cli/serve.ts";
import { serverLimits } from "../../src/host/server/http/server-limits.ts";
import { startServer, type HeddleServer } from "../../src/host/server/server.ts";
import { root } from "../../src/testing/store/records.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { freePorts } from "../cluster/nodes.ts";
import { startPostgres } from "../postgres/start-server.ts";
import { repository } from "../tidy/source-files.ts";
import { programFor } from "./programs.ts";

const folder = join(repository, "docs/deploy");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

/** The flags that a line of a file gives to `heddle serve`, as the command line reads them. */
function served(words: readonly string[]): unknown {
  return readCommandLine(words, [serveForm], serveForm);
}

describe("the container file", () => {
  const lines = read("Containerfile").replaceAll("\\\n", " ").split("\n");
  const after = (word: string): string =>
    lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? "";

  test("builds on the runtime that this release bundles, and does not run as root", () => {
    const bundled = process.versions.node.split(".")[0];
    expect(after("FROM")).toBe(`docker.io/library/node:${bundled}-bookworm-slim`);
    expect(after("USER")).toBe("node");
    expect(lines.findIndex((line) => line.startsWith("USER"))).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith("RUN")),
    );
  });

  test("starts the server with flags that it knows, stops it with the signal at which it hands over", () => {
    expect(served(JSON.parse(after("CMD")) as string[])).toMatchObject({ ok: true });
    expect(after("STOPSIGNAL")).toBe("SIGTERM");
    expect(JSON.parse(after("ENTRYPOINT"))).toEqual(["tini", "--", "heddle"]);
  });

  test("holds no secret, and its health check is the question of balancers", () => {
    expect(read("Containerfile")).not.toMatch(/^\s*(?:ENV|ARG).*(?:KEY|SECRET|PASSWORD|TOKEN|postgres:\/\/)/mu);
    expect(lines.join("\n")).toContain("/readyz");
  });
});

describe("the systemd unit", () => {
  const unit = read("heddle.service");

  test.each(unit.split("\n").filter((line) => /^#?ExecStart=/u.test(line)))(
    "%s has flags that the server knows",
    (line) => {
      expect(served(line.split(" ").slice(1))).toMatchObject({ ok: true });
    },
  );

  test("waits longer than a node takes to hand over, and leaves open what the sandbox and the engine need", () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/mu.exec(unit)?.[1])).toBeGreaterThan(10);
    for (const closed of ["RestrictNamespaces", "SystemCallFilter", "MemoryDenyWriteExecute", "PrivateUsers"]) {
      expect(unit).not.toMatch(new RegExp(`^${closed}=`, "mu"));
    }
    expect(Number(/^LimitNOFILE=(\d+)$/mu.exec(unit)?.[1])).toBeGreaterThan(2 * serverLimits.connectionsMax);
  });

  test("is one that systemd itself has nothing against", ({ skip }) => {
    const place = mkdtempSync(join(tmpdir(), "heddle-unit-"));
    try {
      // The program and its user are not on this machine.
      const here = unit.replaceAll("/usr/bin/heddle", process.execPath).replaceAll(/^(?:User|Group)=.*$/gmu, "");
      writeFileSync(join(place, "heddle.service"), here);
      const said = spawnSync("systemd-analyze", ["verify", join(place, "heddle.service")], { encoding: "utf8" });
      if (said.error !== undefined) return skip("there is no systemd on this machine");
      expect(said.stderr.split("\n").filter((line) => line.includes("heddle.service"))).toEqual([]);
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

test("PostgreSQL starts with the settings, and Heddle finds it durable and commits", async () => {
  const settings = Object.fromEntries(
    [...read("postgresql.conf").matchAll(/^(?<name>\w+) = '?(?<value>[^'\n]*)'?$/gmu)].map(({ groups }) => [
      groups?.["name"] ?? "",
      groups?.["value"] ?? "",
    ]),
  );
  expect(Object.keys(settings).length).toBeGreaterThan(12);
  const server = await startPostgres(() => settings);
  try {
    const url = server.urlOf("postgres");
    expect(await inspectPostgres({ url })).toMatchObject({ isDurable: true });
    const store = await openPostgresStore({ url });
    expect(await store.commit([{ type: "put-root", root: root("a") }])).toMatchObject({ ok: true });
    await store.close();
  } finally {
    await server.remove();
  }
}, 60_000);

test("Caddy asks each node whether it is ready, and passes pieces on as they come", () => {
  const file = read("Caddyfile");
  for (const line of ["health_uri /readyz", "flush_interval -1"]) expect(file).toContain(line);
  expect(file.split("{").length).toBe(file.split("}").length);
});

test("a NATS server runs with the account, by which a node gives and hears hints and can do nothing else", async ({
  skip,
}) => {
  if ("missing" in natsProgram) return skip(natsProgram.missing);
  const place = mkdtempSync(join(tmpdir(), "heddle-nats-conf-"));
  const trusted = getCACertificates("default");
  const [port = 0] = await freePorts(1);
  writeFileSync(join(place, "fullchain.pem"), testCertificate);
  writeFileSync(join(place, "privkey.pem"), testKey);
  const file = read("nats.conf").replaceAll("/etc/nats", place).replace("0.0.0.0:4222", `127.0.0.1:${port}`);
  writeFileSync(join(place, "nats.conf"), file);
  setDefaultCACertificates([...trusted, testCertificate]);
  const server = spawn(natsProgram.path, ["-c", join(place, "nats.conf")], {
    env: { ...process.env, NATS_PASSWORD: "s3cret" },
    stdio: "ignore",
  });
  const { clock, logger } = systemPlatform("error", () => {});
  const credentials = { type: "password", user: "heddle", password: "s3cret" } as const;
  const at = { host: "localhost", port, isTls: true, credentials };
  const hints = openNatsHints({ place: at, secret: new Uint8Array(32), clock, logger, retryMs: 50 });
  try {
    let heard = 0;
    hints.onHint(() => (heard += 1));
    // The first one is the connection's own.
    await expect.poll(() => heard).toBe(1);
    hints.tell();
    await expect.poll(() => heard).toBe(2);
    const other = await connectNats({ servers: `localhost:${port}`, user: "heddle", pass: "s3cret", tls: {} });
    const refused: string[] = [];
    other.subscribe(">", { callback: (problem) => void refused.push(problem?.message ?? "") });
    await expect.poll(() => refused.join()).toContain("Permissions Violation");
    await other.close();
  } finally {
    setDefaultCACertificates(trusted);
    await hints.close();
    const gone = once(server, "exit");
    if (server.kill("SIGKILL")) await gone;
    rmSync(place, { recursive: true, force: true });
  }
});

test("no file names a variable that Heddle does not know", () => {
  const known = [
    "src/host/data/configuration.ts",
    "src/host/data/cluster-settings.ts",
    "src/host/data/blob-settings.ts",
    "src/host/cli/start/open-workspace.ts",
  ]
    .map((path) => readFileSync(join(repository, path), "utf8"))
    .join();
  for (const name of readdirSync(folder)) {
    for (const [variable] of read(name).matchAll(/\bHEDDLE_[A-Z0-9_]+\b/gu))
      expect(known, `${variable} in ${name}`).toContain(`"${variable}"`);
  }
});

describe("nginx with the file, before a server", () => {
  let inner: TestServer;
  let server: HeddleServer;
  let nginx: ChildProcess;
  let place = "";
  let port = 0;
  const host = "heddle.example.org";

  beforeAll(async () => {
    inner = await startTestServer();
    const { workspace, token } = inner;
    const here = { host: "127.0.0.1", port: 0, publicUrl: `https://${host}`, appFolder: "", defaultName: "Tester" };
    server = await startServer({ workspace, token, ...here });
    place = mkdtempSync(join(tmpdir(), "heddle-nginx-"));
    chmodSync(place, 0o755);
    const [tls = 0, plain = 0] = await freePorts(2);
    port = tls;
    const key = [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${host}`,
      "-keyout",
      "key.pem",
      "-out",
      "cert.pem",
    ];
    expect(spawnSync("openssl", key, { cwd: place, stdio: "ignore" }).status).toBe(0);
    const [first, ...others] = read("nginx.conf").matchAll(/^\s*server 10\.0\.0\.\d:7420.*$/gmu);
    let file = read("nginx.conf");
    for (const [line] of others) file = file.replace(line, "");
    file = file
      .replace(first?.[0] ?? "", `    server 127.0.0.1:${new URL(server.url).port};`)
      .replace(/\/etc\/letsencrypt\/live\/[\w.]+\/fullchain/u, join(place, "cert"))
      .replace(/\/etc\/letsencrypt\/live\/[\w.]+\/privkey/u, join(place, "key"))
      .replace("listen 443", `listen 127.0.0.1:${tls}`)
      .replace("listen 80", `listen 127.0.0.1:${plain}`);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${join(place, name)};`,
    );
    writeFileSync(
      join(place, "nginx.conf"),
      `daemon off; master_process off; pid ${join(place, "pid")}; error_log stderr; events {} http { access_log off; ${temporary.join(" ")}\n${file}\n}`,
    );
    const { path, libraries } = programFor("nginx");
    const env = { ...process.env, ...(libraries === null ? {} : { LD_LIBRARY_PATH: libraries }) };
    const args = ["-p", place, "-c", join(place, "nginx.conf"), "-e", "stderr"];
    const checked = spawnSync(path, [...args, "-t"], { env, encoding: "utf8" });
    expect(checked.stderr).toContain("test is successful");
    nginx = spawn(path, args, { env, stdio: "ignore" });
    for (const deadline = performance.now() + 10_000; ; await delay(50)) {
      if ((await ask("GET", "/healthz").catch(() => null))?.status === 200) break;
      if (performance.now() > deadline) throw new Error("nginx does not answer");
    }
  }, 120_000);

  afterAll(async () => {
    const gone = once(nginx, "exit");
    nginx.kill("SIGKILL");
    await gone;
    await server.close();
    await inner.close();
    rmSync(place, { recursive: true, force: true });
  });

  async function ask(method: string, path: string, body?: Uint8Array): Promise<{ status: number; text: string }> {
    const headers = { host, authorization: `Bearer ${inner.token}`, "content-type": "application/octet-stream" };
    return new Promise((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, method, path, headers, rejectUnauthorized: false }, (answer) => {
        let text = "";
        answer.on("data", (data: Buffer) => (text += data.toString("utf8")));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }

  test("requests and the largest upload go through", async () => {
    expect((await ask("GET", "/api/roots")).status).toBe(200);
    const largest = Buffer.alloc(serverLimits.blobBytesMax, "a");
    const put = await ask("POST", "/api/blobs", largest);
    expect([put.status, JSON.parse(put.text)]).toEqual([201, expect.objectContaining({ size: largest.length })]);
  }, 60_000);

  test("a WebSocket of the public address is passed on, one of another page is refused", async () => {
    const open = (origin: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`wss://127.0.0.1:${port}/ws`, {
          headers: { host, origin },
          rejectUnauthorized: false,
        });
        socket.on("open", () => resolve("open"));
        socket.on("unexpected-response", (_request, answer) => resolve(String(answer.statusCode)));
        socket.on("error", () => resolve("error"));
      });
    expect(await open(`https://${host}`)).toBe("open");
    expect(await open("https://elsewhere.example.org")).toBe("403");
  });
});
