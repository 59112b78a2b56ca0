import type { Actor } from "../../core/base/actor.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";

/** The client id of requests over HTTP: all programs of a person are one client. */
export const httpClientId = "http";

/** Returns the key of a client's stored records: clients of two persons with the same id differ. */
export function clientKey(clientId: string, actor: Pick<Actor, "id">): string {
  return sha256Hex(JSON.stringify([clientId, actor.id]));
}

/**
 * Returns the key of a client's request records. A scoped token is a client of its own, so that it gets no answer that
 * its person got by other means.
 */
export function requestsKey(clientId: string, actor: Pick<Actor, "id">, grant: Pick<Grant, "id"> | null): string {
  return grant === null ? clientKey(clientId, actor) : sha256Hex(JSON.stringify([clientId, actor.id, grant.id]));
}
