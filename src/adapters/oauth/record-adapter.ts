import { sha256Hex } from "../../core/base/hash.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { GrantedKind, OAuthClient, OAuthRecords, PermitEnd } from "../../core/port/oauth.ts";
import { errors, type LibraryAdapter } from "./oauth-package.ts";

const kinds: Readonly<Record<string, GrantedKind>> = {
  AuthorizationCode: "code",
  AccessToken: "access",
  RefreshToken: "refresh",
};

/** Steps of people who have not answered yet, at once; the oldest are forgotten. They are in memory: an anonymous request stores nothing. */
const stepsMax = 1_000;

interface AdapterOptions {
  readonly now: () => number;
  /** Why the library gives up a permit: a code or a token of it came twice, or its program gave it back. */
  readonly why: () => PermitEnd;
}

/** Lets the library keep its rows: codes and tokens among Heddle's facts, without the secrets; steps in memory. */
export function recordAdapter(records: OAuthRecords, { now, why }: AdapterOptions): (model: string) => LibraryAdapter {
  const steps = stepAdapter(now);
  return (model) => {
    const kind = kinds[model];
    if (kind !== undefined) return grantedAdapter(records, kind);
    if (model === "Grant") return permitAdapter(records, why);
    if (model === "Interaction") return steps;
    if (model === "Client") return { ...nothing, find: async (id) => clientOf(records.registered(id)) };
    // Whose browser it is, Heddle's own session says, each time.
    return nothing;
  };
}

const nothing: LibraryAdapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

function grantedAdapter(records: OAuthRecords, kind: GrantedKind): LibraryAdapter {
  return {
    ...nothing,
    async upsert(id, { jti: _secret, ...payload }) {
      const record: JsonObject = JSON.parse(JSON.stringify(payload));
      if (!(await records.keep(kind, sha256Hex(id), record))) throw new errors.InvalidGrant("the permit is over");
    },
    async find(id) {
      const record = records.find(kind, sha256Hex(id));
      return record === null ? undefined : { ...record, jti: id };
    },
    async consume(id) {
      // Of two who redeem one code at the same moment, the library would let both through.
      if (!(await records.use(kind, sha256Hex(id)))) throw new errors.InvalidGrant("it was used before");
    },
    destroy: (id) => records.drop(kind, sha256Hex(id)),
  };
}

function permitAdapter(records: OAuthRecords, why: () => PermitEnd): LibraryAdapter {
  return {
    ...nothing,
    async find(id) {
      const permit = records.permit(id);
      if (permit === null) return undefined;
      const { person, clientId, resource, scopes, refusedScopes, madeAt, expiresAt } = permit;
      return {
        jti: id,
        kind: "Grant",
        accountId: person,
        clientId,
        resources: { [resource]: scopes.join(" ") },
        ...(refusedScopes.length === 0 ? {} : { rejected: { resources: { [resource]: refusedScopes.join(" ") } } }),
        iat: Math.floor(madeAt / 1000),
        exp: Math.floor(expiresAt / 1000),
      };
    },
    destroy: (id) => records.endPermit(id, why()),
  };
}

function stepAdapter(now: () => number): LibraryAdapter {
  const steps = new Map<string, { readonly payload: object; readonly until: number }>();
  return {
    ...nothing,
    async upsert(id, payload, expiresIn = 0) {
      steps.delete(id);
      steps.set(id, { payload, until: now() + expiresIn * 1000 });
      for (const [old, { until }] of steps) if (until <= now() || steps.size > stepsMax) steps.delete(old);
    },
    async find(id) {
      const step = steps.get(id);
      return step !== undefined && step.until > now() ? step.payload : undefined;
    },
    async destroy(id) {
      steps.delete(id);
    },
  };
}

/** What the library reads of a program: a public one, which proves itself by the code's verifier alone. */
export function clientOf(client: OAuthClient | null): Record<string, unknown> | undefined {
  if (client === null) return undefined;
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: [...client.redirectUris],
    // Programs of people's own machines answer on any port of loopback; every other address is compared exactly.
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    response_modes: ["query"],
    token_endpoint_auth_method: "none",
  };
}
