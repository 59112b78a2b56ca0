import { hash8 } from "../../../core/base/hash.ts";
import type { ModelRequest } from "../../../core/model/request.ts";

/**
 * Returns a key that all requests of a conversation share and other conversations hardly ever do: a server routes requests
 * of one key to where their prefix is cached.
 */
export function cacheKey({ system, tools, messages }: ModelRequest): string {
  const beginning = JSON.stringify([system, tools.map((tool) => tool.name), messages[0] ?? null]);
  return `heddle-${hash8(beginning)}`;
}
