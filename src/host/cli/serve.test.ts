import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";

const launcher = join(import.meta.dirname, "../../../bin/heddle.js");
let folder = "";
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-serve-"));
});

afterAll(async () => {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly firstLine: string;
  noted(): string;
  readonly ended: Promise<number | null>;
}

function heddle(...args: string[]): Promise<Started> {
  return heddleWith({}, ...args);
}

async function heddleWith(extra: Readonly<Record<string, string>>, ...args: string[]): Promise<Started> {
  const own = { HEDDLE_DATA: join(folder, "data"), HEDDLE_NO_BUILD: "1", HEDDLE_PORT: "" };
  const env = { ...process.env, ...own, ...extra };
  const child = spawn(process.execPath, [launcher, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let noted = "";
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => (noted += piece));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const [firstLine] = (await Promise.race([once(lines, "line"), ended.then(() => [""])])) as [string];
  return { child, firstLine, noted: () => noted, ended };
}

test("serve prints the address first, keeps its data and token, refuses a second process, and stops on a signal", async () => {
  const first = await heddle("serve", "--port", "0", "--json");
  const { address, url, data } = JSON.parse(first.firstLine) as { address: string; url: string; data: string };
  const token = address.split("#token=")[1] ?? "";
  const list = (): Promise<Response> =>
    fetch(`${url}/api/conversations`, { headers: { authorization: `Bearer ${token}` } });
  expect((await list()).status).toBe(200);

  const second = await heddle("serve", "--port", "0");
  expect(await second.ended).toBe(3);
  expect(second.noted()).toContain(data);
  // A second start prints the lost address again, as the page without a token promises.
  expect(second.noted()).toContain(`The running server is at ${address}\n`);

  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  expect(first.noted()).toContain(`Your data is in ${data}`);

  const open = [
    "--workspace",
    await mkdtemp(join(folder, "work-")),
    "--shell-hosts",
    "example.org",
    "--approvals",
    "none",
  ];
  const third = await heddle("serve", "--port", "0", ...open);
  expect(third.firstLine).toContain(`#token=${token}`);
  third.child.kill("SIGINT");
  expect(await third.ended).toBe(0);
  expect(third.noted()).toContain("to example.org without asking");
});

test("serve refuses a requested port that is in use", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const asked = await heddle("serve", "--port", String(port));
  expect(await asked.ended).toBe(1);
  expect(asked.noted()).toContain(`Port ${port} is in use`);
  taken.close();
});

test("serve continues after the reader of its output has left, and stops in order", async () => {
  const server = await heddle("serve", "--port", "0", "--json");
  const { url } = JSON.parse(server.firstLine) as { url: string };
  server.child.stdout?.destroy();
  server.child.stderr?.destroy();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  server.child.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

test("serve ends when its storage thread has ended, also without a request", async () => {
  const sign = join(folder, "end-the-storage-thread");
  const watch = `import { existsSync } from "node:fs"; import { threadName } from "node:worker_threads";
    if (threadName === "storage") setInterval(() => { if (existsSync(${JSON.stringify(sign)})) process.exit(3); }, 20);`;
  const server = await heddleWith(
    { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch)}` },
    "serve",
    "--port",
    "0",
    "--json",
  );
  expect(server.firstLine).toContain("address");
  await writeFile(sign, "");
  expect(await server.ended).toBe(1);
  expect(server.noted()).toContain("can no longer be written");
});

test("R16 serve --team prints the first owner's link, opens to nobody else, and its data only with --team", async () => {
  const data = join(folder, "team");
  const serve = (...more: string[]) => heddleWith({ HEDDLE_DATA: data }, "serve", "--port", "0", "--json", ...more);
  const first = await serve("--team");
  const said = JSON.parse(first.firstLine) as { address: string; ownerLink: string; url: string };
  expect(said.address).toMatch(/^http:\/\/localhost:\d+\/$/);
  expect(said.ownerLink).toMatch(/^http:\/\/localhost:\d+\/#link=[\w-]{43}$/);
  expect(await (await fetch(said.address)).text()).toContain("<html data-team");
  const bearer = { authorization: `Bearer ${(await readFile(join(data, "token"), "utf8")).trim()}` };
  expect((await fetch(`${said.url}/api/roots`, { headers: bearer })).status).toBe(401);
  const [, secret] = said.ownerLink.split("#link=");
  const accepted = await fetch(`${said.url}/auth/accept`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret, name: "Ada", email: "ada@example.org", password: "correct horse battery" }),
  });
  const cookie = accepted.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  expect((await fetch(`${said.url}/api/roots`, { headers: { cookie } })).status).toBe(200);
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);

  const alone = await serve();
  expect(await alone.ended).not.toBe(0);
  expect(alone.noted()).toContain("people with accounts. Start it with --team");

  const second = await serve("--team");
  const again = JSON.parse(second.firstLine) as { url: string };
  expect(again).not.toHaveProperty("ownerLink");
  expect((await fetch(`${again.url}/api/roots`, { headers: { cookie } })).status).toBe(200);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
});

test("serve --team listens for others only behind TLS", async () => {
  const open = await heddle("serve", "--team", "--host", "0.0.0.0", "--allow-remote");
  expect(await open.ended).toBe(2);
  expect(open.noted()).toContain("--public-url https://heddle.example.org");
  const alone = await heddle("serve", "--public-url", "https://heddle.example.org");
  expect(await alone.ended).toBe(2);
});

test("a node refuses NATS credentials that cannot be read or are none, and names no secret of the address", async () => {
  const file = join(folder, "nats.creds");
  await writeFile(file, "s3cret");
  const node = [
    "--store=postgres://127.0.0.1:1/heddle",
    "--node-address=127.0.0.1:0",
    `--shared-data=${join(folder, "shared")}`,
  ];
  const refused = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const own = { HEDDLE_DATA: join(folder, "node"), HEDDLE_NATS_URL: "nats://localhost", ...env };
    const started = await heddleWith(own, "serve", ...node);
    expect(await started.ended).not.toBe(0);
    expect(started.noted()).not.toContain("s3cret");
    return started.noted();
  };
  expect(await refused({ HEDDLE_NATS_CREDENTIALS: join(folder, "none.creds") })).toContain(
    "none.creds could not be read (ENOENT). Correct --nats-credentials.",
  );
  expect(await refused({ HEDDLE_NATS_CREDENTIALS: file })).toContain(
    `${file} is no file of NATS credentials: it needs a JWT and a seed.`,
  );
  expect(await refused({ HEDDLE_NATS_URL: "nats://heddle:s3cret@10.0.0.7" })).toContain("use tls:// in --nats");
  expect(await refused({ HEDDLE_NATS_URL: "s3cret" })).toContain("HEDDLE_NATS_URL is not an address of a NATS server");
});
