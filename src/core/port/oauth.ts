import type { JsonObject } from "../base/json.ts";

/** What the library of OAuth has kept for it, besides permits: each under the hash of its secret. */
export type GrantedKind = "code" | "access" | "refresh";

/** What a person allows a program to do as them, as the library of OAuth needs it. */
export interface GrantedPermit {
  readonly id: string;
  readonly person: string;
  readonly clientId: string;
  /** The address that the permit is for, and no other. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** What the program asked for and the person did not allow. */
  readonly refusedScopes: readonly string[];
  /** UTC milliseconds. */
  readonly madeAt: number;
  readonly expiresAt: number;
}

/** A program that an owner registered, or one that describes itself at its own address. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** What was found at the address at which a program describes itself. */
export type ClientDocument =
  | { readonly type: "read"; readonly value: JsonObject }
  /** Nobody answered: what was read before may be true still. */
  | { readonly type: "unreachable" }
  | { readonly type: "refused"; readonly why: string };

/** Reads the address at which a program describes itself, with bounds on where it may lead, time and size. */
export type ReadClientDocument = (address: string) => Promise<ClientDocument>;

/** Why a permit ended without its person. */
export type PermitEnd = "given-back" | "used-twice";

/** What the library of OAuth keeps: codes and tokens by their hashes, bound to permits; a change is stored before it counts. */
export interface OAuthRecords {
  permit(id: string): GrantedPermit | null;
  find(kind: GrantedKind, hash: string): JsonObject | null;
  /** Keeps a code or token of a permit; false: the permit is over. */
  keep(kind: GrantedKind, hash: string, record: JsonObject): Promise<boolean>;
  /** Uses a code or token that is good once; false: it was used before, so its permit is over. */
  use(kind: GrantedKind, hash: string): Promise<boolean>;
  drop(kind: GrantedKind, hash: string): Promise<void>;
  endPermit(id: string, why: PermitEnd): Promise<void>;
  /** Returns a program that an owner registered. */
  registered(id: string): OAuthClient | null;
  /**
   * Reads what a program says of itself at its own address; null: it was not read, or says nothing usable. `isAsking`: a person
   * is being asked; else only a program is read that somebody has allowed something.
   */
  described(id: string, isAsking: boolean): Promise<OAuthClient | null>;
}

/** A request for OAuth, as far as it counts. */
interface OAuthRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly cookie: string;
  /** A form; null without one. */
  readonly body: string | null;
}

export interface OAuthAnswer {
  readonly status: number;
  /** Where a browser is sent; null: nowhere. */
  readonly location: string | null;
  /** `Set-Cookie` values, of the steps alone. */
  readonly cookies: readonly string[];
  readonly body: JsonObject | null;
}

/** A program that asks a person, as the person reads it. */
interface ConsentAsked {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** Lets programs act for people: all of the protocol's rules are the library's. */
export interface OAuthServer {
  answer(request: OAuthRequest): Promise<OAuthAnswer>;
  /** Returns what the browser with these cookies was asked; null: nothing, or too long ago. */
  asked(id: string, cookie: string): Promise<ConsentAsked | null>;
  /** Notes the answer of a person, and returns where their browser goes on; null: too much time has passed. */
  decide(id: string, cookie: string, permit: GrantedPermit | null): Promise<string | null>;
}
