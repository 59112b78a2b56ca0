import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RootId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ForestRoot } from "../../core/forest/types.ts";
import { conversationCommands } from "../../core/protocol/command/conversation.ts";
import { searchLimitMax, searchWordsUnitsMax } from "../../core/protocol/limits.ts";
import { rootId, textUpTo } from "../../core/protocol/parts.ts";
import type { Resource, Verb } from "../authorise.ts";
import type { Workspace } from "../workspace.ts";
import type { MadeConversation } from "../conversation/types.ts";
import { httpOnce } from "./http-once.ts";
import { findWords } from "./find-words.ts";
import { digits, readBody, readQuery } from "./read-query.ts";
import type { JsonRoute, RouteCall } from "./route.ts";

const searchQuery = v.object({
  words: textUpTo(searchWordsUnitsMax),
  in: v.optional(v.picklist(["messages", "blocks"]), "messages"),
  root: v.exactOptional(rootId),
  limit: v.exactOptional(v.pipe(digits, v.minValue(1), v.maxValue(searchLimitMax))),
});

/** Conversations as roots of the forest, and words in them. */
export const rootRoutes: readonly JsonRoute[] = [
  {
    method: "GET",
    path: "/api/roots",
    access: () => ["read", { type: "workspace" }],
    answer: async ({ workspace }) => ok({ roots: await workspace.conversations.list() }),
  },
  { method: "POST", path: "/api/roots", access: () => ["write", { type: "workspace" }], answer: rootFor },
  {
    method: "GET",
    path: "/api/roots/:id",
    access: readingRoot,
    answer: ({ workspace, params: [id = ""] }) => rootOf(workspace, id),
  },
  {
    method: "GET",
    path: "/api/roots/:id/children",
    access: readingRoot,
    async answer({ workspace, params: [id = ""] }) {
      const root = await rootOf(workspace, id);
      return root.ok ? ok({ nodes: await workspace.store.children(root.value.id, null) }) : root;
    },
  },
  { method: "GET", path: "/api/search", access: () => ["read", { type: "workspace" }], answer: search },
];

export function readingRoot([id = ""]: readonly string[]): readonly [Verb, Resource] {
  return ["read", { type: "conversation", id: id as RootId }];
}

export async function rootOf({ store }: Workspace, id: string): Promise<Result<ForestRoot, Refusal>> {
  const root = await store.root(id as RootId);
  return root === null ? err(refusal("ROOT_NOT_FOUND", { root_id: id })) : ok(root);
}

async function rootFor(call: RouteCall): Promise<Result<unknown, Refusal>> {
  const { workspace, actor, body } = call;
  const read = readBody(body, conversationCommands["conversation.for-settings"]);
  if (!read.ok) return read;
  const made = await httpOnce<MadeConversation>(call, async (remember) => {
    const root = await workspace.conversations.rootFor(actor, read.value, remember);
    return root.ok ? ok({ rootId: root.value.id }) : root;
  });
  return made.ok ? rootOf(workspace, made.value.rootId) : made;
}

async function search({ workspace, query }: RouteCall): Promise<Result<unknown, Refusal>> {
  const read = readQuery(query, searchQuery);
  if (!read.ok) return read;
  const { words, in: place, root, limit } = read.value;
  const matches = await findWords(workspace.store, {
    words,
    in: place,
    ...(root === undefined ? {} : { rootId: root }),
    ...(limit === undefined ? {} : { limit }),
  });
  return ok({ matches });
}
