import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BeginSignIn, HttpTarget, ServerSignIn, ToolServerFailure } from "../../core/port/tool-server.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import {
  auth,
  Client,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from "./client-package.ts";
import { failure, failureOf } from "./failure.ts";

/**
 * Begins a sign-in: asks the server once, as whoever it wants to be told, and returns the address where a person allows it; where the
 * server wanted more rights than an earlier sign-in gave, for those. null: the server asked for no sign-in.
 */
export function signInStarter(version: string): BeginSignIn {
  return async (target, { signIn, state, signal }) => {
    let address: URL | null = null;
    const provider = signInProvider(signIn, { state, redirect: (url) => (address = url) });
    const fetchFn = signInFetch(target.url);
    const transport = new StreamableHTTPClientTransport(new URL(target.url), {
      fetch: fetchFn,
      requestInit: { headers: { ...target.headers } },
      redirectPolicy: "same-origin",
      authProvider: provider,
    });
    const client = new Client({ name: "heddle", version }, { versionNegotiation: { mode: "auto" } });
    const wanted = wantedOf(signIn.read());
    try {
      if (wanted === null) {
        await client.connect(transport, { signal, timeout: signInMs });
        await client.close();
        return ok(null);
      }
      const { scope, metadata } = wanted;
      const resourceMetadataUrl = metadata === null ? {} : { resourceMetadataUrl: new URL(metadata) };
      await auth(provider, {
        serverUrl: target.url,
        scope,
        ...resourceMetadataUrl,
        forceReauthorization: true,
        fetchFn,
      });
      throw new Error("it named no page for signing in");
    } catch (problem) {
      await client.close().catch(() => {});
      const found = address as URL | null;
      if (found === null) return err(failureOf(problem));
      if (!mayBeOpened(found, target.url)) {
        return err(
          failure("refused", `it sends people to ${found.protocol}//${found.host}, which is not https`, false),
        );
      }
      const finish = (answer: ReadonlyMap<string, string>): Promise<Result<void, ToolServerFailure>> => {
        // The package checks the issuer in the answer and redeems the code with the verifier of this sign-in.
        return transport.finishAuth(new URLSearchParams([...answer])).then(
          () => ok(undefined),
          (thrown: unknown) => err(failureOf(thrown)),
        );
      };
      return ok({ url: found.href, finish });
    }
  };
}

const signInMs = 30_000;

/** Returns how requests to a server are signed in; keeps new tokens. Without a person nobody is sent anywhere. */
function signInProvider(
  signIn: ServerSignIn,
  person: { readonly state: string; readonly redirect: (url: URL) => void } | null = null,
): OAuthClientProvider {
  const { redirectUrl, clientMetadataUrl, client, scope } = signIn;
  let verifier = "";
  let discovered: Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0] | undefined;
  const change = (next: (kept: JsonObject) => JsonObject): Promise<void> => signIn.write(next(signIn.read()));
  return {
    redirectUrl,
    ...(clientMetadataUrl === null ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: "Heddle",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: (client?.secret ?? null) === null ? "none" : "client_secret_post",
      ...(scope === null ? {} : { scope }),
    },
    state: () => person?.state ?? "",
    clientInformation() {
      if (client !== null) {
        const { id, secret, issuer } = client;
        // With its issuer, the package gives the client and its secret to no other server.
        return { client_id: id, ...(secret && { client_secret: secret }), ...(issuer && { issuer }) };
      }
      const kept = signIn.read();
      // A client that was registered for another address of ours sends no person back here; its tokens are refreshed as it.
      const isOurs = person === null || kept["redirect"] === redirectUrl;
      return isJsonObject(kept["client"]) && isOurs ? (kept["client"] as never) : undefined;
    },
    saveClientInformation: (information) =>
      change((kept) => ({ ...kept, client: JSON.parse(JSON.stringify(information)), redirect: redirectUrl })),
    tokens() {
      const { tokens } = signIn.read();
      return isJsonObject(tokens) ? (tokens as never) : undefined;
    },
    saveTokens: (tokens) =>
      change(({ wanted, ...kept }) => ({
        ...kept,
        tokens: JSON.parse(JSON.stringify(tokens)),
        // A person has allowed it by now; a refresh gives no more rights.
        ...(person === null && wanted !== undefined ? { wanted } : {}),
      })),
    redirectToAuthorization: (url) => person?.redirect(url),
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    // The server that a person was sent to is the one that gets their code.
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
    invalidateCredentials: (which) =>
      change((kept) => {
        const { tokens: _tokens, ...others } = kept;
        return which === "tokens" ? others : which === "all" || which === "client" ? {} : kept;
      }),
  };
}

/** Secrets of a sign-in go to https addresses; to others only on this machine, for a server of this machine. */
function signInFetch(server: string): typeof fetch {
  const bounded = boundedFetch(fetch);
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin === new URL(server).origin || mayBeOpened(url, server)) return bounded(input, init);
    return Promise.reject(new Error(`the server names ${url.host} for signing in, which is not https`));
  };
}

function mayBeOpened(url: URL, server: string): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isOwnMachine(url) && isOwnMachine(new URL(server)));
}

function isOwnMachine({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** Returns the fetch and the provider of a connection that is signed in. What a server wants beyond its rights is kept for the next sign-in. */
export function signedIn({ url, signIn }: HttpTarget) {
  if (signIn === undefined) return { fetch: boundedFetch(fetch) };
  const safe = signInFetch(url);
  const noting: typeof fetch = async (input, init) => {
    const response = await safe(input, init);
    if (response.status === 403) await noteWanted(response, signIn);
    return response;
  };
  return { fetch: noting, authProvider: signInProvider(signIn), onInsufficientScope: "throw" as const };
}

/** What a server wanted beyond the rights of the sign-in: all scopes together, and where it describes itself. */
interface Wanted {
  readonly scope: string;
  readonly metadata: string | null;
}

function wantedOf({ wanted }: JsonObject): Wanted | null {
  if (!isJsonObject(wanted) || typeof wanted["scope"] !== "string") return null;
  const { scope, metadata } = wanted;
  return { scope, metadata: typeof metadata === "string" ? metadata : null };
}

async function noteWanted(response: Response, signIn: ServerSignIn): Promise<void> {
  const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  if (error !== "insufficient_scope" || scope === undefined) return;
  const kept = signIn.read();
  const { tokens } = kept;
  const given = isJsonObject(tokens) && typeof tokens["scope"] === "string" ? tokens["scope"] : undefined;
  const union = computeScopeUnion(given, wantedOf(kept)?.scope, scope);
  if (union === undefined) return;
  await signIn.write({ ...kept, wanted: { scope: union, metadata: resourceMetadataUrl?.href ?? null } });
}
