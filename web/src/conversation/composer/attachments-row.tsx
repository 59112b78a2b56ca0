import { useRef } from "react";
import { Icon } from "../../ui/icons.tsx";
import type { Attachments } from "../state/use-attachments.ts";

/** The files that go with the next message, each with a way to leave it out. */
export function AttachmentsRow({ attachments }: { readonly attachments: Attachments }) {
  if (attachments.list.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attached">
      {attachments.list.map(({ key, name, blobId }) => (
        <li key={key} className="attachment" aria-busy={blobId === null}>
          <Icon name="document" size={14} />
          <span className="attachment-name">{name}</span>
          {blobId === null && <span className="quiet">…</span>}
          <button
            type="button"
            className="icon-button"
            aria-label={`Leave out ${name}`}
            onClick={() => attachments.remove(key)}
          >
            <Icon name="close" size={13} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Opens the browser's choice of files; files can be dropped on the composer or pasted as well. */
export function AttachButton({ attachments }: { readonly attachments: Attachments }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-hidden="true"
        data-testid="attach-files"
        accept="image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.json,.csv"
        onChange={(event) => {
          attachments.add([...(event.target.files ?? [])]);
          // The same file may be chosen again.
          event.target.value = "";
        }}
      />
      <button
        type="button"
        className="icon-button"
        aria-label="Attach files"
        title="Attach images or files; they can be dropped or pasted here too"
        onClick={() => field.current?.click()}
      >
        <Icon name="plus" size={16} />
      </button>
    </>
  );
}
