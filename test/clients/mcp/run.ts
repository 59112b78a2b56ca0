import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSignInServer } from "../../../src/host/sign-in/sign-in.test-support.ts";
import { startTestServer, type TestServer } from "../../../src/testing/test-server.ts";
import { repository } from "../../tidy/source-files.ts";

// npm run test:clients: clients of MCP as others write them, against Heddle's door; installed here with a lock file of its own.

const folder = import.meta.dirname;
const program = (name: string): string => join(folder, "node_modules", ".bin", name);

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function run(command: string, args: readonly string[], heard: (output: string) => void = () => {}): Promise<Ran> {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data.toString();
      heard(output);
    });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

/** The suite sends no token: this adds it, and passes Host and Origin on as they are. */
async function withToken(server: TestServer): Promise<{ readonly url: string; readonly http: Server }> {
  const http = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${server.token}` };
    const own = `:${(http.address() as AddressInfo).port}`;
    for (const name of ["host", "origin"] as const) headers[name] = headers[name]?.replace(own, `:${server.port}`);
    const present = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const { method, url: path } = incoming;
    const sent = request({ host: "127.0.0.1", port: server.port, method, path, headers: present }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, http };
}

/** Lets the suite sign in to a team as a program does; a person allows what it asks as soon as it says where. */
async function authorization(): Promise<Ran> {
  const team = await startSignInServer();
  try {
    const owner = await team.owner();
    const registered = { name: "Conformance", redirectUris: ["http://127.0.0.1/callback"] };
    const { body } = await owner.post("/auth/programs/register", registered);
    const { origin } = team.signIn.parts;
    const suite = ["authorization", "--url", origin, "--spec-version", "2026-07-28", "--port", "38471"];
    let asked: URL | null = null;
    const allow = async (address: URL): Promise<void> => {
      const { location } = await owner.open(address.pathname + address.search);
      const id = /#consent=([\w-]+)/u.exec(location ?? "")?.[1] ?? "";
      const answer = await owner.post(`/auth/consent/${id}/answer`, { rights: ["read"] });
      const sent = await owner.open(new URL(String(answer.body["to"])).pathname);
      await fetch(sent.location ?? "");
    };
    return await run(
      program("conformance"),
      [...suite, "--client-id", String(body["id"]), "--resource", `${origin}/mcp`],
      (output) => {
        const address = /http:\S+\/oauth\/authorize\?\S+(?=\s)/u.exec(output)?.[0];
        if (address === undefined || asked !== null || !output.includes("Callback server started")) return;
        asked = new URL(address);
        allow(asked).catch((problem: unknown) => console.error(problem));
      },
    );
  } finally {
    await team.close();
  }
}

/** What the revision 2026-07-28 asks of a client; the extensions of the suite (DPoP, workload identity, skills) are not offered. */
const clientScenarios = [
  "tools_call",
  "request-metadata",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "sep-2322-client-request-state",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
  "auth/authorization-server-migration",
  "auth/iss-supported",
  "auth/iss-not-advertised",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
] as const;
let failed = 0;
let passed = 0;
function judge(name: string, { code, output }: Ran, expected: number, word = ""): void {
  const isRight = code === expected && output.includes(word);
  if (isRight) passed += 1;
  else failed += 1;
  console.log(`${isRight ? "ok  " : "FAIL"} ${name}`);
  if (!isRight) console.log(`${output.slice(-3_000)}\nexit code ${code}, not ${expected}`);
}

if (!existsSync(join(folder, "node_modules"))) {
  const installed = await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  if (installed.code !== 0) {
    console.error(`The clients could not be installed:\n${installed.output}`);
    process.exit(1);
  }
}
const data = await mkdtemp(join(tmpdir(), "heddle-clients-"));
const server = await startTestServer();
const { url, http } = await withToken(server);
try {
  const suite = ["server", "--url", url, "--requirements", "2026-07-28", "-o", join(data, "results")];
  const conformance = await run(program("conformance"), [...suite, "--expected-failures", "baseline.yml"]);
  console.log(conformance.output.slice(conformance.output.indexOf("=== SUMMARY ===")));
  judge("conformance 2026-07-28, but for what baseline.yml names", conformance, 0, "http-header-validation: 14 passed");

  judge("conformance of the authorisation server", await authorization(), 0, "Total: 3 passed, 0 failed");

  // One at a time: each starts programs, and has a limit of its own.
  for (const scenario of clientScenarios) {
    const client = ["client", "--command", `${process.execPath} ${join(folder, "client.ts")}`, "--timeout", "60000"];
    const tried = await run(program("conformance"), [
      ...client,
      "--scenario",
      scenario,
      "--spec-version",
      "2026-07-28",
    ]);
    const figures = /Passed: .*/u.exec(tried.output)?.[0] ?? "no result";
    judge(`client ${scenario}: ${figures}`, tried, 0);
  }

  const [canvas] = await server.workspace.canvases();
  const canvasId = canvas?.id ?? "";
  const inspector = (rest: readonly string[]): Promise<Ran> => run(program("mcp-inspector"), ["--cli", ...rest]);
  const overHttp = [`${server.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${server.token}`];
  const overStdio = [process.execPath, join(repository, "bin/heddle.js"), "mcp", "--data", join(data, "workspace")];
  for (const era of ["modern", "legacy"]) {
    const listed = await inspector([...overHttp, "--method", "tools/list", "--protocol-era", era]);
    judge(`inspector lists over HTTP, ${era}`, listed, 0, "canvas_check_out");
  }
  judge(
    "inspector lists over standard input",
    await inspector([...overStdio, "--method", "tools/list"]),
    0,
    "canvas_edit",
  );
  const call = ["--method", "tools/call", "--tool-name"];
  const openIt = [...call, "open_canvas", "--tool-arg", `canvas_id=${canvasId}`];
  judge("inspector calls over HTTP", await inspector([...overHttp, ...openIt]), 0, "Welcome");
  const listing = await inspector([...overStdio, ...call, "document_list"]);
  judge("inspector calls over standard input", listing, 0, "Welcome");
  judge(
    "inspector sees a refusal",
    await inspector([...overHttp, ...call, "open_canvas", "--tool-arg", "canvas_id=x"]),
    5,
  );
  judge("inspector finds the canvas view", await inspector([...overHttp, ...openIt, "--app-info"]), 0, '"hasApp":true');
  const strict = await inspector([...overHttp, "--method", "tools/list", "--strict"]);
  judge("inspector finds every schema portable", strict, 0, "0 errors");
  const load = ["--load", "--load-concurrency", "8", "--load-requests", "200"];
  judge("inspector calls 200 times, 8 at once", await inspector([...overHttp, ...call, "document_list", ...load]), 0);
} finally {
  http.closeAllConnections();
  http.close();
  await server.close();
  await rm(data, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
