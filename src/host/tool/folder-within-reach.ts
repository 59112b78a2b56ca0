import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, type Result } from "../../core/base/result.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { Reach } from "../access/reach.ts";
import type { FolderParts } from "../files/folder-types.ts";
import type { WorkspaceFile, WorkspaceFiles } from "../files/workspace-files-types.ts";
import { notSharedOr } from "./not-shared-here.ts";
import type { ToolPorts } from "./runnable.ts";

/** Returns a folder as a caller sees it who may not know of all that is in it: other files are not there. */
export function withinReach(
  parts: FolderParts,
  reach: Reach | null,
  store: Pick<ToolPorts["store"], "block">,
): FolderParts {
  if (reach === null) return parts;
  const { files, folder } = parts;
  const isSeen = async (path: string, blockId: BlockId | null): Promise<boolean> => {
    const header = blockId === null ? null : await store.block(blockId);
    return header === null ? reach.folder(folder.id, directory(path)) : reach.document(header);
  };
  const blockAt = async (path: string): Promise<BlockId | null> =>
    (await files.opened()).find((file) => file.path === path)?.blockId ?? null;
  const seen = async <File extends Pick<WorkspaceFile, "path" | "blockId">>(all: readonly File[]): Promise<File[]> => {
    const kept = await Promise.all(all.map(({ path, blockId }) => isSeen(path, blockId)));
    return all.filter((_file, at) => kept[at]);
  };
  /** Returns the answer for a path that the caller may not know of. */
  const hidden = async (path: string, blockId: BlockId | null): Promise<Result<never, Refusal>> => {
    const missing = refusal("FILE_NOT_FOUND", { path });
    const document = blockId === null ? null : await store.block(blockId);
    if (document !== null) return err(notSharedOr(missing, { document }, reach));
    const isHeldBack = reach.agent?.heldBack?.folder(folder.id, directory(path)) === true;
    return err(isHeldBack && (await files.bytes(path)).ok ? refusal("NOT_SHARED_HERE", { path }) : missing);
  };
  /** Performs a step on a path only where the caller may know of it. */
  const at = async <Value>(
    path: string,
    step: () => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> => {
    const blockId = await blockAt(path);
    return (await isSeen(path, blockId)) ? step() : hidden(path, blockId);
  };
  const narrowed: Partial<WorkspaceFiles> = {
    async list(prefix) {
      const found = await files.list(prefix);
      return found.ok ? { ok: true, value: { ...found.value, files: await seen(found.value.files) } } : found;
    },
    async paths() {
      const found = await files.paths();
      if (!found.ok) return found;
      const blocks = new Map((await files.opened()).map(({ path, blockId }) => [path as string, blockId]));
      const all = found.value.paths.map((path) => ({ path, blockId: blocks.get(path) ?? null }));
      return { ok: true, value: { ...found.value, paths: (await seen(all)).map(({ path }) => path) } };
    },
    opened: async () => seen(await files.opened()),
    async unopened(prefix) {
      const found = await files.unopened(prefix);
      if (!found.ok) return found;
      return { ok: true, value: found.value.filter(({ path }) => reach.folder(folder.id, directory(path))) };
    },
    open: (path) => at(path, () => files.open(path)),
    hold: (path) => at(path, () => files.hold(path)),
    read: (path) => at(path, () => files.read(path)),
    bytes: (path) => at(path, () => files.bytes(path)),
    peek: async (path) => ((await isSeen(path, await blockAt(path))) ? files.peek(path) : null),
    make: (author, path, text) => at(path, () => files.make(author, path, text)),
    whyTaken: async (path, mover) =>
      (await isSeen(path, await blockAt(path))) ? files.whyTaken(path, mover) : refusal("FILE_NOT_FOUND", { path }),
    move: (author, blockId, to, options) => at(to, () => files.move(author, blockId, to, options)),
  };
  return { ...parts, files: withMethods(files, narrowed) };
}

/** Returns an object with some of its methods replaced; the others run on the object itself. */
function withMethods<Target extends object>(target: Target, replaced: Partial<Target>): Target {
  return new Proxy(target, {
    get(_target, name) {
      const own: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name);
      return typeof own === "function" && !(name in replaced) ? (own.bind(target) as unknown) : own;
    },
  });
}

function directory(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
