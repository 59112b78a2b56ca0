import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { Replicas } from "../../replica/replica-registry.ts";
import type { Author } from "./types.ts";

/**
 * An author, and the agent that numbers the operations: a page numbers its own, so the server writes for it through another.
 */
export interface Writer extends Author {
  readonly serverReplica: ReplicaId;
}

/** Returns the writer for an author that only the server writes for: a model's run, or the server itself. */
export function directWriter(author: Author): Writer {
  return { ...author, serverReplica: author.replica };
}

/** Returns the writer for an author; for a page, its server replica, because the page numbers its own operations. */
export async function writerOf(
  replicas: Pick<Replicas, "serverReplicaOf">,
  author: Author,
): Promise<Result<Writer, Refusal>> {
  if (author.actor.type !== "person") return ok(directWriter(author));
  const serverReplica = await replicas.serverReplicaOf(author.replica);
  return serverReplica.ok ? ok({ ...author, serverReplica: serverReplica.value }) : serverReplica;
}
