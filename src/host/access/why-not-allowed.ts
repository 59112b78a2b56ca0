import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, PersonId, TurnId } from "../../core/base/ids.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { Access, Resource } from "../../core/protocol/base/access.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";
import { decide, type TokenLimits } from "../../core/rights/decide.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { noRights, withRows } from "../../core/rights/rights.ts";
import { subjectKey } from "../../core/rights/subject.ts";
import type { Right } from "../../core/rights/token-right.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import { chainOf, keysIn, type ChainPorts } from "./chains.ts";
import type { Asking, Member } from "./member.ts";

// One person uses this workspace and owns everything in it: what their tokens may do is narrowed by the tokens alone.
const person = "owner" as PersonId;
const oneOwner = withRows(noRights, [
  { type: "person", id: person, name: "", ended: false },
  { type: "share", object: workspaceKey, subject: subjectKey({ type: "person", id: person }), role: "owner" },
]);

/** Returns why somebody may not do something; null if they may. What they may not know of does not exist. */
export async function whyNotAllowed(
  { grant = null, member = null }: Asking,
  [verb, resource]: Access,
  ports: ChainPorts,
): Promise<Refusal | null> {
  if (grant === null && member === null) return null;
  if (member !== null && resource.type === "turn") return whyNotTurn({ grant, member }, [verb, resource.id], ports);
  const scope = grant?.scope ?? null;
  const token: TokenLimits | null =
    grant === null ? null : { rights: grant.rights, within: scope === null ? null : await keysIn(scope, ports.store) };
  // For the one owner everything is in the workspace; whether it exists, the command finds out.
  const chain = member === null && scope === null ? ([workspaceKey] as const) : await chainOf(resource, ports);
  const asker = { type: "person", id: member?.id ?? person, token } as const;
  const question = { verb, chain, isOwn: member !== null && (await isOwn(resource, member, ports)) };
  const decision =
    member === null
      ? decide(oneOwner, { ...asker, authenticatedAt: null }, { ...question, now: 0 })
      : member.keeper.decide({ ...asker, authenticatedAt: member.authenticatedAt }, question);
  switch (decision) {
    case "allowed":
      return null;
    case "hidden":
      return missing(resource) ?? whyNotEverywhere(grant, verbRow(verb).token);
    case "reauthenticate":
      return refusal("REAUTHENTICATE");
    case "refused":
      return grant === null || allows(grant, verbRow(verb).token)
        ? lacksRole()
        : lacksRight(grant, verbRow(verb).token);
  }
}

/** A turn is undone where the asker may: in one document at least. */
async function whyNotTurn(
  asking: Asking,
  [verb, id]: readonly [Access[0], TurnId],
  ports: ChainPorts,
): Promise<Refusal | null> {
  const needed = neededByBlock(verb, (await ports.store.changesOfTurn?.(id)) ?? []);
  let isSeen = false;
  for (const questions of needed.values()) {
    const refused = await Promise.all(questions.map((question) => whyNotAllowed(asking, question, ports)));
    if (refused.every((each) => each === null)) return null;
    isSeen ||= refused.some((each) => each === null || !each.code.endsWith("_NOT_FOUND"));
  }
  return isSeen ? lacksRole() : refusal("NOTHING_TO_UNDO");
}

/** What undoing a turn needs, for each block that it changed. */
export function neededByBlock(
  verb: Access[0],
  changes: readonly Pick<BlockChange, "blockId" | "body">[],
): ReadonlyMap<BlockId, readonly Access[]> {
  const byBlock = new Map<BlockId, readonly Access[]>();
  for (const [id, ofBlock] of Map.groupBy(changes, ({ blockId }) => blockId)) {
    const block = { type: "block", id } as const;
    // What it moved lies again where others read it.
    byBlock.set(id, [[verb, block], ...(ofBlock.some(isMove) ? [["document.delete", block] as const] : [])]);
  }
  return byBlock;
}

/** Whether a change put a document into another folder of documents. */
function isMove({ body }: Pick<BlockChange, "body">): boolean {
  if (body.type !== "metadata" || body.previous === undefined) return false;
  const { metadata, previous } = body;
  return (metadata["folder_path"] ?? null) !== (previous["folder_path"] ?? null);
}

/** Returns whether the asker made the object: began the thread of comments. */
async function isOwn(resource: Resource, { id }: Member, { store }: ChainPorts): Promise<boolean> {
  if (resource.type !== "thread") return false;
  const thread = await store.thread(resource.id as never);
  return thread?.comments?.[0]?.actor.id === id;
}

function allows({ rights }: Grant, right: Right | null): boolean {
  return right !== null && rights.includes(right);
}

/** Refuses an agent what not everyone may do for whom it works: who can ask in its conversation, and through what they asked. */
export function notByEveryone(what: string): Refusal {
  const message = `Nothing was done: not everyone who can ask in this conversation, or not the token with which you were asked, may ${what}. Do without it, or ask a person to do it.`;
  return refusal("FORBIDDEN", {}, message);
}

/** Refuses what a person may know of, and may not do. */
export function lacksRole(): Refusal {
  return refusal("FORBIDDEN", {}, "Your role does not allow this. Nothing was changed; ask an owner for another role.");
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
    case "around":
      return refusal("BLOCK_NOT_FOUND", { block_id: resource.id });
    case "folder":
      return resource.path === undefined
        ? refusal("FOLDER_NOT_FOUND", { folder_id: resource.id })
        : refusal("FILE_NOT_FOUND", { path: resource.path });
    case "workspace":
    case "turn":
    case "tool":
    case "folder-path":
      return null;
  }
}

/** Refuses what concerns the whole workspace to a token that reaches a part of it. */
function whyNotEverywhere(grant: Grant | null, right: Right | null): Refusal {
  if (grant === null) return lacksRole();
  return allows(grant, right) ? refusal("FORBIDDEN", { token: grant.name }, scopedSentence) : lacksRight(grant, right);
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
