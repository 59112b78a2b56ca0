import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import { onWorkspace, type Access } from "../../../core/protocol/base/access.ts";
import { branchCommands } from "../../../core/protocol/command/branch.ts";
import { conversationCommands } from "../../../core/protocol/command/conversation.ts";
import { searchedWords, searchPlaces, wordFinds } from "../../../core/protocol/command/search.ts";
import { searchLimitMax } from "../../../core/protocol/base/limits.ts";
import { described, modelId, nodeId, rootId } from "../../../core/protocol/base/parts.ts";
import { bookmark, forestNode, forestRoot } from "../../../core/protocol/shape/forest.ts";
import { runStatus, waitingMessage } from "../../../core/protocol/shape/run.ts";
import type { CreatedConversation } from "../../conversation/base/types.ts";
import type { Reach } from "../../access/reach.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { findWords } from "../../command/base/find-words.ts";
import { httpOnce } from "../http/http-once.ts";
import { wholeNumber } from "../http/read-query.ts";
import { jsonRoute, type Route } from "../http/route.ts";

const section = "Conversations";
const params = { id: rootId };

/** The answer with a list of messages. */
export const nodesAnswer = { type: "json", schema: v.object({ nodes: v.array(forestNode) }) } as const;

/** Conversations as roots of the forest, and search. */
export const rootRoutes: readonly Route[] = [
  jsonRoute({
    method: "GET",
    path: "/api/roots",
    section,
    description: "Lists all conversations, oldest first.",
    answer: { type: "json", schema: v.object({ roots: v.array(forestRoot) }) },
    access: onWorkspace("workspace.see"),
    team: true,
    perform: async (call) => ok({ roots: await seenRoots(call) }),
  }),
  jsonRoute({
    method: "POST",
    path: "/api/roots",
    section,
    description: conversationCommands["conversation.for-settings"].description,
    body: conversationCommands["conversation.for-settings"].params,
    answer: { type: "json", schema: forestRoot },
    refusals: conversationCommands["conversation.for-settings"].refusals,
    access: onWorkspace("workspace.manage"),
    async perform(call) {
      const { workspace, body } = call;
      const made = await httpOnce<CreatedConversation>(call, async (remember) => {
        const root = await workspace.conversations.forSettings(body, remember);
        return root.ok ? ok({ rootId: root.value.id }) : root;
      });
      return made.ok ? rootOf(workspace, made.value.rootId) : made;
    },
  }),
  jsonRoute({
    method: "GET",
    path: "/api/roots/:id",
    section,
    description: "Returns a conversation without its messages.",
    params,
    answer: { type: "json", schema: forestRoot },
    refusals: ["ROOT_NOT_FOUND"],
    access: readingRoot,
    perform: ({ workspace, params: { id } }) => rootOf(workspace, id),
  }),
  jsonRoute({
    method: "GET",
    path: "/api/roots/:id/children",
    section,
    description: "Lists the first messages of a conversation.",
    params,
    answer: nodesAnswer,
    refusals: ["ROOT_NOT_FOUND"],
    access: readingRoot,
    async perform({ workspace, params: { id } }) {
      const root = await rootOf(workspace, id);
      return root.ok ? ok({ nodes: await workspace.store.children(root.value.id, null) }) : root;
    },
  }),
  jsonRoute({
    method: "GET",
    path: "/api/conversations",
    section,
    description: "Lists all conversations, as `GET /api/roots` does.",
    answer: { type: "json", schema: v.object({ conversations: v.array(forestRoot) }) },
    access: onWorkspace("workspace.see"),
    team: true,
    perform: async (call) => ok({ conversations: await seenRoots(call) }),
  }),
  jsonRoute({
    method: "GET",
    path: "/api/conversations/:id",
    section,
    description: "Returns a conversation with its messages, runs, waiting messages and bookmarks at one moment.",
    params,
    answer: {
      type: "json",
      schema: v.object({
        seq: described(v.number(), "The last entry of the conversation's feed that is included."),
        root: forestRoot,
        nodes: v.array(forestNode),
        runs: v.array(runStatus),
        waiting: described(v.array(waitingMessage), "The messages that wait for the runs, in their order."),
        bookmarks: v.array(bookmark),
      }),
    },
    refusals: ["ROOT_NOT_FOUND"],
    access: readingRoot,
    perform: ({ workspace, params: { id } }) => workspace.conversations.view(id),
  }),
  jsonRoute({
    method: "GET",
    path: "/api/roots/:id/context",
    section,
    description: branchCommands["branch.context"].description,
    params,
    query: v.object({
      node: v.exactOptional(described(nodeId, "The last message of the branch; without it, before the first message.")),
      model: v.exactOptional(described(modelId, "The model that would answer; by default the conversation's.")),
    }),
    answer: { type: "json", schema: branchCommands["branch.context"].answer },
    refusals: branchCommands["branch.context"].refusals,
    access: readingRoot,
    perform: ({ workspace, params: { id }, query: { node, ...query } }) =>
      workspace.conversations.branches.context({ rootId: id, nodeId: node ?? null, ...query }),
  }),
  jsonRoute({
    method: "GET",
    path: "/api/search",
    section: "Finding",
    description: "Finds messages or documents by their words, best first.",
    query: v.object({
      words: searchedWords,
      in: v.optional(described(searchPlaces, "What is searched."), "messages"),
      root: v.exactOptional(described(rootId, "Only messages of this conversation.")),
      limit: v.exactOptional(wholeNumber(1, searchLimitMax, "The maximum number of results; 30 by default.")),
    }),
    answer: { type: "json", schema: wordFinds },
    access: onWorkspace("workspace.search"),
    team: true,
    async perform({ workspace, reach, query: { root, ...query } }) {
      const wish = root === undefined ? query : { ...query, rootId: root };
      return ok({ matches: await findWords(workspace.store, wish, reach) });
    },
  }),
];

async function seenRoots({
  workspace,
  reach,
}: {
  readonly workspace: Workspace;
  readonly reach: Reach | null;
}): Promise<readonly ForestRoot[]> {
  return (await workspace.conversations.list()).filter((root) => reach === null || reach.conversation(root));
}

export function readingRoot({ id }: { readonly id: RootId }): Access {
  return ["conversation.read", { type: "conversation", id }];
}

export async function rootOf({ store }: Workspace, id: RootId): Promise<Result<ForestRoot, Refusal>> {
  const root = await store.root(id);
  return root === null ? err(refusal("ROOT_NOT_FOUND", { root_id: id })) : ok(root);
}
