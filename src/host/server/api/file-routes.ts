import * as v from "valibot";
import { ok } from "../../../core/base/result.ts";
import { onWorkspace } from "../../../core/protocol/base/access.ts";
import {
  decidedHash,
  fileCommands,
  filePath,
  keptSide,
  listedFile,
  ofFolder,
} from "../../../core/protocol/command/file.ts";
import { shown, blockId, described, folderId } from "../../../core/protocol/base/parts.ts";
import { madeBlockId } from "../../../core/protocol/shape/forest.ts";
import { filesOfBlock, folderFiles } from "../../command/base/folder-files.ts";
import { httpClientId } from "../../base/client-key.ts";
import { httpOnce } from "../http/http-once.ts";
import { jsonRoute, type Route } from "../http/route.ts";

const folderQuery = v.optional(v.pipe(folderId, v.description("The folder; by default the default folder.")));
const section = "Files of folders";

/** The files of the folders. */
export const fileRoutes: readonly Route[] = [
  jsonRoute({
    method: "GET",
    path: "/api/files",
    section,
    description: "Lists the files of a folder, in order of paths.",
    details:
      "Without `folder_id` the requests of this section are about the default folder (`--workspace DIR`); a server without one answers `FILE_NOT_FOUND`. `FOLDER_AWAY` means that the folder is not at its path.",
    query: v.object({
      folder_id: folderQuery,
      prefix: v.optional(described(v.string(), "Only files whose path begins with this."), ""),
    }),
    answer: {
      type: "json",
      schema: v.object({
        folder: shown("/home/ada/notes"),
        files: v.array(listedFile),
        truncated: described(v.boolean(), "Whether there are more files."),
      }),
    },
    refusals: fileCommands["file.open"].refusals,
    access: onWorkspace("workspace.see"),
    async perform({ workspace, query }) {
      const files = await folderFiles(workspace, query.folder_id);
      const listed = files.ok ? await files.value.list(query.prefix) : files;
      return files.ok && listed.ok ? ok({ folder: files.value.folder, ...listed.value }) : listed;
    },
  }),
  jsonRoute({
    method: "POST",
    path: "/api/files/open",
    section,
    description: fileCommands["file.open"].description,
    body: v.object({ folder_id: ofFolder, path: filePath }),
    answer: { type: "json", schema: v.object({ block_id: madeBlockId }) },
    refusals: fileCommands["file.open"].refusals,
    access: onWorkspace("workspace.manage"),
    async perform(call) {
      return httpOnce<object>(call, async () => {
        const files = await folderFiles(call.workspace, call.body.folder_id);
        const opened = files.ok ? await files.value.open(call.body.path) : files;
        return opened.ok ? ok({ block_id: opened.value }) : opened;
      });
    },
  }),
  jsonRoute({
    method: "POST",
    path: "/api/files/resolve",
    section,
    description: fileCommands["file.resolve"].description,
    details:
      "The part of the file that is not kept is lost. `FILE_CHANGED` means that the file has changed since it was read.",
    body: v.object({ block_id: blockId, keep: keptSide, hash: decidedHash }),
    answer: { type: "json", schema: v.object({ success: v.literal(true) }) },
    refusals: fileCommands["file.resolve"].refusals,
    access: (_params, { block_id: id }) => ["document.edit", { type: "block", id }],
    async perform(call) {
      const {
        workspace,
        actor,
        body: { block_id: id, keep, hash },
      } = call;
      const author = workspace.author(actor, await workspace.replicas.forClient(httpClientId, actor));
      return httpOnce<object>(call, async () => {
        const files = await filesOfBlock(workspace, id);
        const resolved = files.ok ? await files.value.resolve(author, id, keep, hash) : files;
        return resolved.ok ? ok({ success: true }) : resolved;
      });
    },
  }),
  jsonRoute({
    method: "POST",
    path: "/api/files/commit",
    section,
    description: "Commits the files that Heddle has written to a branch that no work tree has checked out.",
    body: v.object({
      folder_id: ofFolder,
      branch: v.pipe(
        v.string(),
        v.minLength(1),
        v.maxLength(200),
        v.description("Branch of the folder's repository."),
        v.examples(["heddle"]),
      ),
      message: v.pipe(
        v.string(),
        v.trim(),
        v.minLength(1),
        v.maxLength(10_000),
        v.description("The commit message."),
        v.examples(["Notes of today"]),
      ),
    }),
    answer: {
      type: "json",
      schema: v.object({
        commit: described(v.nullable(shown("5f2b7c1")), "null if nothing had changed."),
        left_out: described(
          v.array(
            v.object({
              path: shown("notes/today.md"),
              problem: shown("it was changed here and outside, and nobody has decided"),
            }),
          ),
          "Files that could not be committed: they stay in the branch unchanged.",
        ),
      }),
    },
    refusals: [
      "FILE_NOT_FOUND",
      "FOLDER_NOT_FOUND",
      "FOLDER_AWAY",
      "FOLDER_READ_ONLY",
      "INVALID_PARAMS",
      "FILE_FAILED",
    ],
    access: onWorkspace("workspace.manage"),
    async perform(call) {
      const { workspace, actor, body } = call;
      const { folder_id: folderId, branch, message } = body;
      const author = { name: actor.name, email: "heddle@localhost" };
      return httpOnce<object>(call, async () => {
        const files = await folderFiles(workspace, folderId);
        if (!files.ok) return files;
        const committed = await files.value.commit({ branch, message: `${message}\n`, author });
        return committed.ok ? ok({ commit: committed.value.commit, left_out: committed.value.leftOut }) : committed;
      });
    },
  }),
];
