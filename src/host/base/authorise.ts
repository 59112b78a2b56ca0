import type { Actor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Resource, Verb } from "../../core/protocol/base/access.ts";

/** Somebody who has not said who they are. */
export const anonymous = null;

/**
 * Whether this actor may do this: asked before every route and every message, whatever it allows. Today whoever has the
 * workspace's token may do everything in it; who has none sees that the server runs, and the app's own files.
 */
export function authorise(actor: Actor | typeof anonymous, verb: Verb, resource: Resource): Result<void, Refusal> {
  if (actor === anonymous) {
    const open = verb === "read" && (resource.type === "health" || resource.type === "app");
    return open ? ok(undefined) : err(refusal("UNAUTHENTICATED"));
  }
  switch (actor.type) {
    case "person":
    case "system":
      return ok(undefined);
    case "model":
      // A model acts through its tools, which have a check of their own; it never comes in by a connection.
      return err(refusal("FORBIDDEN", { verb, resource: resource.type }));
  }
}
