import { hash8 } from "../../../core/base/hash.ts";
import type { ModelRequest } from "../../../core/model/request.ts";

/**
 * The same for all requests of a conversation, and hardly ever for those of another: a server sends requests of one key to
 * where their beginning is cached.
 */
export function cacheKey({ system, tools, messages }: ModelRequest): string {
  const beginning = JSON.stringify([system, tools.map((tool) => tool.name), messages[0] ?? null]);
  return `heddle-${hash8(beginning)}`;
}
