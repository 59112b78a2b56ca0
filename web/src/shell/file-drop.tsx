import { type DragEvent, type ReactNode, useState } from "react";

/** Takes files that are dropped anywhere on what it frames, and says so while they are over it. */
export function FileDrop(props: {
  /** What happens to the files, such as "Drop to attach". */
  readonly words: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}) {
  const [over, setOver] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes("Files");
  return (
    <div
      className="file-drop"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        setOver(true);
      }}
      onDragLeave={(event) => {
        const { relatedTarget } = event;
        if (!(relatedTarget instanceof Node) || !event.currentTarget.contains(relatedTarget)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        // A part inside took them.
        if (!hasFiles(event) || event.defaultPrevented) return;
        event.preventDefault();
        props.onFiles([...event.dataTransfer.files]);
      }}
    >
      {props.children}
      {over && (
        <p className="file-drop-words" aria-hidden="true">
          {props.words}
        </p>
      )}
    </div>
  );
}
