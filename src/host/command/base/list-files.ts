import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { CommandAnswer, CommandParams } from "../../../core/protocol/commands.ts";
import type { FolderId } from "../../../core/base/ids.ts";
import type { Reach } from "../../access/reach.ts";
import type { WorkspaceFile } from "../../files/workspace-files-types.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** More than anyone reads in a list; letters narrow it down. */
const listedMax = 500;

/** Returns the files whose path contains these letters: open files first, each part sorted by path. */
export async function listFiles(
  { folders, store }: Pick<Workspace, "folders" | "store">,
  { folderId = folders.defaultId ?? undefined, containing = "", openedOnly = false }: CommandParams<"file.list">,
  reach: Reach | null = null,
): Promise<Result<CommandAnswer<"file.list">, Refusal>> {
  if (folderId === undefined) return ok({ folderId: null, folder: null, files: [], truncated: false });
  const used = await folders.use(folderId);
  if (!used.ok) return used;
  const { files } = used.value;
  const listed = openedOnly ? ok({ files: await files.opened(), truncated: false }) : await files.list("");
  if (!listed.ok) return listed;
  const wanted = containing.toLowerCase();
  const seen = reach === null ? listed.value.files : await seenFiles(listed.value.files, { folderId, reach, store });
  const found = seen.filter(({ path }) => path.toLowerCase().includes(wanted));
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

/** Returns the files that a caller may know of: by their path, and by their document where they have one. */
async function seenFiles(
  files: readonly WorkspaceFile[],
  { folderId, reach, store }: { readonly folderId: FolderId; readonly reach: Reach } & Pick<Workspace, "store">,
): Promise<readonly WorkspaceFile[]> {
  const isSeen = await Promise.all(
    files.map(async ({ path, blockId }) => {
      const header = blockId === null ? null : await store.block(blockId);
      return header === null ? reach.folder(folderId, path) : reach.document(header);
    }),
  );
  return files.filter((_file, at) => isSeen[at]);
}
