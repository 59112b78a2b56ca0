import { Icon } from "../../ui/icons.tsx";
import { excerpt } from "../../view/words/words.ts";

/** A long pasted text, which is sent as a separate message before the question. */
export function PastedRow(props: {
  readonly text: string;
  readonly onInsert: () => void;
  readonly onRemove: () => void;
}) {
  if (props.text === "") return null;
  return (
    <div className="pasted" role="group" aria-label="Pasted text">
      <Icon name="copy" size={14} />
      <span className="pasted-words">
        <strong>Pasted text, {props.text.length.toLocaleString()} characters.</strong> It is sent first, as a separate
        message: <span className="quiet">{excerpt(props.text, 80)}</span>
      </span>
      <span className="pasted-actions">
        <button type="button" className="button small" onClick={props.onInsert}>
          Insert into the message
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Remove the pasted text"
          title="Remove"
          onClick={props.onRemove}
        >
          <Icon name="close" size={13} />
        </button>
      </span>
    </div>
  );
}
