/** A person who is signed in. */
interface SignedInPerson {
  readonly name: string;
  readonly email: string;
}

/** Where people may sign in with an account that they have elsewhere. */
export interface SignOnChoice {
  readonly name: string;
}

/** What a server says of who opens its page: null where it has no team, and everybody comes by its token. */
export type TeamState = { readonly person: SignedInPerson | null; readonly singleSignOn: SignOnChoice | null } | null;

/** What a one-time link is for. */
export interface LinkPurpose {
  readonly type: "owner" | "invitation" | "recovery";
  readonly email: string | null;
  readonly name: string | null;
  /** Who invites. */
  readonly by?: string;
}

export type Answered<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string; readonly code?: string | undefined };

const unreachable = "Heddle can’t reach the server. Nothing was changed; check that it runs, and try again.";

/** Asks one of the addresses below `/auth`. */
export async function ask<Value>(path: string, body?: object): Promise<Answered<Value>> {
  try {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`/auth${path}`, sent);
    const answer = (await response.json()) as {
      readonly error?: { readonly code?: string; readonly message?: string };
    };
    // The server's own words say what to do.
    return response.ok
      ? { ok: true, value: answer as Value }
      : { ok: false, message: answer.error?.message ?? unreachable, code: answer.error?.code };
  } catch {
    return { ok: false, message: unreachable };
  }
}

export async function teamState(): Promise<TeamState> {
  const state = await ask<{ readonly person?: SignedInPerson | null; readonly singleSignOn?: SignOnChoice | null }>(
    "/state",
  );
  if (!state.ok || state.value.person === undefined) return null;
  return { person: state.value.person, singleSignOn: state.value.singleSignOn ?? null };
}

/** Leaves the page for the provider's; the answer is only ever why not. */
export async function leaveToSignOn(wish: {
  readonly link?: string;
  readonly connect?: true;
}): Promise<Answered<unknown>> {
  const begun = await ask<{ readonly address: string }>("/sign-on/begin", wish);
  if (begun.ok) location.assign(begun.value.address);
  return begun;
}

export function describeLink(secret: string): Promise<Answered<LinkPurpose>> {
  return ask("/link", { secret });
}

export function acceptLink(form: {
  readonly secret: string;
  readonly name?: string;
  readonly email?: string;
  readonly password: string;
}): Promise<Answered<unknown>> {
  return ask("/accept", form);
}

/** Signs in; `twoFactorRedirect`: a code is asked for next. */
export function signIn(email: string, password: string): Promise<Answered<{ readonly twoFactorRedirect?: boolean }>> {
  return ask("/sign-in/email", { email, password });
}

export function giveCode(code: string): Promise<Answered<unknown>> {
  const digits = code.replaceAll(/\s/gu, "");
  return /^\d{6}$/u.test(digits)
    ? ask("/two-factor/verify-totp", { code: digits })
    : ask("/two-factor/verify-backup-code", { code: code.trim() });
}

export function signOut(): Promise<Answered<unknown>> {
  return ask("/sign-out", {});
}
