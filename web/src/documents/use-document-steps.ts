import { useMemo, useRef } from "react";
import type { BlockId, FolderId, TrashId } from "../../../src/core/base/ids.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import { tidyFolderPath } from "../../../src/core/forest/folder-path.ts";
import { folderFile } from "../files/folder-file.ts";
import { nameAndFolder } from "../files/file-words.ts";
import type { Files } from "../files/use-files.ts";
import { type Deletions, useDeletions } from "../trash/use-deletions.ts";
import { useApp } from "../ui/app-context.ts";
import { type Document, type DocumentRow, parentPath } from "./document-rows.ts";

/** Where documents are moved: a document folder, or a folder of files. */
export type Destination =
  | { readonly type: "canvases"; readonly folderPath: string }
  | { readonly type: "files"; readonly folderId: FolderId; readonly path: string };

/** What a person does to documents of the tree. */
export interface DocumentSteps {
  /** Creates a canvas and opens it; returns its id. */
  readonly create: (folderPath: string) => Promise<BlockId | null>;
  /** Renames a document or a document folder; resolves to whether it has the name. */
  readonly rename: (row: DocumentRow, name: string) => Promise<boolean>;
  readonly duplicate: (rows: readonly Document[]) => void;
  readonly move: (rows: readonly DocumentRow[], to: Destination) => Promise<boolean>;
  readonly mark: (rows: readonly Document[], marks: { readonly pinned?: boolean; readonly archived?: boolean }) => void;
  readonly remove: (rows: readonly Document[]) => void;
  /** Restores what was deleted last from the tree. */
  readonly undo: () => void;
  /** Puts a file's text as it is now into the message that is being written. */
  readonly attach: (row: DocumentRow) => void;
}

interface World {
  readonly files: Files;
  readonly onFile: (path: string) => void;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onAttach: (file: File) => void;
}

type Refused = { readonly ok: false; readonly error: Refusal };
type Done = { readonly ok: true } | Refused;

export function useDocumentSteps(world: World): DocumentSteps {
  const app = useApp();
  const deletions = useDeletions();
  const latest = useRef({ ...world, ...app, deletions });
  latest.current = { ...world, ...app, deletions };
  const deleted = useRef<(readonly TrashId[])[]>([]);
  return useMemo(() => createSteps(() => latest.current, deleted.current), []);
}

type Now = () => World & ReturnType<typeof useApp> & { readonly deletions: Deletions };

function createSteps(now: Now, deleted: (readonly TrashId[])[]): DocumentSteps {
  /** Reports the first refusal; resolves to whether there was none. */
  const all = async (steps: readonly Promise<Done>[]): Promise<boolean> => {
    const refused = (await Promise.all(steps)).find((done): done is Refused => !done.ok);
    if (refused !== undefined) now().tell(refused.error);
    now().files.refresh();
    return refused === undefined;
  };
  const { restore, undo } = createRestoring(now, deleted);
  return {
    async create(folderPath) {
      const { client, tell, onCanvas } = now();
      const made = await client.call("canvas.create", {
        title: "Untitled",
        ...(folderPath === "" ? {} : { folderPath }),
      });
      if (!made.ok) {
        tell(made.error);
        return null;
      }
      onCanvas(made.value.canvasId);
      return made.value.canvasId;
    },
    rename: (row, name) =>
      renamed(now, row, name.trim()).then((done) => all(done === null ? [] : [Promise.resolve(done)])),
    duplicate(rows) {
      const { client } = now();
      void all(
        rows.map((row) =>
          row.type === "canvas" ? client.call("canvas.duplicate", { canvasId: row.canvas.id }) : copied(now, row),
        ),
      );
    },
    move: (rows, to) => all(rows.map((row) => moved(now, row, to))),
    mark(rows, marks) {
      const { client } = now();
      const canvases = rows.flatMap((row) => (row.type === "canvas" ? [row.canvas.id] : []));
      void all(canvases.map((canvasId) => client.call("canvas.arrange", { canvasId, ...marks })));
    },
    remove(rows) {
      void removeAll(now, rows).then((gone) => {
        if (gone.length === 0) return;
        deleted.push(gone);
        const [row] = rows;
        const said =
          rows.length === 1 && row !== undefined
            ? `“${nameOf(row)}” is in the trash.`
            : `${gone.length} documents are in the trash.`;
        const back = (): void => {
          const at = deleted.indexOf(gone);
          if (at !== -1) deleted.splice(at, 1);
          void restore(gone);
        };
        now().tell(said, { label: "Undo", about: gone.at(-1) ?? "", run: back });
        now().files.refresh();
      });
    },
    undo: () => void undo(),
    attach(row) {
      const { client, tell, onAttach } = now();
      if (row.type !== "file") return;
      const { folderId, file } = row;
      void folderFile(client, { folderId, path: file.path, signal: new AbortController().signal }).then((found) => {
        if (found instanceof File) onAttach(found);
        else tell(found ?? "The file could not be attached. Check the connection and try again.");
      });
    },
  };
}

/** What was deleted from the tree, and its way back. */
function createRestoring(now: Now, deleted: (readonly TrashId[])[]) {
  /** Restores a deletion; resolves to how many of its documents were still in the trash. */
  const restore = async (ids: readonly TrashId[]): Promise<number> => {
    const { deletions, tell, files } = now();
    const done = await Promise.all(ids.map((trashId) => deletions.restore(trashId, { keepBoth: true })));
    const refused = done.find((each): each is Refused => !each.ok && each.error.code !== "NOT_IN_TRASH");
    if (refused !== undefined) tell(refused.error);
    files.refresh();
    return done.filter(({ ok }) => ok).length;
  };
  const undo = async (): Promise<void> => {
    // What was restored in another way meanwhile is passed over.
    for (let ids = deleted.pop(); ids !== undefined; ids = deleted.pop()) {
      if ((await restore(ids)) > 0) return now().announce("Restored.");
    }
    now().announce("There is no deletion to undo in this list.");
  };
  return { restore, undo };
}

/** Returns the name of a document as people read it. */
function nameOf(row: Document): string {
  return row.type === "canvas" ? row.canvas.title : nameAndFolder(row.file.path).name;
}

/** null: there is nothing to rename. */
async function renamed(now: Now, row: DocumentRow, name: string): Promise<Done | null> {
  const { client } = now();
  if (name === "") return null;
  switch (row.type) {
    case "canvas":
      return name === row.canvas.title ? null : client.call("canvas.arrange", { canvasId: row.canvas.id, title: name });
    case "folder": {
      const to = tidyFolderPath(`${parentPath(row.path)}/${name}`);
      return to === row.path ? null : client.call("canvas.move-folder", { from: row.path, to });
    }
    case "file":
      return name === row.title ? null : movedFile(now, row, `${nameAndFolder(row.file.path).folder}${name}`);
    case "directory":
    case "disk":
    case "archive":
    case "more":
    case "note":
      return null;
  }
}

function moved(now: Now, row: DocumentRow, to: Destination): Promise<Done> {
  const { client } = now();
  if (row.type === "canvas" && to.type === "canvases") {
    return client.call("canvas.arrange", { canvasId: row.canvas.id, folderPath: to.folderPath });
  }
  if (row.type === "folder" && to.type === "canvases") {
    const name = row.path.slice(row.path.lastIndexOf("/") + 1);
    const path = to.folderPath === "" ? name : `${to.folderPath}/${name}`;
    return path === row.path
      ? Promise.resolve({ ok: true })
      : client.call("canvas.move-folder", { from: row.path, to: path });
  }
  if (row.type === "file" && to.type === "files" && row.folderId === to.folderId) {
    const { name } = nameAndFolder(row.file.path);
    return movedFile(now, row, to.path === "" ? name : `${to.path}/${name}`);
  }
  return Promise.resolve({ ok: false, error: elsewhere });
}

const elsewhere: Refusal = {
  code: "INVALID_PARAMS",
  message:
    "A canvas moves among the folders of canvases, and a file within its folder on disk. Nothing was moved. Attach or copy the text instead.",
  details: {},
};

async function movedFile(now: Now, row: Extract<DocumentRow, { readonly type: "file" }>, to: string): Promise<Done> {
  const { path } = row.file;
  if (to === path) return { ok: true };
  const wasShown = isShown(now, row);
  const done = await now().client.call("file.move", { folderId: row.folderId, path, to });
  if (done.ok) {
    now().announce(`${path} is ${done.value.path} now.`);
    if (wasShown) now().onFile(done.value.path);
  }
  return done;
}

function isShown(now: Now, { folderId, file }: Extract<DocumentRow, { readonly type: "file" }>): boolean {
  const { shown } = now().files;
  return shown !== null && shown.path === file.path && shown.folderId === folderId;
}

/** Copies a text file beside itself: it becomes a canvas with the file's text, which leaves the disk as it is. */
async function copied(now: Now, { folderId, file }: Extract<DocumentRow, { readonly type: "file" }>): Promise<Done> {
  const { client, onCanvas } = now();
  const found = await folderFile(client, { folderId, path: file.path, signal: new AbortController().signal });
  if (!(found instanceof File)) return found === null ? { ok: true } : { ok: false, error: found };
  const made = await client.call("canvas.create", {
    title: `${nameAndFolder(file.path).name} copy`,
    text: await found.text(),
  });
  if (made.ok) onCanvas(made.value.canvasId);
  return made;
}

/** Moves documents to the trash; resolves to the entries of those that are there. */
async function removeAll(now: Now, rows: readonly Document[]): Promise<readonly TrashId[]> {
  const gone: TrashId[] = [];
  for (const row of rows) {
    const { client, tell, files } = now();
    const wasShown = row.type === "file" && isShown(now, row);
    const done =
      row.type === "canvas"
        ? await client.call("block.delete", { blockId: row.canvas.id })
        : await client.call("file.delete", { folderId: row.folderId, path: row.file.path });
    if (done.ok) {
      gone.push(done.value.entry.id);
      if (wasShown) files.close();
    } else tell(done.error);
  }
  return gone;
}
