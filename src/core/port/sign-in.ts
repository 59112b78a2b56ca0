import type { JsonObject } from "../base/json.ts";

/** A change of one row that the library of the ceremonies keeps; `record` null: it is removed. */
export interface LoginWrite {
  readonly model: string;
  readonly id: string;
  readonly record: JsonObject | null;
}

/** What the library of the ceremonies keeps: rows of its models, in memory, each change stored before it counts. */
export interface LoginRows {
  all(model: string): ReadonlyMap<string, JsonObject>;
  /** Makes the changes that `plan` finds, one plan at a time, and resolves to its answer when they are stored. */
  change<Answer>(plan: () => { readonly writes: readonly LoginWrite[]; readonly answer: Answer }): Promise<Answer>;
}

/** A ceremony that went well, for which a person gets a session. */
export interface Proof {
  readonly loginId: string;
  /** 2: with a passkey, or a second factor beside the password. */
  readonly factor: 1 | 2;
  /** When they proved it, UTC milliseconds; now if absent. */
  readonly at?: number;
}

/** One step of a ceremony, as a browser asks for it. */
export interface CeremonyRequest {
  readonly cookie: string;
  readonly body: JsonObject | null;
  /** The person of the browser's session; null: none, so nothing of an account is changed. */
  readonly person: string | null;
}

/** What a ceremony answers. */
export interface CeremonyAnswer {
  readonly status: number;
  /** `Set-Cookie` values, of the ceremony alone. */
  readonly cookies: readonly string[];
  readonly body: JsonObject | readonly JsonObject[] | null;
  readonly proof: Proof | null;
}

/** A passkey of a person, by the name that they gave it. */
export interface Passkey {
  readonly id: string;
  readonly name: string | null;
  /** UTC milliseconds. */
  readonly madeAt: number;
}

/** The ways in which a person proves who they are: password, second factor, passkey. All cryptography is the library's. */
export interface Ceremonies {
  /** The addresses below `/auth` that it answers, each with its method. */
  readonly paths: ReadonlyMap<string, "GET" | "POST">;
  answer(path: string, request: CeremonyRequest): Promise<CeremonyAnswer>;
  /** Returns the passkeys of a person, oldest first. */
  passkeysOf(id: string): readonly Passkey[];
  /** Returns the rows of a new person, to be stored with what else is changed; without a password, nobody signs in with one. */
  newLogin(person: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly password: string | null;
  }): Promise<readonly LoginWrite[]>;
  /** Returns the rows after a person's password is another one, and their second factor and passkeys are gone. */
  reset(id: string, password: string): Promise<readonly LoginWrite[]>;
  /** Returns the removal of everything that a person signs in with. */
  removal(id: string): readonly LoginWrite[];
}
