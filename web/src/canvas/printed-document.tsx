import { useEffect, useState } from "react";
import { createPortal, flushSync } from "react-dom";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { ShownPictures } from "../browser/shown-pictures.ts";
import { PicturesContext } from "../markdown/picture.tsx";
import { fetched } from "../ui/fetched.tsx";

const Markdown = fetched(
  async () => (await import("../markdown/markdown.tsx")).Markdown,
  ({ text }) => <pre>{text}</pre>,
  "start",
);

/**
 * What the browser's own print command prints: the whole document instead of the app with the lines on the screen. A dialog
 * that is open prints itself.
 */
export function PrintedDocument(props: {
  readonly replica: TextReplica;
  readonly markdown: boolean;
  readonly pictures: ShownPictures;
}) {
  const { replica } = props;
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    // The browser prints what is there when the event is over.
    const begin = (): void => {
      if (document.querySelector("dialog[open]") === null) flushSync(() => setText(replica.text()));
    };
    const end = (): void => setText(null);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, [replica]);
  if (text === null) return null;
  return createPortal(
    <main className="printed">
      <PicturesContext value={props.pictures}>
        {props.markdown ? <Markdown text={text} /> : <pre>{text}</pre>}
      </PicturesContext>
    </main>,
    document.body,
  );
}
