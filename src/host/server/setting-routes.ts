import * as v from "valibot";
import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { Bookmark } from "../../core/forest/types.ts";
import { bookmarkCommands } from "../../core/protocol/command/bookmark.ts";
import { presetCommands } from "../../core/protocol/command/preset.ts";
import { nodeId, rootId, title } from "../../core/protocol/parts.ts";
import type { PresetList } from "../../core/turn/preset.ts";
import type { BookmarkAnswer, Done } from "../conversation/types.ts";
import { httpOnce, nothingTold } from "./http-once.ts";
import type { JsonRoute } from "./route.ts";
import { readBody, readQuery } from "./read-query.ts";
import { nodeOf } from "./node-routes.ts";

const listQuery = v.object({ root: v.exactOptional(rootId) });
const titleQuery = v.object({ title });
const nameQuery = v.object({ name: title });
const bookmarkBody = v.union([v.object({ title, nodeId }), v.object({ title, rootId })]);

/** Bookmarks and presets: what belongs to the workspace and not to the tree. */
export const settingRoutes: readonly JsonRoute[] = [
  {
    method: "GET",
    path: "/api/bookmarks",
    access: () => ["read", { type: "workspace" }],
    async answer({ workspace, query }) {
      const read = readQuery(query, listQuery);
      return read.ok ? ok({ bookmarks: await workspace.conversations.bookmarks.list(read.value.root ?? null) }) : read;
    },
  },
  {
    method: "PUT",
    path: "/api/bookmarks",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const { workspace, body } = call;
      const read = readBody(body, bookmarkBody);
      if (!read.ok) return read;
      const wish = read.value;
      return bookmarkOf(
        await httpOnce<BookmarkAnswer>(call, async (remember) => {
          const { bookmarks } = workspace.conversations;
          if ("rootId" in wish) return bookmarked(await bookmarks.put({ ...wish, nodeId: null }, remember));
          const node = await nodeOf(workspace, wish.nodeId);
          return node.ok ? bookmarked(await bookmarks.put({ ...wish, rootId: node.value.rootId }, remember)) : node;
        }),
      );
    },
  },
  {
    method: "POST",
    path: "/api/bookmarks/rename",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const read = readBody(call.body, bookmarkCommands["bookmark.rename"]);
      if (!read.ok) return read;
      const { bookmarks } = call.workspace.conversations;
      return bookmarkOf(
        await httpOnce<BookmarkAnswer>(call, async (remember) =>
          bookmarked(await bookmarks.rename(read.value, remember)),
        ),
      );
    },
  },
  {
    method: "DELETE",
    path: "/api/bookmarks",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const read = readQuery(call.query, titleQuery);
      if (!read.ok) return read;
      const { bookmarks } = call.workspace.conversations;
      return httpOnce<Done>(call, async (remember) => nothingTold(await bookmarks.remove(read.value.title, remember)));
    },
  },
  {
    method: "GET",
    path: "/api/presets",
    access: () => ["read", { type: "workspace" }],
    answer: async ({ workspace }) => ok(await workspace.conversations.presets.list()),
  },
  {
    method: "PUT",
    path: "/api/presets",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const read = readBody(call.body, presetCommands["preset.put"]);
      const { presets } = call.workspace.conversations;
      return read.ok ? httpOnce<PresetList>(call, (remember) => presets.put(read.value, remember)) : read;
    },
  },
  {
    method: "DELETE",
    path: "/api/presets",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const read = readQuery(call.query, nameQuery);
      const { presets } = call.workspace.conversations;
      return read.ok ? httpOnce<PresetList>(call, (remember) => presets.remove(read.value.name, remember)) : read;
    },
  },
  {
    method: "PUT",
    path: "/api/presets/active",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const read = readBody(call.body, presetCommands["preset.activate"]);
      const { presets } = call.workspace.conversations;
      return read.ok ? httpOnce<PresetList>(call, (remember) => presets.activate(read.value.name, remember)) : read;
    },
  },
];

function bookmarked(result: Result<Bookmark, Refusal>): Result<BookmarkAnswer, Refusal> {
  return result.ok ? ok({ bookmark: result.value }) : result;
}

function bookmarkOf(result: Result<BookmarkAnswer, Refusal>): Result<Bookmark, Refusal> {
  return result.ok ? ok(result.value.bookmark) : result;
}
