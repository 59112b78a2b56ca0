import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { JsonObject } from "../../core/base/json.ts";
import type { Browser, SignInServer } from "./sign-in.test-support.ts";

/** A program that signs in by OAuth, written out: each field of a request can be another one. */
export interface Program {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly origin: string;
  /** The address to which it sends a person's browser. */
  authorize(changes?: Readonly<Record<string, string | null>>): string;
  token(
    form: Readonly<Record<string, string>>,
    at?: string,
  ): Promise<{ readonly status: number; readonly body: JsonObject }>;
  redeem(code: string, changes?: Readonly<Record<string, string>>): ReturnType<Program["token"]>;
  refresh(token: string, changes?: Readonly<Record<string, string>>): ReturnType<Program["token"]>;
  revoke(token: string): ReturnType<Program["token"]>;
}

export function programOf(
  { signIn }: SignInServer,
  clientId: string,
  redirectUri = "http://127.0.0.1:5123/callback",
): Program {
  const { origin } = signIn.parts;
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const program: Program = {
    clientId,
    redirectUri,
    verifier,
    origin,
    authorize(changes = {}) {
      const fields = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        code_challenge: challenge,
        code_challenge_method: "S256",
        resource: `${origin}/mcp`,
        scope: "read write",
        state: "of-the-program",
      });
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) fields.delete(name);
        else fields.set(name, value);
      }
      return `/oauth/authorize?${fields}`;
    },
    async token(form, path = "/oauth/token") {
      const response = await fetch(origin.replace("localhost", "127.0.0.1") + path, {
        method: "POST",
        body: new URLSearchParams({ client_id: clientId, ...form }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
    },
    redeem: (code, changes = {}) =>
      program.token({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...changes,
      }),
    refresh: (token, changes = {}) => program.token({ grant_type: "refresh_token", refresh_token: token, ...changes }),
    revoke: (token) => program.token({ token }, "/oauth/revoke"),
  };
  return program;
}

/** Registers a program as its owner does, and returns its id. */
export async function register(
  owner: Browser,
  redirectUris: readonly string[] = ["http://127.0.0.1/callback"],
): Promise<string> {
  const made = await owner.post("/auth/programs/register", { name: "Loom", redirectUris });
  expect(made.status).toBe(200);
  return String(made.body["id"]);
}

/** Sends a browser to the question of a program, and returns where it is asked. */
export async function questionOf(browser: Browser, address: string): Promise<string> {
  const { status, location } = await browser.open(address);
  expect(status).toBe(303);
  return /\/#consent=([\w-]+)$/.exec(location ?? "")?.[1] ?? "";
}

/** Allows what is asked, and returns the address at which the program is answered. */
export async function allow(browser: Browser, id: string, rights: readonly string[] = ["read", "write"]): Promise<URL> {
  const answered = await browser.post(`/auth/consent/${id}/answer`, { rights });
  expect(answered.body).toMatchObject({ to: expect.stringContaining("/oauth/authorize/") });
  const { location } = await browser.open(new URL(String(answered.body["to"])).pathname);
  return new URL(location ?? "");
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

export function tokensOf({ status, body }: { readonly status: number; readonly body: JsonObject }): Tokens {
  expect([status, body]).toEqual([200, expect.objectContaining({ token_type: "Bearer", expires_in: 600 })]);
  const { access_token: access, refresh_token: refresh } = body;
  if (typeof access !== "string" || typeof refresh !== "string") throw new TypeError("the tokens are texts");
  return { access, refresh };
}

/** Takes a program the whole way to its tokens. */
export async function signInProgram(program: Program, browser: Browser, rights?: readonly string[]): Promise<Tokens> {
  const answer = await allow(browser, await questionOf(browser, program.authorize()), rights);
  return tokensOf(await program.redeem(answer.searchParams.get("code") ?? ""));
}
