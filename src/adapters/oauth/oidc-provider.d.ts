// The package has no declarations: what Heddle uses of it.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface Context {
    readonly oidc: {
      readonly client?: ProviderClient;
      readonly params?: Readonly<Record<string, unknown>>;
      readonly result?: { readonly consent?: unknown };
      readonly route?: string;
      readonly session?: { readonly accountId?: string };
    };
    body: unknown;
    readonly path: string;
  }

  export interface ProviderClient {
    readonly clientId: string;
    readonly clientName?: string;
    readonly redirectUris: readonly string[];
    grantTypeAllowed(type: string): boolean;
  }

  export interface Interaction {
    readonly uid: string;
    readonly params: Readonly<Record<string, unknown>>;
  }

  export interface LibraryAdapter {
    upsert(id: string, payload: Record<string, unknown>, expiresIn?: number): Promise<void>;
    find(id: string): Promise<object | undefined>;
    findByUid(uid: string): Promise<object | undefined>;
    findByUserCode(code: string): Promise<object | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    silent: boolean;
    readonly Client: { find(id: string): Promise<ProviderClient | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionResult(request: IncomingMessage, response: ServerResponse, result: object): Promise<string>;
    on(event: string, listener: (...facts: readonly unknown[]) => void): this;
  }

  export namespace errors {
    class InvalidGrant extends Error {
      constructor(description: string);
    }
    class InvalidTarget extends Error {
      constructor(description: string);
    }
    class SessionNotFound extends Error {}
  }

  export namespace interactionPolicy {
    class Check {
      readonly reason: string;
      constructor(reason: string, description: string, check: (context: Context) => boolean);
    }
    class Prompt {
      readonly name: string;
      constructor(facts: { readonly name: string; readonly requestable: boolean }, ...checks: readonly Check[]);
    }
  }
}
