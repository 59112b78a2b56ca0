import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { Bookmark } from "../../core/forest/types.ts";
import type { bookmarkCommands } from "../../core/protocol/command/bookmark.ts";
import { nothing, type Performs } from "./call.ts";

export const performBookmark: Performs<keyof typeof bookmarkCommands> = {
  "bookmark.list": async ({ workspace }, { rootId = null }) =>
    ok({ bookmarks: await workspace.conversations.bookmarks.list(rootId) }),
  "bookmark.put": async ({ workspace, remember }, params) =>
    one(await workspace.conversations.bookmarks.put(params, remember)),
  "bookmark.rename": async ({ workspace, remember }, params) =>
    one(await workspace.conversations.bookmarks.rename(params, remember)),
  "bookmark.delete": async ({ workspace, remember }, { title }) =>
    nothing(await workspace.conversations.bookmarks.remove(title, remember)),
};

function one(result: Result<Bookmark, Refusal>): Result<{ readonly bookmark: Bookmark }, Refusal> {
  return result.ok ? ok({ bookmark: result.value }) : result;
}
