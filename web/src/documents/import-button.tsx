import { useRef } from "react";
import type { BlockId } from "../../../src/core/base/ids.ts";
import { Icon } from "../ui/icons.tsx";
import { useOffered } from "../ui/menu/offered.ts";
import { useImport } from "./use-import.tsx";

/** Chooses files that become documents, and archives of other programs: what a drop does, by keys and on a phone too. */
export function ImportButton({ onOpen }: { readonly onOpen: (canvasId: BlockId) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  const { take, report } = useImport(onOpen);
  const choose = (): void => chooser.current?.click();
  useOffered("Document", [
    {
      label: "Import documents or an archive…",
      words: "upload add open markdown word docx zip chatgpt claude librechat open webui conversations",
      run: choose,
    },
  ]);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Import documents or an archive"
        title="Import: Markdown, text, Word, archives of ChatGPT, Claude, LibreChat, Open WebUI"
        onClick={choose}
      >
        <Icon name="import" size={15} />
      </button>
      <input
        ref={chooser}
        type="file"
        accept=".md,.markdown,.mdx,.txt,.text,.docx,.zip,.json"
        multiple
        hidden
        aria-label="Choose documents or an archive"
        onChange={({ currentTarget }) => {
          take([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      {report}
    </>
  );
}
