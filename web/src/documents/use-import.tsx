import { type ReactNode, useCallback, useState } from "react";
import type { BlockId } from "../../../src/core/base/ids.ts";
import { uploadBlob } from "../browser/blob-client.ts";
import { asPicture } from "../browser/shown-pictures.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type ImportedFile, importFiles, isArchive } from "./import-files.ts";

/** Makes documents of files that are dropped; `report` says what was left out, when anything was. */
export function useImport(onOpen: (canvasId: BlockId) => void): {
  readonly take: (files: readonly File[]) => void;
  readonly report: ReactNode;
} {
  const { client, tell } = useApp();
  const [shown, setShown] = useState<readonly ImportedFile[] | null>(null);
  const take = useCallback(
    (files: readonly File[]) => {
      const readDocx = async (file: File) => (await import("../export/from-docx.ts")).readDocx(file, keepPicture);
      const addArchive = async (file: File) =>
        (await import("../archive/import-archive.ts")).importArchive(file, client);
      if (files.some(({ name }) => isArchive(name))) tell("Adding the archive’s conversations. Keep this page open.");
      void importFiles(files, { client, readDocx, addArchive }).then((imported) => {
        const made = imported.filter(({ canvasId }) => canvasId !== null);
        const first = made[0]?.canvasId ?? null;
        if (first !== null) onOpen(first);
        if (imported.some(({ leftOut }) => leftOut.length > 0)) setShown(imported);
        else tell(made.length === 1 ? "One document was made." : `${made.length} documents were made.`);
      });
    },
    [client, tell, onOpen],
  );
  return { take, report: shown === null ? null : <ImportReport files={shown} onClose={() => setShown(null)} /> };
}

/** Keeps a picture of a Word document as an upload; null for one that browsers do not show. */
async function keepPicture(picture: File): Promise<string | null> {
  if ((await asPicture(picture)) === null) return null;
  const uploaded = await uploadBlob(picture);
  return uploaded.ok ? `blob:${uploaded.value.id}` : null;
}

function ImportReport({ files, onClose }: { readonly files: readonly ImportedFile[]; readonly onClose: () => void }) {
  return (
    <Dialog title="What was imported" onClose={onClose}>
      <ul className="import-report">
        {files.map((file, index) => (
          <li key={index}>
            <strong>{file.name}</strong> {outcome(file)}
            {file.leftOut.length > 0 && (
              <ul>
                {file.leftOut.map((words) => (
                  <li key={words}>{file.canvasId === null ? words : `Left out: ${words}`}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function outcome({ canvasId, isArchive = false }: ImportedFile): string {
  if (isArchive) return "was imported.";
  return canvasId === null ? "was not imported." : "is a document now.";
}
