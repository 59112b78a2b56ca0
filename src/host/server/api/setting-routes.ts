import * as v from "valibot";
import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { Bookmark } from "../../../core/forest/types.ts";
import { onWorkspace } from "../../../core/protocol/base/access.ts";
import { bookmarkCommands } from "../../../core/protocol/command/bookmark.ts";
import { presetCommands, presetList } from "../../../core/protocol/command/preset.ts";
import { described, nodeId, nothing, rootId, title } from "../../../core/protocol/base/parts.ts";
import { bookmark } from "../../../core/protocol/shape/forest.ts";
import type { PresetList } from "../../../core/turn/state/preset.ts";
import type { BookmarkAnswer, Done } from "../../conversation/base/types.ts";
import { listBookmarks } from "../../command/bookmark.ts";
import { emptyAnswer, httpOnce } from "../http/http-once.ts";
import { nodeOf } from "./node-routes.ts";
import { jsonRoute, type Route } from "../http/route.ts";

const section = "Bookmarks and presets";
const bookmarkTitle = described(title, "Title of the bookmark.");
const presets = { type: "json", schema: presetList } as const;

const bookmarkRoutes: readonly Route[] = [
  jsonRoute({
    method: "GET",
    path: "/api/bookmarks",
    section,
    description: bookmarkCommands["bookmark.list"].description,
    query: v.object({ root: v.exactOptional(described(rootId, "Only bookmarks of this conversation.")) }),
    answer: { type: "json", schema: bookmarkCommands["bookmark.list"].answer },
    access: onWorkspace("workspace.see"),
    team: true,
    perform: async ({ workspace, query, reach }) =>
      ok({ bookmarks: await listBookmarks(workspace, query.root ?? null, reach) }),
  }),
  jsonRoute({
    method: "PUT",
    path: "/api/bookmarks",
    section,
    description: bookmarkCommands["bookmark.put"].description,
    details: "The body names either a message or a conversation.",
    body: v.union([v.object({ title: bookmarkTitle, nodeId }), v.object({ title: bookmarkTitle, rootId })]),
    answer: { type: "json", schema: bookmark },
    refusals: bookmarkCommands["bookmark.put"].refusals,
    access: onWorkspace("workspace.keep-own"),
    async perform(call) {
      const { workspace, body } = call;
      const { bookmarks } = workspace.conversations;
      const made = await httpOnce<BookmarkAnswer>(call, async (remember) => {
        if ("rootId" in body) return bookmarked(await bookmarks.put({ ...body, nodeId: null }, remember));
        const node = await nodeOf(workspace, body.nodeId);
        return node.ok ? bookmarked(await bookmarks.put({ ...body, rootId: node.value.rootId }, remember)) : node;
      });
      return made.ok ? ok(made.value.bookmark) : made;
    },
  }),
  jsonRoute({
    method: "POST",
    path: "/api/bookmarks/rename",
    section,
    description: bookmarkCommands["bookmark.rename"].description,
    body: bookmarkCommands["bookmark.rename"].params,
    answer: { type: "json", schema: bookmark },
    refusals: bookmarkCommands["bookmark.rename"].refusals,
    access: onWorkspace("workspace.keep-own"),
    async perform(call) {
      const { bookmarks } = call.workspace.conversations;
      const renamed = await httpOnce<BookmarkAnswer>(call, async (remember) =>
        bookmarked(await bookmarks.rename(call.body, remember)),
      );
      return renamed.ok ? ok(renamed.value.bookmark) : renamed;
    },
  }),
  jsonRoute({
    method: "DELETE",
    path: "/api/bookmarks",
    section,
    description: bookmarkCommands["bookmark.delete"].description,
    query: v.object({ title: bookmarkTitle }),
    answer: { type: "json", schema: nothing },
    access: onWorkspace("workspace.keep-own"),
    perform: (call) =>
      httpOnce<Done>(call, async (remember) =>
        emptyAnswer(await call.workspace.conversations.bookmarks.remove(call.query.title, remember)),
      ),
  }),
];

const presetRoutes: readonly Route[] = [
  jsonRoute({
    method: "GET",
    path: "/api/presets",
    section,
    description: presetCommands["preset.list"].description,
    answer: presets,
    access: onWorkspace("workspace.see"),
    team: true,
    perform: async ({ workspace }) => ok(await workspace.conversations.presets.list()),
  }),
  jsonRoute({
    method: "PUT",
    path: "/api/presets",
    section,
    description: presetCommands["preset.put"].description,
    body: presetCommands["preset.put"].params,
    answer: presets,
    access: onWorkspace("workspace.manage"),
    team: true,
    perform: (call) =>
      httpOnce<PresetList>(call, (remember) => call.workspace.conversations.presets.put(call.body, remember)),
  }),
  jsonRoute({
    method: "DELETE",
    path: "/api/presets",
    section,
    description: presetCommands["preset.delete"].description,
    query: v.object({ name: described(title, "Name of the preset.") }),
    answer: presets,
    refusals: presetCommands["preset.delete"].refusals,
    access: onWorkspace("workspace.manage"),
    team: true,
    perform: (call) =>
      httpOnce<PresetList>(call, (remember) => call.workspace.conversations.presets.remove(call.query.name, remember)),
  }),
  jsonRoute({
    method: "PUT",
    path: "/api/presets/active",
    section,
    description: presetCommands["preset.activate"].description,
    body: presetCommands["preset.activate"].params,
    answer: presets,
    refusals: presetCommands["preset.activate"].refusals,
    access: onWorkspace("workspace.manage"),
    team: true,
    perform: (call) =>
      httpOnce<PresetList>(call, (remember) => call.workspace.conversations.presets.activate(call.body.name, remember)),
  }),
];

/** Bookmark and preset routes: they belong to the workspace, not to the tree. */
export const settingRoutes: readonly Route[] = [...bookmarkRoutes, ...presetRoutes];

function bookmarked(result: Result<Bookmark, Refusal>): Result<BookmarkAnswer, Refusal> {
  return result.ok ? ok({ bookmark: result.value }) : result;
}
