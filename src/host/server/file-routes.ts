import * as v from "valibot";
import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import { keptSides } from "../../core/protocol/command/file.ts";
import { blockId } from "../../core/protocol/parts.ts";
import type { Resource } from "../authorise.ts";
import { httpClientId } from "../client-key.ts";
import { httpOnce } from "./http-once.ts";
import { noFolderWords } from "./list-files.ts";
import { readBody } from "./read-query.ts";
import type { JsonRoute } from "./route.ts";

const pathBody = v.object({ path: v.pipe(v.string(), v.maxLength(4_096)) });
const resolveBody = v.object({
  block_id: blockId,
  keep: v.picklist(keptSides),
  hash: v.pipe(v.string(), v.maxLength(64)),
});
const commitBody = v.object({
  branch: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  message: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(10_000)),
});

/** The files of the workspace folder. */
export const fileRoutes: readonly JsonRoute[] = [
  {
    method: "GET",
    path: "/api/files",
    access: () => ["read", { type: "workspace" }],
    async answer({ workspace: { files }, query }) {
      if (files === null) return noFolder;
      const listed = await files.list(query.get("prefix") ?? "");
      return listed.ok ? ok({ folder: files.folder, ...listed.value }) : listed;
    },
  },
  {
    method: "POST",
    path: "/api/files/open",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const { files } = call.workspace;
      const wish = readBody(call.body, pathBody);
      if (!wish.ok) return wish;
      if (files === null) return noFolder;
      return httpOnce<object>(call, async () => {
        const opened = await files.open(wish.value.path);
        return opened.ok ? ok({ block_id: opened.value }) : opened;
      });
    },
  },
  {
    method: "POST",
    path: "/api/files/resolve",
    access: (_params, body) => ["write", resourceOf(body)],
    async answer(call) {
      const { workspace, actor } = call;
      const { files } = workspace;
      const wish = readBody(call.body, resolveBody);
      if (!wish.ok) return wish;
      if (files === null) return noFolder;
      const author = workspace.author(actor, await workspace.agents.forClient(httpClientId, actor));
      const { block_id: id, keep, hash } = wish.value;
      return httpOnce<object>(call, async () => {
        const resolved = await files.resolve(author, id, keep, hash);
        return resolved.ok ? ok({ success: true }) : resolved;
      });
    },
  },
  {
    method: "POST",
    path: "/api/files/commit",
    access: () => ["write", { type: "workspace" }],
    async answer(call) {
      const { files } = call.workspace;
      const wish = readBody(call.body, commitBody);
      if (!wish.ok) return wish;
      if (files === null) return noFolder;
      const author = { name: call.actor.name, email: "heddle@localhost" };
      return httpOnce<object>(call, async () => {
        const committed = await files.commit({ ...wish.value, message: `${wish.value.message}\n`, author });
        return committed.ok ? ok({ commit: committed.value.commit, left_out: committed.value.leftOut }) : committed;
      });
    },
  },
];

const noFolder = err(refusal("FILE_NOT_FOUND", {}, noFolderWords));

function resourceOf(body: unknown): Resource {
  const wish = v.safeParse(resolveBody, body);
  return wish.success ? { type: "block", id: wish.output.block_id } : { type: "workspace" };
}
