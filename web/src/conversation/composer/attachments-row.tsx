import { memo, useRef } from "react";
import { Icon } from "../../ui/icons.tsx";
import type { PendingAttachment } from "../kept/attachments.ts";

/** The attachments of the next message, each with a button to remove it. */
export const AttachmentsRow = memo(function AttachmentsRow(props: {
  readonly files: readonly PendingAttachment[];
  readonly onRemove: (key: string) => void;
}) {
  if (props.files.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attached">
      {props.files.map(({ key, name, blobId }) => (
        <li key={key} className="attachment" aria-busy={blobId === null}>
          <Icon name="document" size={14} />
          <span className="attachment-name">{name}</span>
          {blobId === null && <span className="quiet">…</span>}
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${name}`}
            onClick={() => props.onRemove(key)}
          >
            <Icon name="close" size={13} />
          </button>
        </li>
      ))}
    </ul>
  );
});

/** Opens the browser's file dialog; files can also be dropped on the composer or pasted. */
export const AttachButton = memo(function AttachButton(props: { readonly onAdd: (files: readonly File[]) => void }) {
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
          props.onAdd([...(event.target.files ?? [])]);
          // Reset, so that the same file can be chosen again.
          event.target.value = "";
        }}
      />
      <button
        type="button"
        className="icon-button"
        aria-label="Attach files"
        title="Attach images or files. You can also drop or paste them here."
        onClick={() => field.current?.click()}
      >
        <Icon name="plus" size={16} />
      </button>
    </>
  );
});
