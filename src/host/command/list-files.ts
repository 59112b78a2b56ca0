import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { CommandAnswer, CommandParams } from "../../core/protocol/commands.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** More than anyone reads in a list; letters narrow it down. */
const listedMax = 500;

/** Returns the files whose path contains these letters: open files first, each part sorted by path. */
export async function listFiles(
  { folders }: Pick<Workspace, "folders">,
  { folderId = folders.defaultId ?? undefined, containing = "", openedOnly = false }: CommandParams<"file.list">,
): Promise<Result<CommandAnswer<"file.list">, Refusal>> {
  if (folderId === undefined) return ok({ folderId: null, folder: null, files: [], truncated: false });
  const used = await folders.use(folderId);
  if (!used.ok) return used;
  const { files } = used.value;
  const listed = openedOnly ? ok({ files: await files.opened(), truncated: false }) : await files.list("");
  if (!listed.ok) return listed;
  const wanted = containing.toLowerCase();
  const found = listed.value.files.filter(({ path }) => path.toLowerCase().includes(wanted));
  const ordered = [
    ...found.filter(({ blockId }) => blockId !== null),
    ...found.filter(({ blockId }) => blockId === null),
  ];
  return ok({
    folderId,
    folder: files.folder,
    files: ordered.slice(0, listedMax),
    truncated: listed.value.truncated || ordered.length > listedMax,
  });
}
