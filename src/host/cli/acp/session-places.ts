import { isAbsolute, relative } from "node:path";
import { homedir } from "node:os";
import type { SessionInfo } from "@agentclientprotocol/sdk/unstable";
import type { FolderId, NodeId, RootId } from "../../../core/base/ids.ts";
import { conversationTitle, type ConversationSummary } from "../../../core/forest/list.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import type { ConversationView, HeddleClient } from "../../../client/base/types.ts";
import { readList } from "../chat/read-list.ts";
import { readCursor, requestError, valueOf, wrongParams, writeCursor } from "./acp-refusal.ts";
import type { SessionPlace } from "./editor-session.ts";

type KnownFolder = CommandAnswer<"folder.list">["folders"][number];
type Folder = NonNullable<SessionPlace["folder"]>;

/** How many sessions a page of the list has. */
const pageSessions = 50;
/** How many conversations are read at once. */
const readAtOnce = 500;

/**
 * Returns the folder for a new session: the nearest known one around `cwd`, else `cwd` itself, which opening it in the
 * editor has named. null where the server cannot work there.
 */
export async function folderFor(client: HeddleClient, cwd: string): Promise<Folder | null> {
  if (!isAbsolute(cwd)) throw wrongParams("cwd", "The working directory is an absolute path. No session was made.");
  const { folders, canAdd } = valueOf(await client.call("folder.list", {}));
  const known = nearestAround(folders, cwd);
  if (known !== undefined) return known.away === null ? { id: known.id, path: known.path } : null;
  if (!canAdd) return null;
  const added = await client.call("folder.add", { path: cwd });
  return added.ok ? { id: added.value.folderId, path: cwd } : null;
}

/** Returns the folder that a conversation works in. */
export async function folderOf(client: HeddleClient, folderId: FolderId | undefined): Promise<Folder | null> {
  if (folderId === undefined) return null;
  const { folders } = valueOf(await client.call("folder.list", {}));
  const known = folders.find(({ id }) => id === folderId);
  return known === undefined ? null : { id: known.id, path: known.path };
}

/** Returns one page of the sessions, newest first. */
export async function listSessions(
  client: HeddleClient,
  { cwd, cursor }: { readonly cwd?: string | null | undefined; readonly cursor?: string | null | undefined },
): Promise<{ readonly sessions: SessionInfo[]; readonly nextCursor?: string }> {
  if (typeof cwd === "string" && !isAbsolute(cwd))
    throw wrongParams("cwd", "The working directory is an absolute path.");
  const after = typeof cursor === "string" ? readCursor(cursor) : null;
  if (after !== null && !after.ok) throw after.error;
  const { folders } = valueOf(await client.call("folder.list", {}));
  const wanted = typeof cwd === "string" ? nearestAround(folders, cwd) : undefined;
  if (typeof cwd === "string" && wanted === undefined) return { sessions: [] };
  const isListed = ({ folderId, createdAt, id }: ConversationSummary): boolean => {
    if (wanted !== undefined && folderId !== wanted.id) return false;
    if (after === null) return true;
    return createdAt < after.value.at || (createdAt === after.value.at && id < after.value.id);
  };
  const found: ConversationSummary[] = [];
  for (let count = readAtOnce; ; count *= 2) {
    // By creation: a session that is used meanwhile keeps its page.
    const list = { of: "conversations", archived: false, order: "created", filter: "", count } as const;
    const { entries, total } = valueOf(await readList(client, list));
    found.splice(0, found.length, ...entries.filter(isListed));
    if (found.length > pageSessions || entries.length >= total) break;
  }
  const page = found.slice(0, pageSessions);
  const last = page.at(-1);
  const sessions = page.map((summary) => sessionInfo(summary, folders));
  const hasMore = found.length > page.length && last !== undefined;
  return { sessions, ...(hasMore ? { nextCursor: writeCursor({ at: last.createdAt, id: last.id }) } : {}) };
}

function sessionInfo(summary: ConversationSummary, folders: readonly KnownFolder[]): SessionInfo {
  return {
    sessionId: summary.id,
    cwd: folders.find(({ id }) => id === summary.folderId)?.path ?? homedir(),
    title: conversationTitle(summary),
    updatedAt: new Date(summary.updatedAt).toISOString(),
  };
}

/** Returns the innermost known folder that a path lies in. */
function nearestAround(folders: readonly KnownFolder[], path: string): KnownFolder | undefined {
  const around = folders.filter((folder) => {
    const below = relative(folder.path, path);
    return below === "" || (!/^\.\.(?:[/\\]|$)/u.test(below) && !isAbsolute(below));
  });
  return around.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Names a fork: its conversation, the message it begins below, and what tells it from others there. */
export function forkId(rootId: RootId, tip: NodeId | null, drawn: string): string {
  return `${rootId}~${tip ?? ""}~${drawn}`;
}

/** Reads the id of a session. */
export function readSessionId(sessionId: string): {
  readonly rootId: RootId;
  readonly from: NodeId | null;
  readonly isFork: boolean;
} {
  const [rootId = "", from = "", drawn] = sessionId.split("~");
  return {
    rootId: rootId as RootId,
    from: from === "" ? null : (from as NodeId),
    isFork: drawn !== undefined,
  };
}

/** Finds where a session goes on: the newest leaf of its own branch, or, of a fork without a message, where it began. */
export function tipOf(
  view: ConversationView,
  sessionId: string,
): { readonly tip: NodeId | null; readonly isNewFork: boolean } {
  const { from, isFork } = readSessionId(sessionId);
  const nodes = [...view.nodesById.values()];
  if (!isFork) {
    const inForks = below(nodes, (node) => labelOf(node) !== undefined);
    return {
      tip: newestLeaf(
        view,
        nodes.filter((node) => !inForks.has(node.id)),
      ),
      isNewFork: false,
    };
  }
  const inFork = below(nodes, (node) => labelOf(node) === sessionId);
  if (inFork.size > 0)
    return {
      tip: newestLeaf(
        view,
        nodes.filter(({ id }) => inFork.has(id)),
      ),
      isNewFork: false,
    };
  if (from !== null && !view.nodesById.has(from)) {
    throw requestError({ code: "NODE_NOT_FOUND", message: "The message that this session was forked below is gone." });
  }
  return { tip: from, isNewFork: true };
}

function labelOf({ customData }: ForestNode): unknown {
  return customData?.["acp_session"];
}

/** Returns the nodes that match and everything below them; a node comes after its parent. */
function below(nodes: readonly ForestNode[], matches: (node: ForestNode) => boolean): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  const byAge = nodes.toSorted((a, b) => a.createdAt - b.createdAt);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const node of byAge) {
      if (matches(node) || (node.parentId !== null && found.has(node.parentId))) found.add(node.id);
    }
  }
  return found;
}

function newestLeaf({ childrenByParent }: ConversationView, nodes: readonly ForestNode[]): NodeId | null {
  const ids = new Set(nodes.map(({ id }) => id));
  const leaves = nodes.filter(({ id }) => !(childrenByParent.get(id) ?? []).some((child) => ids.has(child)));
  return (
    leaves.reduce<ForestNode | null>(
      (best, node) => (best === null || node.createdAt >= best.createdAt ? node : best),
      null,
    )?.id ?? null
  );
}
