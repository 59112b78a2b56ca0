import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { Refusal } from "../../core/base/errors.ts";
import { refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockTitle } from "../../core/block/block-title.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { conversationTitle, type CanvasSummary } from "../../core/forest/list.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { textOf } from "../../core/message/content.ts";
import { canvasChain, fileChain, type Chain } from "../../core/rights/object-key.ts";
import type { LinkRole, ShareLinkRow } from "../../core/rights/rights-row.ts";
import type { Verb } from "../../core/rights/verb-table.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** A valid link, with what it is asked for. */
export interface OpenedVisit {
  readonly link: ShareLinkRow;
  readonly role: LinkRole;
  /** null: the conversation or the folder itself. */
  readonly documentId: BlockId | null;
  /** The kind and the id of what the link is to. */
  readonly kind: string;
  readonly id: string;
}

/** What a link shows. No member is named in it. */
export type VisitContent =
  | {
      readonly type: "document";
      readonly title: string;
      readonly text: string;
      /** The threads that guests of this very link began, for who may comment. */
      readonly comments: readonly VisitComment[];
    }
  | { readonly type: "conversation"; readonly title: string; readonly messages: readonly VisitMessage[] }
  | {
      readonly type: "folder";
      readonly title: string;
      readonly documents: readonly { readonly id: BlockId; readonly title: string }[];
    };

interface VisitComment {
  readonly by: string;
  readonly text: string;
  readonly replies: readonly { readonly by: string; readonly text: string }[];
}

interface VisitMessage {
  readonly by: "person" | "agent";
  readonly text: string;
}

type ContentPorts = Pick<Workspace, "store" | "hub" | "canvases">;

/** Reads what a link shows now. */
export async function contentOf(
  { link, role, documentId, kind, id }: OpenedVisit,
  ports: ContentPorts,
  may: (chain: Chain, verb: Verb) => boolean,
): Promise<Result<VisitContent, Refusal>> {
  if (documentId !== null) return documentContent(documentId, role === "commenter" ? link.id : null, ports);
  if (kind === "conversation") return conversationContent(id as RootId, ports);
  const canvases = await ports.canvases();
  const documents = canvases
    .filter((each) => may(chainOfCanvas(each), "document.read"))
    .map((each) => ({ id: each.id, title: each.title }))
    .toSorted((one, other) => (one.title < other.title ? -1 : 1));
  return ok({ type: "folder", title: id.split("/").at(-1) ?? "", documents });
}

function chainOfCanvas({ id, folderPath = "", fileFolderId, filePath = "" }: CanvasSummary): Chain {
  return fileFolderId === undefined
    ? canvasChain(id, folderPath)
    : fileChain(id, { folderId: fileFolderId, path: filePath });
}

async function documentContent(
  documentId: BlockId,
  guests: string | null,
  { hub }: ContentPorts,
): Promise<Result<VisitContent, Refusal>> {
  const read = await hub.reader.read(documentId);
  if (!read.ok) return read;
  const listed = guests === null ? ok([]) : await hub.comments.list(documentId, (placed) => placed);
  if (!listed.ok) return listed;
  // Of the team's own threads a guest sees nothing.
  const comments = listed.value.flatMap(({ thread }): readonly VisitComment[] => {
    const [first, ...replies] = thread.comments.filter(({ deletedAt }) => deletedAt === undefined);
    if (first === undefined || (first.actor.id as string) !== guests) return [];
    // What an agent answers may quote what a guest may not read; people of the team say what they have a guest know.
    const said = replies
      .filter(({ actor }) => actor.type === "person")
      .map(({ actor, text }) => ({ by: (actor.id as string) === guests ? nameOf(actor) : "The team", text }));
    return [{ by: nameOf(first.actor), text: first.text, replies: said }];
  });
  return ok({ type: "document", title: titleOf(read.value.header), text: read.value.text, comments });
}

/** A file goes by its own name: the folders that it lies in are not shown. */
function titleOf(header: BlockHeader): string {
  const title = blockTitle(header);
  return title === blockPath(header) ? (title.split("/").at(-1) ?? title) : title;
}

function nameOf(actor: object): string {
  return "name" in actor && typeof actor.name === "string" ? actor.name : "A guest";
}

/** The messages of the branch that was written in last. */
async function conversationContent(rootId: RootId, { store }: ContentPorts): Promise<Result<VisitContent, Refusal>> {
  const root = await store.root(rootId);
  if (root === null) return err(refusal("ROOT_NOT_FOUND", { root_id: rootId }));
  const nodes = await store.nodes(rootId);
  const messages = lastBranch(nodes).flatMap(({ message }): readonly VisitMessage[] => {
    const text = textOf(message);
    if (text.trim() === "" || (message.role !== "user" && message.role !== "assistant")) return [];
    return [{ by: message.role === "user" ? "person" : "agent", text }];
  });
  return ok({ type: "conversation", title: conversationTitle(root), messages });
}

function lastBranch(nodes: readonly ForestNode[]): readonly ForestNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const branch: ForestNode[] = [];
  let node = nodes.reduce<ForestNode | undefined>(
    (last, each) => (last === undefined || each.createdAt >= last.createdAt ? each : last),
    undefined,
  );
  while (node !== undefined) {
    branch.push(node);
    node = node.parentId === null ? undefined : byId.get(node.parentId);
  }
  return branch.toReversed();
}
