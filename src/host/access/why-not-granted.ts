import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";
import type { Right } from "../../core/rights/token-right.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import { reachOf, type Reach } from "./reach.ts";

type Ports = Parameters<typeof reachOf>[1] & {
  readonly store: {
    node(id: never): Promise<{ readonly rootId: RootId } | null>;
    run(id: never): Promise<{ readonly rootId: RootId } | null>;
    thread(id: never): Promise<{ readonly blockId: BlockId } | null>;
    block(id: never): Promise<Parameters<Reach["document"]>[0] | null>;
  };
};

/** Returns why the holder of a scoped token may not do something; null if it may. What it may not know of does not exist. */
export async function whyNotGranted(grant: Grant, [verb, resource]: Access, ports: Ports): Promise<Refusal | null> {
  const right = verbRow(verb).token;
  if (right === null || !grant.rights.includes(right)) return lacksRight(grant, right);
  if (grant.scope === null) return null;
  const reach = await reachOf(grant.scope, ports);
  switch (resource.type) {
    case "conversation":
      return (await reachesRoot(resource.id, reach, ports))
        ? null
        : refusal("ROOT_NOT_FOUND", { root_id: resource.id });
    case "node": {
      const node = await ports.store.node(resource.id as never);
      const isThere = node !== null && (await reachesRoot(node.rootId, reach, ports));
      return isThere ? null : refusal("NODE_NOT_FOUND", { node_id: resource.id });
    }
    case "run": {
      const run = await ports.store.run(resource.id as never);
      const isThere = run !== null && (await reachesRoot(run.rootId, reach, ports));
      return isThere ? null : refusal("RUN_NOT_FOUND", { run_id: resource.id });
    }
    case "block": {
      const header = await ports.store.block(resource.id as never);
      return header !== null && reach.document(header) ? null : refusal("BLOCK_NOT_FOUND", { block_id: resource.id });
    }
    case "thread": {
      const thread = await ports.store.thread(resource.id as never);
      const header = thread === null ? null : await ports.store.block(thread.blockId as never);
      const isThere = header !== null && reach.document(header);
      return isThere ? null : refusal("COMMENT_NOT_FOUND", { thread_id: resource.id });
    }
    case "workspace":
    case "turn":
    case "tool":
      return refusal("FORBIDDEN", { token: grant.name }, scopedSentence);
  }
}

async function reachesRoot(id: RootId, reach: Reach, { store }: Ports): Promise<boolean> {
  const root = await store.root(id);
  return root !== null && reach.conversation(root);
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
