import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { Access, Resource } from "../../core/protocol/base/access.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";
import { decide, type TokenLimits } from "../../core/rights/decide.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { noRights, withRows } from "../../core/rights/rights.ts";
import { subjectKey } from "../../core/rights/subject.ts";
import type { Right } from "../../core/rights/token-right.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import { chainOf, keysIn, type ChainPorts } from "./chains.ts";

// One person uses this workspace and owns everything in it: what their tokens may do is narrowed by the tokens alone.
const person = "owner" as PersonId;
const oneOwner = withRows(noRights, [
  { type: "person", id: person, name: "", ended: false },
  { type: "share", object: workspaceKey, subject: subjectKey({ type: "person", id: person }), role: "owner" },
]);

/** Returns why the holder of a scoped token may not do something; null if it may. What it may not know of does not exist. */
export async function whyNotGranted(
  grant: Grant,
  [verb, resource]: Access,
  ports: ChainPorts,
): Promise<Refusal | null> {
  const { rights, scope } = grant;
  const token: TokenLimits = { rights, within: scope === null ? null : await keysIn(scope, ports.store) };
  // Everything is in the workspace; whether it exists, the command finds out.
  const chain = scope === null ? ([workspaceKey] as const) : await chainOf(resource, ports);
  const asker = { type: "person", id: person, authenticatedAt: null, token } as const;
  switch (decide(oneOwner, asker, { verb, chain, now: 0 })) {
    case "allowed":
      return null;
    case "hidden":
      return missing(resource) ?? whyNotEverywhere(grant, verbRow(verb).token);
    case "refused":
    case "reauthenticate":
      return lacksRight(grant, verbRow(verb).token);
  }
}

/** Returns the answer for an object that does not exist; null for what always exists. */
function missing(resource: Resource): Refusal | null {
  switch (resource.type) {
    case "conversation":
      return refusal("ROOT_NOT_FOUND", { root_id: resource.id });
    case "node":
      return refusal("NODE_NOT_FOUND", { node_id: resource.id });
    case "run":
      return refusal("RUN_NOT_FOUND", { run_id: resource.id });
    case "block":
      return refusal("BLOCK_NOT_FOUND", { block_id: resource.id });
    case "thread":
      return refusal("COMMENT_NOT_FOUND", { thread_id: resource.id });
    case "workspace":
    case "turn":
    case "tool":
      return null;
  }
}

/** Refuses what concerns the whole workspace to a token that reaches a part of it. */
function whyNotEverywhere(grant: Grant, right: Right | null): Refusal {
  const mayElsewhere = right !== null && grant.rights.includes(right);
  return mayElsewhere ? refusal("FORBIDDEN", { token: grant.name }, scopedSentence) : lacksRight(grant, right);
}

/** Refuses what a token does not have the right to; null: what no scoped token allows. */
export function lacksRight({ name, rights }: Grant, right: Right | null): Refusal {
  const message =
    right === null
      ? "A scoped token does not allow this. A person does it in the app, or with the workspace's own token."
      : `The token does not have the right to ${right}. Ask the person who made it.`;
  return refusal("FORBIDDEN", { token: name, rights }, message);
}

/**
 * Returns why the holder of a scoped token may not use a route of the HTTP API; null if it may. Commands decide by
 * themselves; documents are written through /mcp, where leases and edit policies hold.
 */
export function whyNotRoute(grant: Grant, route: RouteOfToken): Refusal | null {
  if (route.path === "/api/commands/:name" || route.path === "/api/tools/:name") return null;
  if (route.method !== "GET") return lacksRight(grant, null);
  if (!grant.rights.includes("read")) return lacksRight(grant, "read");
  const isDecidedByObject = grant.scope === null || route.scoped === true || route.path === "/api/tools";
  return isDecidedByObject ? null : refusal("FORBIDDEN", { token: grant.name }, scopedSentence);
}

interface RouteOfToken {
  readonly method: string;
  readonly path: string;
  readonly scoped?: true;
}

/** Returns why the holder of a scoped token may not send a message over a WebSocket; null if it may. */
export function whyNotMessage(grant: Grant, type: string, [verb, resource]: Access): Refusal | null {
  // A command decides by its own row.
  if (type === "call" || type === "ping") return null;
  if (verbRow(verb).changes) return lacksRight(grant, null);
  if (!grant.rights.includes("read")) return lacksRight(grant, "read");
  if (grant.scope === null) return null;
  const { rootIds, canvasIds } = grant.scope;
  const isWithin =
    (resource.type === "conversation" && rootIds.includes(resource.id)) ||
    (resource.type === "block" && canvasIds.includes(resource.id));
  return isWithin ? null : refusal("FORBIDDEN", { token: grant.name }, scopedSentence);
}

const scopedSentence = "This token reaches single documents and conversations only.";
