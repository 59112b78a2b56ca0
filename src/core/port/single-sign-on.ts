import type { Result } from "../base/result.ts";

/** Where people have an account with which they may sign in here, and how Heddle is known there. */
export interface SignOnProvider {
  /** `https://login.example.org`. */
  readonly issuer: string;
  readonly clientId: string;
  /** null: a public client. */
  readonly clientSecret: string | null;
}

/** What one sign-in is held together by; kept by who began it. */
export interface SignOnSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who somebody is at the provider. */
export interface SignOnIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  /** Whether the provider says that the address is theirs. */
  readonly isEmailVerified: boolean;
  readonly factor: 1 | 2;
  /** When they proved who they are, UTC milliseconds; null where the provider does not say. */
  readonly authenticatedAt: number | null;
}

/** The provider could not be reached; the person gave up there; or what came back does not hold. */
export type SignOnFailure = "unreachable" | "given-up" | "refused";

/** Signs people in with an account that they have elsewhere (OpenID Connect). All cryptography is the library's. */
export interface SingleSignOn {
  /** Reads what the provider says of itself, and returns the address to send a browser to. */
  begin(
    provider: SignOnProvider,
    back: { readonly address: string; readonly again: boolean },
  ): Promise<Result<{ readonly address: string; readonly secrets: SignOnSecrets }, SignOnFailure>>;
  /** Checks what a browser came back with (`address`, whole), and asks the provider who it is. */
  finish(
    provider: SignOnProvider,
    came: { readonly address: string; readonly secrets: SignOnSecrets },
  ): Promise<Result<SignOnIdentity, SignOnFailure>>;
}
