import type { Actor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Access } from "../../core/protocol/base/access.ts";

/** A client without a token. */
export const anonymous = null;

/**
 * Decides whether this actor has this access; called before every route and every message. Everyone with the workspace's
 * token may do everything in it; without the token only the health check and the app's files are served.
 */
export function authorise(actor: Actor | typeof anonymous, [verb, resource]: Access): Result<void, Refusal> {
  if (actor === anonymous) return err(refusal("UNAUTHENTICATED"));
  switch (actor.type) {
    case "person":
    case "system":
      return ok(undefined);
    case "model":
      // A model acts through its tools, which have a check of their own; it never connects as a client.
      return err(refusal("FORBIDDEN", { verb, resource: resource.type }));
  }
}
