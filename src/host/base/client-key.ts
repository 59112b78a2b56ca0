import type { Actor } from "../../core/base/actor.ts";
import { sha256Hex } from "../../core/base/hash.ts";

/** The client id of requests over HTTP: all programs of a person are one client. */
export const httpClientId = "http";

/** Returns the key of a client's stored records: clients of two persons with the same id differ. */
export function clientKey(clientId: string, actor: Pick<Actor, "id">): string {
  return sha256Hex(JSON.stringify([clientId, actor.id]));
}
