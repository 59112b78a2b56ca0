import type { Refusal } from "../../core/base/errors.ts";
import type { RootId } from "../../core/base/ids.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { Bookmark } from "../../core/forest/types.ts";
import type { bookmarkCommands } from "../../core/protocol/command/bookmark.ts";
import type { Reach } from "../access/reach.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performBookmark: Performs<keyof typeof bookmarkCommands> = {
  "bookmark.list": async ({ workspace, reach }, { rootId = null }) =>
    ok({ bookmarks: await listBookmarks(workspace, rootId, reach) }),
  "bookmark.put": async ({ workspace, remember }, params) =>
    one(await workspace.conversations.bookmarks.put(params, remember)),
  "bookmark.rename": async ({ workspace, remember }, params) =>
    one(await workspace.conversations.bookmarks.rename(params, remember)),
  "bookmark.delete": async ({ workspace, reach, remember }, { title }) => {
    const { store, conversations } = workspace;
    const known = (await store.bookmarks(null)).find((each) => each.title === title);
    const root = known === undefined || reach === null ? null : await store.root(known.rootId);
    // One that the caller may not know of is not there.
    if (root !== null && reach?.conversation(root) === false) return ok({});
    return nothing(await conversations.bookmarks.remove(title, remember));
  },
};

/** Returns the bookmarks of one conversation or of all that the caller may know of. */
export async function listBookmarks(
  { conversations, store }: Workspace,
  rootId: RootId | null,
  reach: Reach | null,
): Promise<readonly Bookmark[]> {
  const listed = await conversations.bookmarks.list(rootId);
  if (reach === null) return listed;
  const roots = new Map((await store.roots()).map((root) => [root.id, root]));
  return listed.filter(({ rootId: id }) => {
    const root = roots.get(id);
    return root !== undefined && reach.conversation(root);
  });
}

function one(result: Result<Bookmark, Refusal>): Result<{ readonly bookmark: Bookmark }, Refusal> {
  return result.ok ? ok({ bookmark: result.value }) : result;
}
