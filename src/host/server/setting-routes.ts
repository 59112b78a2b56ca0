import * as v from "valibot";
import { ok } from "../../core/base/result.ts";
import { bookmarkCommands } from "../../core/protocol/command/bookmark.ts";
import { presetCommands } from "../../core/protocol/command/preset.ts";
import { nodeId, rootId, title } from "../../core/protocol/parts.ts";
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
    async answer({ workspace, body }) {
      const read = readBody(body, bookmarkBody);
      if (!read.ok) return read;
      const { bookmarks } = workspace.conversations;
      if ("rootId" in read.value) return bookmarks.put({ ...read.value, nodeId: null });
      const node = await nodeOf(workspace, read.value.nodeId);
      return node.ok ? bookmarks.put({ ...read.value, rootId: node.value.rootId }) : node;
    },
  },
  {
    method: "POST",
    path: "/api/bookmarks/rename",
    access: () => ["write", { type: "workspace" }],
    async answer({ workspace, body }) {
      const read = readBody(body, bookmarkCommands["bookmark.rename"]);
      return read.ok ? workspace.conversations.bookmarks.rename(read.value.title, read.value.newTitle) : read;
    },
  },
  {
    method: "DELETE",
    path: "/api/bookmarks",
    access: () => ["write", { type: "workspace" }],
    async answer({ workspace, query }) {
      const read = readQuery(query, titleQuery);
      if (!read.ok) return read;
      const removed = await workspace.conversations.bookmarks.remove(read.value.title);
      return removed.ok ? ok({}) : removed;
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
    async answer({ workspace, body }) {
      const read = readBody(body, presetCommands["preset.put"]);
      return read.ok ? workspace.conversations.presets.put(read.value) : read;
    },
  },
  {
    method: "DELETE",
    path: "/api/presets",
    access: () => ["write", { type: "workspace" }],
    async answer({ workspace, query }) {
      const read = readQuery(query, nameQuery);
      return read.ok ? workspace.conversations.presets.remove(read.value.name) : read;
    },
  },
  {
    method: "PUT",
    path: "/api/presets/active",
    access: () => ["write", { type: "workspace" }],
    async answer({ workspace, body }) {
      const read = readBody(body, presetCommands["preset.activate"]);
      return read.ok ? workspace.conversations.presets.activate(read.value.name) : read;
    },
  },
];
