import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTlsServer, testCertificate } from "../../src/adapters/network/tls-server.test-support.ts";
import { violations } from "./axe.ts";
import { temporaryDirectory } from "./server-process.ts";
import { settingsOf, signInElsewhere, startTeamPage, type TeamPage } from "./team-page.ts";

let team: TeamPage;
let describedAt: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  const folder = await temporaryDirectory();
  const ca = join(folder.path, "ca.pem");
  await writeFile(ca, testCertificate);
  const described = await startTlsServer((_, response) => {
    const document = { client_id: describedAt, client_name: "Shuttle", redirect_uris: ["http://127.0.0.1/callback"] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  });
  describedAt = `https://${described.host}/client.json`;
  closing.push(
    () => folder.remove(),
    () => described.server.close(),
  );
  team = await startTeamPage({ env: { NODE_EXTRA_CA_CERTS: ca, HEDDLE_WEB_HOSTS: described.host } });
  closing.push(() => team.close());
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** A program as others write it, with the official client; it keeps what it is given. */
interface Program {
  readonly kept: {
    tokens?: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
    client?: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
    discovered?: Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0];
  };
  /** Connects, by the given page where a person must allow it. */
  connect(page?: Page, rights?: readonly string[]): Promise<Client>;
}

async function program(who: { readonly id: string } | { readonly describedAt: string }): Promise<Program> {
  const kept: Program["kept"] = {};
  let answered: (address: URL) => void = () => {};
  const callbacks: Server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Back in the program</title>");
    if (request.url?.startsWith("/callback") === true) answered(new URL(request.url, redirectUrl));
  });
  await new Promise<void>((resolve) => callbacks.listen(0, "127.0.0.1", resolve));
  closing.push(() => callbacks.close());
  const redirectUrl = `http://127.0.0.1:${(callbacks.address() as AddressInfo).port}/callback`;
  let verifier = "";
  let question: URL | null = null;
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...("id" in who ? {} : { clientMetadataUrl: who.describedAt }),
    clientMetadata: { client_name: "Shuttle", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
    state: () => "of-this-test",
    clientInformation: () =>
      "id" in who ? { client_id: who.id, issuer: `http://localhost:${team.server.port}` } : kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    saveDiscoveryState: (state) => {
      kept.discovered = state;
    },
    discoveryState: () => kept.discovered,
    invalidateCredentials: (which) => {
      if (which === "all" || which === "tokens") delete kept.tokens;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (address) => {
      question = address;
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
  };
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`http://localhost:${team.server.port}/mcp`), { authProvider: provider });
  return {
    kept,
    async connect(page, rights = ["Read", "Change"]) {
      const client = new Client({ name: "shuttle", version: "1" }, { versionNegotiation: { mode: "auto" } });
      closing.push(() => client.close());
      const transport = open();
      if (page === undefined) {
        await client.connect(transport);
        return client;
      }
      await expect(client.connect(transport)).rejects.toThrow();
      if (question === null) throw new Error("the program was not sent to a person");
      const answer = new Promise<URL>((resolve) => (answered = resolve));
      await page.goto(question.href);
      await page.getByRole("heading", { name: "wants to work here as you" }).waitFor();
      expect(await violations(page)).toEqual([]);
      for (const box of await page.getByRole("checkbox").all()) {
        const words = (await box.locator("xpath=..").textContent()) ?? "";
        await box.setChecked(rights.some((right) => words.trim().startsWith(right)));
      }
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      const { searchParams } = await answer;
      expect(searchParams.get("state")).toBe("of-this-test");
      await transport.finishAuth(searchParams);
      const signedIn = new Client({ name: "shuttle", version: "1" }, { versionNegotiation: { mode: "auto" } });
      closing.push(() => signedIn.close());
      await signedIn.connect(open());
      return signedIn;
    },
  };
}

async function call(client: Client, name: string, parameters: Record<string, unknown> = {}): Promise<string> {
  return JSON.stringify((await client.callTool({ name, arguments: parameters })).structuredContent);
}

test("A-39 a program signs in by a page of the app, works, renews its token, and is shut out when one was stolen", async () => {
  const { page } = team;
  const settings = await settingsOf(page);
  await settings.getByRole("button", { name: "Register a program" }).click();
  await settings.getByLabel("Name of the program").fill("Loom");
  await settings.getByRole("button", { name: "Register", exact: true }).click();
  const row = settings.getByRole("list", { name: "Registered programs" }).getByRole("listitem");
  const id = (await row.locator("code").textContent()) ?? "";
  expect(id).toMatch(/^program_/);
  expect(await violations(page)).toEqual([]);

  const loom = await program({ id });
  const asked = await page.context().newPage();
  const client = await loom.connect(asked);
  await asked.close();
  expect(await call(client, "document_create", { title: "Made by the loom" })).toContain("canvas_id");
  expect(await call(client, "document_list")).toContain("Made by the loom");
  // What it was not allowed, it may not do, whatever its person may.
  expect(await call(client, "conversation_create", { title: "Talk" })).not.toContain("FORBIDDEN");
  expect(await call(client, "conversation_ask", { parent_id: "x", text: "x" })).toContain("FORBIDDEN");

  const first = loom.kept.tokens;
  loom.kept.tokens = { ...first, access_token: "run-out", token_type: "Bearer" };
  const later = await loom.connect();
  expect(await call(later, "document_list")).toContain("Made by the loom");
  expect(loom.kept.tokens.refresh_token).not.toBe(first?.refresh_token);

  const stolen = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: first?.refresh_token ?? "",
    client_id: id,
  });
  const thief = await fetch(`http://localhost:${team.server.port}/oauth/token`, { method: "POST", body: stolen });
  expect(await thief.json()).toMatchObject({ error: "invalid_grant" });
  await expect(call(later, "document_list")).rejects.toThrow();
});

test("A-39 a program that describes itself at its address is allowed on a phone, and ended in the settings", async () => {
  const shuttle = await program({ describedAt });
  const phone = await signInElsewhere(team);
  await phone.getByRole("textbox", { name: "Message" }).waitFor();
  const client = await shuttle.connect(phone, ["Read"]);
  expect(await call(client, "document_create", { title: "x" })).toContain("FORBIDDEN");
  expect(await call(client, "document_list")).toContain("documents");
  // The program has its answer before the browser has shown it.
  await phone.waitForURL(/\/callback\?/);
  await phone.goto(team.server.origin.replace("127.0.0.1", "localhost"));
  const settings = await settingsOf(phone);
  const row = settings
    .getByRole("list", { name: "Programs that act for you" })
    .getByRole("listitem")
    .filter({ hasText: "Shuttle (127.0.0.1:" });
  expect(await row.textContent()).toContain("reads; allowed");
  const from = performance.now();
  await row.getByRole("button", { name: /^End what Shuttle/ }).click();
  await row.waitFor({ state: "detached" });
  await expect(call(client, "document_list")).rejects.toThrow();
  expect(performance.now() - from).toBeLessThan(5_000);
});

test("a person who is not signed in does that first, and one who allows nothing sends the program away", async () => {
  const context = await team.browser.newContext({ viewport: { width: 390, height: 780 } });
  const page = await context.newPage();
  const challenge = "x".repeat(43);
  const origin = `http://localhost:${team.server.port}`;
  const fields = new URLSearchParams({
    client_id: describedAt,
    redirect_uri: "http://127.0.0.1:9/callback",
    response_type: "code",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: `${origin}/mcp`,
    scope: "read run",
  });
  await page.goto(`${origin}/oauth/authorize?${fields}`);
  await page.getByLabel("Email address").fill("ada@example.org");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Shuttle wants to work here as you" }).waitFor();
  const text = (await page.getByRole("main").textContent()) ?? "";
  for (const words of [new URL(describedAt).host, "a program on this computer", "It may, as Ada:", "may cost money"]) {
    expect(text).toContain(words);
  }
  const gone = page.waitForRequest((request) => request.url().startsWith("http://127.0.0.1:9/"));
  await page.getByRole("button", { name: "Don’t allow" }).click();
  const answer = new URL((await gone).url());
  expect(answer.searchParams.get("error")).toBe("access_denied");
  // No page may show the question inside its own.
  const { headers } = await fetch(`${origin}/`);
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  await context.close();
});
