import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import { cutAt, labels, messageCommands } from "../../../core/protocol/command/message.ts";
import { segmentMessagesMax } from "../../../core/protocol/base/limits.ts";
import { described, nodeId } from "../../../core/protocol/base/parts.ts";
import { forestNode, forestRoot } from "../../../core/protocol/shape/forest.ts";
import { blobsOfMessages } from "../../blobs/blob-ids.ts";
import { blobReader } from "../../blobs/blob-reader.ts";
import type { AppendedMessages, ChangedNode, Done, RemovedNodes } from "../../conversation/base/types.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { emptyAnswer, httpOnce } from "../http/http-once.ts";
import { appendBody, contentBody, readAppended, readNodeContent, type Appended } from "./node-content.ts";
import { flag, wholeNumber } from "../http/read-query.ts";
import { nodesAnswer } from "./root-routes.ts";
import { jsonRoute, type Route, type RouteCall } from "../http/route.ts";

const section = "Messages";
const params = { id: nodeId };
const node = { type: "json", schema: forestNode } as const;

/** Reads the messages around a message. */
const readingRoutes: readonly Route[] = [
  jsonRoute({
    method: "GET",
    path: "/api/nodes/:id",
    section,
    description: "Returns a message with its place in the tree.",
    params,
    answer: node,
    refusals: ["NODE_NOT_FOUND"],
    access: readingNode,
    perform: ({ workspace, params: { id } }) => nodeOf(workspace, id),
  }),
  jsonRoute({
    method: "GET",
    path: "/api/nodes/:id/path",
    section,
    description: "Lists the messages from the first of the branch to this one.",
    params,
    query: v.object({
      from: v.exactOptional(described(nodeId, "A message on the path to begin with.")),
      last: v.exactOptional(
        wholeNumber(
          1,
          segmentMessagesMax,
          "Only so many messages, those at the end; the parent of the first leads on.",
        ),
      ),
    }),
    answer: nodesAnswer,
    refusals: ["NODE_NOT_FOUND"],
    access: readingNode,
    async perform({ workspace, params: { id }, query: { from, last } }) {
      const { store } = workspace;
      const nodes = last === undefined ? await store.path(id) : await store.pathEnd(id, last);
      if (nodes.length === 0) return err(refusal("NODE_NOT_FOUND", { node_id: id }));
      const start = from === undefined ? 0 : nodes.findIndex((each) => each.id === from);
      return start === -1
        ? err(refusal("INVALID_PARAMS", { path: "from", expected: "a message on the path", node_id: from }))
        : ok({ nodes: nodes.slice(start) });
    },
  }),
  around("children", "Lists the messages directly below this one, oldest first.", ({ store }, { rootId, id }) =>
    store.children(rootId, id),
  ),
  around("siblings", "Lists all messages at the place of this one, including itself.", ({ store }, each) =>
    store.children(each.rootId, each.parentId),
  ),
  around("subtree", "Lists this message and everything below it, parents first.", ({ store }, { id }) =>
    store.subtree(id),
  ),
];

function around(
  name: string,
  description: string,
  find: (workspace: Workspace, node: ForestNode) => Promise<readonly ForestNode[]>,
): Route {
  return jsonRoute({
    method: "GET",
    path: `/api/nodes/:id/${name}`,
    section,
    description,
    params,
    answer: nodesAnswer,
    refusals: ["NODE_NOT_FOUND"],
    access: readingNode,
    async perform({ workspace, params: { id } }) {
      const found = await nodeOf(workspace, id);
      return found.ok ? ok({ nodes: await find(workspace, found.value) }) : found;
    },
  });
}

/** Changes the tree at one message. Asks no model. */
const changingRoutes: readonly Route[] = [
  jsonRoute({
    method: "POST",
    path: "/api/nodes/:parentId/append",
    section,
    description:
      "Adds messages below a message, or below a conversation, without asking a model; existing messages are found, not added again.",
    details: `\`parentId\` is the id of a message or, for first messages, of the conversation. The body has either \`content\`, a string or
text blocks, for one message of a person; or \`messages\`, whole messages of any role, in canonical form or in the older form
with \`tool_calls\`. Blank messages are skipped. All messages are added or none: \`MESSAGE_INVALID\` names the \`index\`, and
\`TOOL_RESULT_UNPAIRED\` is a result that answers no open call. The answer is the last message, or the parent if the list is
empty.`,
    params: { parentId: described(v.string(), "Id of a message or of a conversation.") },
    body: appendBody as v.GenericSchema<unknown, Appended>,
    readBody: readAppended,
    answer: { type: "json", schema: v.union([forestNode, forestRoot]) },
    refusals: ["NODE_NOT_FOUND", "MESSAGE_INVALID", "TOOL_RESULT_UNPAIRED", "CONVERSATION_ENDED"],
    access: ({ parentId }) => ["conversation.edit", { type: "node", id: parentId as NodeId }],
    perform: append,
  }),
  jsonRoute({
    method: "PUT",
    path: "/api/nodes/:nodeId/content",
    section,
    description: messageCommands["message.rewrite"].description,
    details: `A leaf changes in place and is the editor's from then on. A message with children is split where the texts begin to differ:
the old rest keeps its id and its children, and the new rest becomes its sibling. A text that continues the whole old one becomes
its child; one with nothing in common, a sibling; the same text changes nothing. Bookmarks follow the text. The answer is the
message whose path says what was asked for. Tool calls, results and blank texts are \`MESSAGE_INVALID\`.`,
    params: { nodeId },
    body: contentBody,
    readBody: readNodeContent,
    answer: node,
    refusals: messageCommands["message.rewrite"].refusals,
    access: ({ nodeId: id }) => ["conversation.edit", { type: "node", id }],
    async perform(call) {
      const { workspace, actor, params: place, body } = call;
      const edited = await httpOnce<ChangedNode>(call, (remember) =>
        workspace.conversations.messages.rewrite(actor, { ...place, ...body }, remember),
      );
      return edited.ok ? nodeOf(workspace, edited.value.nodeId) : edited;
    },
  }),
  jsonRoute({
    method: "POST",
    path: "/api/nodes/:id/split",
    section,
    description: messageCommands["message.split"].description,
    details: "Only a text message of a person or a model can be split, and not inside a character.",
    params,
    body: v.object({ at: cutAt }),
    answer: node,
    refusals: messageCommands["message.split"].refusals,
    access: writingNode,
    async perform(call) {
      const {
        workspace,
        params: { id },
        body,
      } = call;
      const done = await httpOnce<ChangedNode>(call, (remember) =>
        workspace.conversations.messages.split({ nodeId: id, ...body }, remember),
      );
      return done.ok ? nodeOf(workspace, done.value.nodeId) : done;
    },
  }),
  jsonRoute({
    method: "PUT",
    path: "/api/nodes/:id/labels",
    section,
    description: messageCommands["message.label"].description,
    params,
    body: v.object(labels),
    answer: node,
    refusals: messageCommands["message.label"].refusals,
    access: writingNode,
    async perform(call) {
      const {
        workspace,
        params: { id },
        body,
      } = call;
      const done = await httpOnce<Done>(call, async (remember) =>
        emptyAnswer(await workspace.conversations.messages.label({ nodeId: id, ...body }, remember)),
      );
      return done.ok ? nodeOf(workspace, id) : done;
    },
  }),
  jsonRoute({
    method: "DELETE",
    path: "/api/nodes/:id",
    section,
    description: messageCommands["message.delete"].description,
    details: `With \`reparent=true\` the messages below move up in their order, and a tool call is deleted with its results. A
conversation's id is refused with \`MESSAGE_INVALID\`. The id of a deleted message is never used again.`,
    params,
    query: v.object({
      reparent: flag("Whether the messages below move up instead of being deleted."),
      force: flag("Whether bookmarks on deleted messages are deleted too."),
    }),
    answer: { type: "json", schema: messageCommands["message.delete"].answer },
    refusals: ["MESSAGE_INVALID", ...messageCommands["message.delete"].refusals],
    access: writingNode,
    async perform(call) {
      const {
        workspace,
        actor,
        params: { id },
        query,
      } = call;
      if ((await workspace.store.root(id as string as RootId)) !== null) {
        const words = "This is a whole conversation; only messages can be deleted here.";
        return err(refusal("MESSAGE_INVALID", { root_id: id }, words));
      }
      return httpOnce<RemovedNodes>(call, (remember) =>
        workspace.conversations.messages.delete({ nodeId: id, ...query, by: actor }, remember),
      );
    },
  }),
];

/** Message routes: reading around a message, and changing the tree at it. */
export const nodeRoutes: readonly Route[] = [...readingRoutes, ...changingRoutes];

export function readingNode({ id }: { readonly id: NodeId }): Access {
  return ["conversation.read", { type: "node", id }];
}

function writingNode({ id }: { readonly id: NodeId }): Access {
  return ["conversation.edit", { type: "node", id }];
}

export async function nodeOf(workspace: Workspace, id: NodeId): Promise<Result<ForestNode, Refusal>> {
  const found = await workspace.store.node(id);
  return found === null ? err(refusal("NODE_NOT_FOUND", { node_id: id })) : ok(found);
}

async function append(
  call: RouteCall<{ readonly parentId: string }, undefined, Appended>,
): Promise<Result<unknown, Refusal>> {
  const {
    workspace,
    actor,
    params: { parentId: id },
    body,
  } = call;
  const parent = await workspace.store.node(id as NodeId);
  const root = await workspace.store.root(parent?.rootId ?? (id as RootId));
  if (root === null) return err(refusal("NODE_NOT_FOUND", { node_id: id }));
  const { blobs } = workspace;
  const unknown = await blobs.uses?.whyNot(blobsOfMessages(body.messages), blobReader(call, workspace));
  if (unknown) return err(unknown);
  const place = { rootId: root.id, parentNodeId: parent?.id ?? null };
  const appended = await httpOnce<AppendedMessages>(call, (remember) =>
    workspace.conversations.messages.add(actor, { ...place, ...body }, remember),
  );
  if (!appended.ok) return appended;
  const last = appended.value.nodeId;
  return last === null ? ok(root) : nodeOf(workspace, last);
}
