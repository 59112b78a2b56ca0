import { useEffect, useState } from "react";
import type { FolderId } from "../../../src/core/base/ids.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { folderFile } from "./folder-file.ts";
import { PdfPages } from "./lazy-pdf-pages.tsx";

interface FilePreviewProps {
  readonly folderId: FolderId;
  readonly path: string;
  readonly onAttach: (file: File) => void;
  readonly onClose: () => void;
}

/** Shows an image of the folder, or the pages of a PDF, and attaches it to the message. */
export function FilePreview({ folderId, path, onAttach, onClose }: FilePreviewProps) {
  const found = useFolderFile(folderId, path);
  return (
    <Dialog title={path} className="file-preview" onClose={onClose}>
      {found === "missing" && <p role="status">This file cannot be shown.</p>}
      {found === null && <p aria-busy="true">Loading…</p>}
      {found !== null && found !== "missing" && (
        <>
          {found.file.type.startsWith("image/") ? <img src={found.url} alt={path} /> : <Document {...found} />}
          <div className="button-row end">
            <button
              type="button"
              className="button primary"
              onClick={() => {
                onAttach(found.file);
                onClose();
              }}
            >
              Attach to the message
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Returns a file of the folder as the browser has files; null while it loads. */
function useFolderFile(
  folderId: FolderId,
  path: string,
): { readonly file: File; readonly url: string } | "missing" | null {
  const { client, tell } = useApp();
  const [found, setFound] = useState<{ readonly file: File; readonly url: string } | "missing" | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    let url: string | null = null;
    const load = async (): Promise<void> => {
      const file = await folderFile(client, { folderId, path, signal: abort.signal });
      if (abort.signal.aborted) return;
      if (file instanceof File) {
        url = URL.createObjectURL(file);
        setFound({ file, url });
      } else {
        if (file !== null) tell(file);
        setFound("missing");
      }
    };
    void load();
    return () => {
      abort.abort();
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, [client, tell, folderId, path]);
  return found;
}

/** The pages of a PDF, or what else the file is. */
function Document({ file, url }: { readonly file: File; readonly url: string }) {
  const saved = (
    <p>
      A {kindOf(file.type)} of {sizeWords(file.size)}.{" "}
      <a href={url} download={file.name}>
        Save it
      </a>{" "}
      to open it in another program.
    </p>
  );
  if (file.type !== "application/pdf") return saved;
  const failed = <p role="status">This PDF cannot be shown: it is damaged, or needs a password.</p>;
  return (
    <>
      <PdfPages file={file} otherwise={failed} />
      {saved}
    </>
  );
}

function kindOf(type: string): string {
  return type === "application/pdf" ? "PDF" : "file";
}

function sizeWords(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
