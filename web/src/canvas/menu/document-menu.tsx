import { useRef, useState } from "react";
import type { TextReplica } from "../../../../src/client/base/types.ts";
import { isMac, shownKeys } from "../../browser/keys.ts";
import { signedInMember } from "../../browser/session.ts";
import type { CanvasEditor } from "../../editor/editor.ts";
import type { ExportForm } from "../../export/document-export.ts";
import type { DocumentPictures } from "../../pictures/use-pictures.ts";
import { useApp } from "../../ui/app-context.ts";
import { fetched } from "../../ui/fetched.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { MenuItem } from "../../ui/menu/menu-items.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { useOffered } from "../../ui/menu/offered.ts";

const TableDialog = fetched(async () => (await import("../../export/table-dialog.tsx")).TableDialog);
const ShareDialog = fetched(async () => (await import("../../share/share-dialog.tsx")).ShareDialog);
const ReadingDialog = fetched(async () => (await import("../../export/reading-dialog.tsx")).ReadingDialog);

interface DocumentMenuProps {
  readonly replica: TextReplica;
  readonly title: string;
  readonly markdown: boolean;
  readonly editor: CanvasEditor | null;
  readonly pictures: DocumentPictures;
}

/** What can be done with a whole document: find, insert, read, copy and save in other forms. */
export function DocumentMenu({ replica, title, markdown, editor, pictures }: DocumentMenuProps) {
  const { tell } = useApp();
  const [reads, setReads] = useState<"text" | "table" | "share" | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const done = (work: Promise<void>, words: string | null, otherwise: string): void => {
    void work.then(
      () => (words === null ? undefined : tell(words)),
      () => tell(otherwise),
    );
  };
  const save = (form: ExportForm): void => {
    const document = { title, text: replica.text(), pictures: pictures.shown };
    const saved = import("../../export/document-export.ts").then(({ saveAs }) => saveAs(document, form));
    done(
      saved,
      null,
      "The document could not be written in this form. Your text is unchanged; try again, or export it as Markdown.",
    );
  };
  const notCopied = "The browser did not allow copying. Select the text and copy it yourself.";
  const copyRich = async (): Promise<void> =>
    (await import("../../export/document-export.ts")).copyRich(replica.text());
  const items: MenuItem[] = [
    {
      label: "Find and replace…",
      note: shownKeys("Mod+F", isMac()),
      words: "search text",
      run: () => editor?.find(),
    },
    ...(markdown
      ? [
          { label: "Insert a picture…", words: "image photo add upload", run: () => chooser.current?.click() },
          { label: "Read, print or save as PDF…", words: "export preview paper", run: () => setReads("text") },
          {
            label: "Copy as Markdown",
            run: () =>
              done(navigator.clipboard.writeText(replica.text()), "The text is copied as Markdown.", notCopied),
          },
          { label: "Copy as rich text", run: () => done(copyRich(), "The text is copied as rich text.", notCopied) },
          { label: "Save as Markdown", words: "export download", run: () => save("markdown") },
          { label: "Save as HTML", words: "export download web page", run: () => save("html") },
          { label: "Save for Word (.docx)", words: "export download microsoft office", run: () => save("docx") },
        ]
      : [
          ...(/\.(?:csv|tsv)$/iu.test(title) ? [{ label: "Show as a table", run: () => setReads("table") }] : []),
          {
            label: "Copy all",
            run: () => done(navigator.clipboard.writeText(replica.text()), "The text is copied.", notCopied),
          },
        ]),
  ];
  if (signedInMember() !== null) {
    items.push({ label: "Share…", words: "people rights link access invite", run: () => setReads("share") });
  }
  useOffered("Document", items);
  return (
    <>
      <Menu
        label="This document: find, insert, copy, export"
        title="Find, insert, copy, export"
        className="icon-button"
        align="end"
        face={<Icon name="more" />}
        items={items}
      />
      <input
        ref={chooser}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp,image/svg+xml"
        multiple
        hidden
        aria-label="Choose pictures"
        onChange={({ currentTarget }) => {
          editor?.insertPictures([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      {reads === "text" && (
        <ReadingDialog title={title} text={replica.text()} pictures={pictures.shown} onClose={() => setReads(null)} />
      )}
      {reads === "share" && (
        <ShareDialog thing={{ type: "document", id: replica.blockId }} title={title} onClose={() => setReads(null)} />
      )}
      {reads === "table" && <TableDialog title={title} text={replica.text()} onClose={() => setReads(null)} />}
    </>
  );
}
