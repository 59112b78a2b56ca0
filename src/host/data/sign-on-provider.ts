import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { SignOnProvider } from "../../core/port/single-sign-on.ts";

/** Where people of a team sign in with accounts that they have elsewhere; `name` is on the button. */
export interface NamedProvider extends SignOnProvider {
  readonly name: string;
}

/** Https, except on this machine: what comes from there decides who somebody is. */
export const issuerForm = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(500),
  v.check((text) => /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/|$))[^?#@\s]*$/iu.test(text)),
  v.check((text) => URL.canParse(text)),
);

/** The settings of the provider, and where each comes from. */
export const signOnSettings = {
  oidcIssuer: {
    form: "an https address, such as https://login.example.org",
    flag: "oidc-issuer",
    env: "HEDDLE_OIDC_ISSUER",
    inFile: true,
  },
  oidcClientId: { form: "a text", flag: "oidc-client-id", env: "HEDDLE_OIDC_CLIENT_ID", inFile: true },
  // Not a flag: every user of the machine can read flags.
  oidcClientSecret: { form: "a text", env: "HEDDLE_OIDC_CLIENT_SECRET", inFile: true },
  oidcName: { form: "a name of at most 60 characters", flag: "oidc-name", env: "HEDDLE_OIDC_NAME", inFile: true },
} as const;

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000));

export const signOnSchemas = {
  oidcIssuer: v.exactOptional(issuerForm),
  oidcClientId: v.exactOptional(text),
  oidcClientSecret: v.exactOptional(text),
  oidcName: v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(60))),
};

/** Returns the provider that the settings name, if they do; refused where they name half of one. */
export function signOnOf(given: {
  readonly oidcIssuer?: string | undefined;
  readonly oidcClientId?: string | undefined;
  readonly oidcClientSecret?: string | undefined;
  readonly oidcName?: string | undefined;
}): Result<{ readonly signOn?: NamedProvider }, Refusal> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret = null, oidcName: name } = given;
  if (issuer === undefined && clientId === undefined && clientSecret === null && name === undefined) return ok({});
  if (issuer === undefined || clientId === undefined) {
    const message =
      "People sign in elsewhere with an issuer and a client: give --oidc-issuer and --oidc-client-id, or neither.";
    return err(refusal("INVALID_PARAMS", {}, message));
  }
  return ok({ signOn: { issuer, clientId, clientSecret, name: name ?? new URL(issuer).host } });
}
