import { AsyncLocalStorage } from "node:async_hooks";
import { generateKeyPairSync } from "node:crypto";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { OAuthClient, OAuthRecords, OAuthServer, PermitEnd } from "../../core/port/oauth.ts";
import { exchange, madeExchange, type MadeRequest } from "./exchange.ts";
import { errors, interactionPolicy, Provider, type Context } from "./oauth-package.ts";
import { clientOf, recordAdapter } from "./record-adapter.ts";

export interface OAuthOptions {
  /** `https://heddle.example.org`, or `http://localhost:7420`. */
  readonly origin: string;
  readonly records: OAuthRecords;
  /** The addresses that a permit can be for, each with what can be allowed there. */
  readonly scopesByResource: ReadonlyMap<string, readonly string[]>;
  readonly now: () => number;
  /** Notifies of a defect of the library. */
  readonly failed: (problem: unknown) => void;
}

const minute = 60;
/** How long things are good for. Seconds. */
const lives = { access: 10 * minute, code: minute, refresh: 30 * 24 * 60 * minute, step: 10 * minute } as const;
/** How long what a program says of itself is believed without another look. Seconds. */
const describedSeconds = { min: 5 * minute, max: 24 * 60 * minute } as const;

const authorizePath = "/oauth/authorize";
const revokePath = "/oauth/revoke";

/** Cookies of the library that reach a browser, and come back: the step that was asked for, and the way on from it. */
const stepCookies = { interaction: "heddle-oauth-step", resume: "heddle-oauth-next" } as const;

/** Opens the library of OAuth: authorisation code with PKCE for public programs, refresh tokens that are good once. */
export function openOAuth(options: OAuthOptions): OAuthServer {
  const { origin, scopesByResource } = options;
  const path = new AsyncLocalStorage<string>();
  const why = (): PermitEnd => (path.getStore() === revokePath ? "given-back" : "used-twice");
  const isAsking = (): boolean => path.getStore()?.startsWith(authorizePath) !== false;
  const provider = providerOf(options, { why, isAsking });
  const handle = provider.callback();

  /** A request of somebody's browser that the library knows by its cookies alone. */
  function stepOf(id: string, cookie: string): ReturnType<typeof madeExchange> {
    return madeExchange({ origin, method: "GET", path: `/auth/consent/${id}`, cookie: own(cookie), body: null });
  }

  return {
    async answer({ method, path: asked, cookie, body }) {
      const made: MadeRequest = { origin, method, path: asked, cookie: own(cookie), body };
      const at = new URL(asked, origin).pathname;
      const { status, location, cookies, text } = await path.run(at, () => exchange(made, handle));
      const isMetadata = at.startsWith("/.well-known/");
      const read = jsonOf(text);
      return {
        status,
        location,
        cookies: cookies.filter((each) => Object.values(stepCookies).some((name) => each.startsWith(`${name}=`))),
        body: read !== null && isMetadata ? metadataOf(read, scopesByResource) : read,
      };
    },
    async asked(id, cookie) {
      const { request, response } = stepOf(id, cookie);
      const step = await provider.interactionDetails(request, response).catch(unlessOver);
      if (step === null || step.uid !== id) return null;
      const { client_id: clientId, redirect_uri: redirectUri, resource, scope } = step.params;
      if (typeof clientId !== "string" || typeof redirectUri !== "string" || typeof resource !== "string") return null;
      const client = await provider.Client.find(clientId).catch(() => undefined);
      if (client === undefined) return null;
      const { clientName = clientId, redirectUris } = client;
      const offered = scopesByResource.get(resource) ?? [];
      const wanted = typeof scope === "string" ? scope.split(" ") : [];
      return {
        client: { id: clientId, name: clientName, redirectUris },
        redirectUri,
        resource,
        scopes: offered.filter((each) => wanted.includes(each)),
      };
    },
    async decide(id, cookie, permit) {
      const { request, response } = stepOf(id, cookie);
      const step = await provider.interactionDetails(request, response).catch(unlessOver);
      if (step === null || step.uid !== id) return null;
      const result =
        permit === null
          ? { error: "access_denied", error_description: "the person did not allow it" }
          : { login: { accountId: permit.person, remember: false }, consent: { grantId: permit.id } };
      return provider.interactionResult(request, response, result).catch(unlessOver);
    },
  };
}

function unlessOver(problem: unknown): null {
  if (problem instanceof errors.SessionNotFound) return null;
  throw problem;
}

/** Returns the cookies of the library among those of a request. */
function own(cookie: string): string {
  const names: readonly string[] = Object.values(stepCookies);
  const pairs = cookie.split(";").map((pair) => pair.trim());
  return pairs.filter((pair) => names.includes(pair.split("=", 1)[0] ?? "")).join("; ");
}

function jsonOf(text: string): JsonObject | null {
  try {
    const read: unknown = JSON.parse(text);
    return isJsonObject(read) ? read : null;
  } catch {
    return null;
  }
}

/** What the library says of itself, as far as it concerns programs without OpenID. */
function metadataOf(read: JsonObject, scopesByResource: OAuthOptions["scopesByResource"]): JsonObject {
  const kept = [
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "revocation_endpoint",
    "grant_types_supported",
    "response_types_supported",
    "code_challenge_methods_supported",
    "token_endpoint_auth_methods_supported",
    "authorization_response_iss_parameter_supported",
    "client_id_metadata_document_supported",
  ];
  return {
    ...Object.fromEntries(kept.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]]))),
    response_modes_supported: ["query"],
    revocation_endpoint_auth_methods_supported: ["none"],
    scopes_supported: [...new Set([...scopesByResource.values()].flat())],
    protected_resources: [...scopesByResource.keys()],
  };
}

/** What the request under way is. */
interface UnderWay {
  readonly why: () => PermitEnd;
  readonly isAsking: () => boolean;
}

function providerOf(
  { origin, records, scopesByResource, now, failed }: OAuthOptions,
  { why, isAsking }: UnderWay,
): Provider {
  const cookie = { httpOnly: true, sameSite: "lax", secure: origin.startsWith("https://") } as const;
  const provider = new Provider(origin, {
    ...rules,
    adapter: recordAdapter(records, { now, why }),
    // The library wants a key for the tokens of OpenID; none is ever made, so the key needs no keeping.
    jwks: { keys: [unusedKey()] },
    cookies: { names: { session: "heddle-oauth-session", ...stepCookies }, long: cookie, short: cookie },
    fetch: async (url: string | URL) => answerOf(await records.described(String(url), isAsking())),
    features: {
      ...withoutFeatures,
      revocation: { enabled: true, allowedPolicy: isOwnToken },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02", cacheDuration: describedSeconds },
      resourceIndicators: { enabled: true, ...oneResource(scopesByResource) },
    },
  });
  provider.silent = true;
  provider.on("server_error", (_context, problem) => failed(problem));
  return provider;
}

/** What OAuth 2.1 leaves of the protocol, and how long things are good for. */
const rules = {
  clientDefaults: { id_token_signed_response_alg: "EdDSA" },
  clientAuthMethods: ["none"],
  responseTypes: ["code"],
  scopes: [],
  claims: {},
  routes: { authorization: authorizePath, token: "/oauth/token", revocation: revokePath, jwks: "/oauth/jwks" },
  ttl: {
    AccessToken: lives.access,
    AuthorizationCode: lives.code,
    Interaction: lives.step,
    Session: lives.step,
    Grant: lives.refresh,
    RefreshToken: lives.refresh,
  },
  pkce: { required: () => true },
  clockTolerance: 0,
  allowOmittingSingleRegisteredRedirectUri: false,
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  expiresWithSession: async () => false,
  revokeGrantPolicy: () => true,
  clientBasedCORS: () => false,
  findAccount: async (_context: Context, accountId: string) => ({
    accountId,
    claims: async () => ({ sub: accountId }),
  }),
  renderError: async (context: Context, out: unknown) => {
    context.body = out;
  },
  interactions: {
    url: (_context: Context, { uid }: { readonly uid: string }) => `/auth/consent/${uid}`,
    // Each request asks its person, whatever they allowed before: so scopes that grow are asked about again.
    policy: [
      asks("login", ({ oidc }) => oidc.session?.accountId === undefined),
      asks("consent", ({ oidc }) => oidc.result?.consent === undefined),
    ],
  },
};

const withoutFeatures = {
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
};

function asks(name: "login" | "consent", isOpen: (context: Context) => boolean): interactionPolicy.Prompt {
  const check = new interactionPolicy.Check("asked", "a person must answer", isOpen);
  return new interactionPolicy.Prompt({ name, requestable: true }, check);
}

async function isOwnToken(_context: Context, client: Holder, token: Holder): Promise<boolean> {
  return client.clientId === token.clientId;
}

interface Holder {
  readonly clientId: string;
}

/** A token is for one address of this server, which its program names. */
function oneResource(scopesByResource: OAuthOptions["scopesByResource"]) {
  return {
    defaultResource: async () => {
      throw new errors.InvalidTarget("name the one resource that the token is for");
    },
    useGrantedResource: async () => true,
    getResourceServerInfo: async ({ oidc }: Context, resource: string) => {
      const scopes = scopesByResource.get(resource);
      if (scopes === undefined || Array.isArray(oidc.params?.["resource"])) {
        throw new errors.InvalidTarget("name one resource of this server");
      }
      const token = { accessTokenTTL: lives.access, accessTokenFormat: "opaque" } as const;
      return { scope: scopes.join(" "), audience: resource, ...token };
    },
  };
}

/** What a program says of itself, as the library reads it. */
function answerOf(described: OAuthClient | null): Response {
  const client = clientOf(described);
  return client === undefined ? new Response(null, { status: 404 }) : Response.json(client);
}

function unusedKey(): object {
  return { ...generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }), alg: "EdDSA", use: "sig" };
}
