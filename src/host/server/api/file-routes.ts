import * as v from "valibot";
import { refusal } from "../../../core/base/errors.ts";
import { err, ok } from "../../../core/base/result.ts";
import { readsWorkspace, writesWorkspace } from "../../../core/protocol/base/access.ts";
import { decidedHash, fileCommands, filePath, keptSide, listedFile } from "../../../core/protocol/command/file.ts";
import { shown, blockId, described } from "../../../core/protocol/base/parts.ts";
import { madeBlockId } from "../../../core/protocol/shape/forest.ts";
import { noFolderWords } from "../../command/list-files.ts";
import { httpClientId } from "../../base/client-key.ts";
import { httpOnce } from "../http/http-once.ts";
import { jsonRoute, type Route } from "../http/route.ts";

const section = "Files of the workspace folder";

/** The files of the workspace folder. */
export const fileRoutes: readonly Route[] = [
  jsonRoute({
    method: "GET",
    path: "/api/files",
    section,
    description: "Lists the files of the workspace folder, in order of paths.",
    details: "A server without a folder (`--workspace DIR`) answers `FILE_NOT_FOUND` to all requests of this section.",
    query: v.object({ prefix: v.optional(described(v.string(), "Only files whose path begins with this."), "") }),
    answer: {
      type: "json",
      schema: v.object({
        folder: shown("/home/ada/notes"),
        files: v.array(listedFile),
        truncated: described(v.boolean(), "Whether there are more files."),
      }),
    },
    refusals: fileCommands["file.open"].refusals,
    access: readsWorkspace,
    async perform({ workspace: { files }, query }) {
      if (files === null) return noFolder;
      const listed = await files.list(query.prefix);
      return listed.ok ? ok({ folder: files.folder, ...listed.value }) : listed;
    },
  }),
  jsonRoute({
    method: "POST",
    path: "/api/files/open",
    section,
    description: fileCommands["file.open"].description,
    body: v.object({ path: filePath }),
    answer: { type: "json", schema: v.object({ block_id: madeBlockId }) },
    refusals: fileCommands["file.open"].refusals,
    access: writesWorkspace,
    async perform(call) {
      const { files } = call.workspace;
      if (files === null) return noFolder;
      return httpOnce<object>(call, async () => {
        const opened = await files.open(call.body.path);
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
    access: (_params, { block_id: id }) => ["write", { type: "block", id }],
    async perform(call) {
      const {
        workspace,
        actor,
        body: { block_id: id, keep, hash },
      } = call;
      const { files } = workspace;
      if (files === null) return noFolder;
      const author = workspace.author(actor, await workspace.replicas.forClient(httpClientId, actor));
      return httpOnce<object>(call, async () => {
        const resolved = await files.resolve(author, id, keep, hash);
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
    refusals: ["FILE_NOT_FOUND", "INVALID_PARAMS", "FILE_FAILED"],
    access: writesWorkspace,
    async perform(call) {
      const {
        workspace: { files },
        actor,
        body,
      } = call;
      if (files === null) return noFolder;
      const author = { name: actor.name, email: "heddle@localhost" };
      return httpOnce<object>(call, async () => {
        const committed = await files.commit({ ...body, message: `${body.message}\n`, author });
        return committed.ok ? ok({ commit: committed.value.commit, left_out: committed.value.leftOut }) : committed;
      });
    },
  }),
];

const noFolder = err(refusal("FILE_NOT_FOUND", {}, noFolderWords));
