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
export function DocumentMenu(props: DocumentMenuProps) {
  const { replica, title, editor, pictures } = props;
  const [reads, setReads] = useState<Reading | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const acts = useDocumentActs(props);
  const items = itemsOf(props, { acts, read: setReads, choosePictures: () => chooser.current?.click() });
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

/** A dialog that the menu opens. */
type Reading = "text" | "table" | "share";

interface DocumentActs {
  readonly save: (form: ExportForm) => void;
  readonly copyText: (done: string) => void;
  readonly copyRich: () => void;
}

/** Saves and copies the document; each says what came of it. */
function useDocumentActs({ replica, title, pictures }: DocumentMenuProps): DocumentActs {
  const { tell } = useApp();
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
  return {
    save,
    copyText: (words) => done(navigator.clipboard.writeText(replica.text()), words, notCopied),
    copyRich: () => done(copyRich(), "The text is copied as rich text.", notCopied),
  };
}

function itemsOf(
  { title, markdown, editor }: DocumentMenuProps,
  {
    acts,
    read,
    choosePictures,
  }: {
    readonly acts: DocumentActs;
    readonly read: (what: Reading) => void;
    readonly choosePictures: () => void;
  },
): readonly MenuItem[] {
  const items: MenuItem[] = [
    {
      label: "Find and replace…",
      note: shownKeys("Mod+F", isMac()),
      words: "search text",
      run: () => editor?.find(),
    },
    ...(markdown
      ? [
          { label: "Insert a picture…", words: "image photo add upload", run: choosePictures },
          { label: "Read, print or save as PDF…", words: "export preview paper", run: () => read("text") },
          {
            label: "Copy as Markdown",
            run: () => acts.copyText("The text is copied as Markdown."),
          },
          { label: "Copy as rich text", run: acts.copyRich },
          { label: "Save as Markdown", words: "export download", run: () => acts.save("markdown") },
          { label: "Save as HTML", words: "export download web page", run: () => acts.save("html") },
          { label: "Save for Word (.docx)", words: "export download microsoft office", run: () => acts.save("docx") },
        ]
      : [
          ...(/\.(?:csv|tsv)$/iu.test(title) ? [{ label: "Show as a table", run: () => read("table") }] : []),
          {
            label: "Copy all",
            run: () => acts.copyText("The text is copied."),
          },
        ]),
  ];
  if (signedInMember() !== null) {
    items.push({ label: "Share…", words: "people rights link access invite", run: () => read("share") });
  }
  return items;
}
