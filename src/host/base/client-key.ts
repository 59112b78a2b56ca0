import type { Actor } from "../../core/base/actor.ts";
import { sha256Hex } from "../../core/base/hash.ts";

/** The client id of whoever asks over HTTP: all programs of a person are one client. */
export const httpClientId = "http";

/** Names a client of a person where its records are stored: another person's client of the same id is another. */
export function clientKey(clientId: string, actor: Pick<Actor, "id">): string {
  return sha256Hex(JSON.stringify([clientId, actor.id]));
}
