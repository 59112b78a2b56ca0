import { createPortal } from "react-dom";
import type { ShownPictures } from "../browser/shown-pictures.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { PicturesContext } from "../markdown/picture.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** A whole document to read: what is printed, or saved as a PDF by the browser's own dialog. */
export function ReadingDialog(props: {
  readonly title: string;
  readonly text: string;
  readonly pictures: ShownPictures;
  readonly onClose: () => void;
}) {
  return createPortal(
    <Dialog title={props.title} className="reading" onClose={props.onClose}>
      <div className="button-row end">
        <button type="button" className="button primary" onClick={() => window.print()}>
          Print, or save as PDF…
        </button>
      </div>
      <PicturesContext value={props.pictures}>
        <Markdown text={props.text} />
      </PicturesContext>
    </Dialog>,
    document.body,
  );
}
