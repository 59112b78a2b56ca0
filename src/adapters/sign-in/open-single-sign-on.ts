import { err, ok, type Result } from "../../core/base/result.ts";
import type {
  SignOnFailure,
  SignOnIdentity,
  SignOnProvider,
  SignOnSecrets,
  SingleSignOn,
} from "../../core/port/single-sign-on.ts";
import * as openId from "./openid-package.ts";

/** How long the provider may take for one answer. Seconds. */
const answerSeconds = 10;
/** How long what a provider says of itself is believed. Milliseconds. */
const knownMs = 10 * 60 * 1000;

/** Opens signing in with OpenID Connect over the library `openid-client`: code, PKCE, state, nonce, signed tokens. */
export function openSingleSignOn(now: () => number): SingleSignOn {
  let known: { readonly key: string; readonly until: number; readonly configuration: openId.Configuration } | null =
    null;

  async function configurationOf(provider: SignOnProvider): Promise<openId.Configuration> {
    const key = JSON.stringify(provider);
    if (known !== null && known.key === key && known.until > now()) return known.configuration;
    const configuration = await discovered(provider);
    known = { key, until: now() + knownMs, configuration };
    return configuration;
  }

  return {
    begin: (provider, back) =>
      attempt(async () => {
        const configuration = await configurationOf(provider);
        const secrets = {
          state: openId.randomState(),
          nonce: openId.randomNonce(),
          verifier: openId.randomPKCECodeVerifier(),
        };
        const address = openId.buildAuthorizationUrl(configuration, {
          redirect_uri: back.address,
          scope: "openid email profile",
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await openId.calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: "S256",
          ...(back.again ? { prompt: "login" } : {}),
        });
        return { address: address.href, secrets };
      }),
    finish: (provider, came) => attempt(async () => identityOf(await configurationOf(provider), came)),
  };
}

async function discovered({ issuer, clientId, clientSecret }: SignOnProvider): Promise<openId.Configuration> {
  const isPlain = new URL(issuer).protocol === "http:";
  const found = await openId.discovery(new URL(issuer), clientId, undefined, openId.None(), {
    timeout: answerSeconds,
    execute: isPlain ? [openId.allowInsecureRequests] : [],
  });
  const metadata = found.serverMetadata();
  // Without a list the standard says that there is one way: the header.
  const ways = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const proof = ways.includes("client_secret_basic") ? openId.ClientSecretBasic : openId.ClientSecretPost;
  const configuration = new openId.Configuration(
    metadata,
    clientId,
    undefined,
    clientSecret === null ? openId.None() : proof(clientSecret),
  );
  configuration.timeout = answerSeconds;
  if (isPlain) openId.allowInsecureRequests(configuration);
  // The connection would do by the standard; a proxy between here and there should not decide who somebody is.
  openId.enableNonRepudiationChecks(configuration);
  return configuration;
}

async function identityOf(
  configuration: openId.Configuration,
  { address, secrets }: { readonly address: string; readonly secrets: SignOnSecrets },
): Promise<SignOnIdentity> {
  const tokens = await openId.authorizationCodeGrant(configuration, new URL(address), {
    pkceCodeVerifier: secrets.verifier,
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("there is no ID token");
  const isShort = claims["email"] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const more = isShort ? await openId.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
  const facts: Readonly<Record<string, unknown>> = { ...more, ...claims };
  const { name, email, email_verified: isVerified, amr, auth_time: at } = facts;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    name: typeof name === "string" ? name : null,
    email: typeof email === "string" ? email : null,
    isEmailVerified: isVerified === true,
    factor: Array.isArray(amr) && amr.includes("mfa") ? 2 : 1,
    authenticatedAt: typeof at === "number" ? at * 1000 : null,
  };
}

async function attempt<Value>(work: () => Promise<Value>): Promise<Result<Value, SignOnFailure>> {
  try {
    return ok(await work());
  } catch (problem) {
    return err(failureOf(problem));
  }
}

const gaveUp: ReadonlySet<unknown> = new Set(["access_denied", "login_required", "interaction_required"]);

function failureOf(problem: unknown): SignOnFailure {
  const { name, code, error, status } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  if (name === "AuthorizationResponseError" && gaveUp.has(error)) return "given-up";
  const isAway =
    problem instanceof TypeError || code === "OAUTH_TIMEOUT" || (typeof status === "number" && status >= 500);
  return isAway ? "unreachable" : "refused";
}
