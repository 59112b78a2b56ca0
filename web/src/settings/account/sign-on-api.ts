import { ask, type Answered } from "../../browser/account/sign-in-api.ts";

/** Where people of the team sign in with accounts that they have elsewhere. */
export interface SignOnSettings {
  readonly provider: { readonly issuer: string; readonly clientId: string; readonly name: string } | null;
  /** Whether the command line says so; then it is not changed here. */
  readonly isGiven: boolean;
  /** The address that the provider must know. */
  readonly returnAddress: string;
}

export function readSignOn(): Promise<Answered<SignOnSettings>> {
  return ask("/sign-on");
}

export function setSignOn(provider: {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly name: string;
}): Promise<Answered<unknown>> {
  return ask("/sign-on/set", provider);
}

export function removeSignOn(): Promise<Answered<unknown>> {
  return ask("/sign-on/remove", {});
}
