import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { CommandAnswer, CommandParams } from "../../core/protocol/commands.ts";
import type { WorkspaceFiles } from "../files/workspace-files.ts";

/** The message when a file is requested from a server without a folder. */
export const noFolderWords = "This workspace has no folder of files. Start the server with --workspace DIR.";

/** More than anyone reads in a list; letters narrow it down. */
const listedMax = 500;

/** Returns the files whose path contains these letters: open files first, each part sorted by path. */
export async function listFiles(
  files: WorkspaceFiles | null,
  { containing = "", openedOnly = false }: CommandParams<"file.list">,
): Promise<Result<CommandAnswer<"file.list">, Refusal>> {
  if (files === null) return ok({ folder: null, files: [], truncated: false });
  const listed = openedOnly ? ok({ files: await files.opened(), truncated: false }) : await files.list("");
  if (!listed.ok) return listed;
  const wanted = containing.toLowerCase();
  const found = listed.value.files.filter(({ path }) => path.toLowerCase().includes(wanted));
  const ordered = [
    ...found.filter(({ blockId }) => blockId !== null),
    ...found.filter(({ blockId }) => blockId === null),
  ];
  return ok({
    folder: files.folder,
    files: ordered.slice(0, listedMax),
    truncated: listed.value.truncated || ordered.length > listedMax,
  });
}
