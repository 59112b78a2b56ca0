import { useEffect, useRef } from "react";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { Stored } from "../../browser/stored.ts";
import { useGrowing } from "../../ui/size/use-growing.ts";
import { useSending } from "../../ui/use-sending.ts";
import { unsavedText, useUnsaved } from "../../ui/kept/use-unsaved.ts";

/** One way to finish an edit; resolves to whether it succeeded. */
export interface EditWay {
  readonly label: string;
  readonly run: (text: string) => Promise<boolean>;
}

/** Returns the unsent edit of a message, which is kept until it is sent or discarded. */
export function unsentEdit(nodeId: NodeId): Stored<string> {
  return unsavedText(editKey(nodeId));
}

function editKey(nodeId: NodeId): string {
  return `edit.${nodeId}`;
}

/** The edit form of a message. Typed text is kept until it is sent or discarded, also when the form closes meanwhile. */
export function EditForm(props: {
  readonly nodeId: NodeId;
  readonly words: string;
  readonly label: string;
  readonly hint: string;
  /** The last is what Enter does; with `lines`, Ctrl+Enter. */
  readonly ways: readonly [EditWay, ...EditWay[]];
  readonly lines?: boolean;
  readonly onClose: () => void;
}) {
  const { nodeId, words, ways, lines = false, onClose } = props;
  const { text, write, forget } = useUnsaved(editKey(nodeId), words);
  const { sending, send } = useSending(onClose);
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowing(field, text);
  useEffect(() => {
    const element = field.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  const usual = ways.at(-1) ?? ways[0];
  const finish = ({ run }: EditWay): void => {
    if (text.trim() === "") return;
    void send(async () => {
      const done = await run(lines ? text : text.trim());
      if (done) forget();
      return done;
    });
  };
  return (
    <form
      className="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        finish(usual);
      }}
    >
      <textarea
        ref={field}
        aria-label={props.label}
        rows={1}
        value={text}
        readOnly={sending}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          const sends = lines ? event.ctrlKey || event.metaKey : !event.shiftKey;
          if (event.key === "Escape") {
            event.stopPropagation();
            onClose();
          } else if (event.key === "Enter" && sends) {
            event.preventDefault();
            finish(usual);
          }
        }}
      />
      <EditRow
        ways={ways}
        hint={sending ? "Sending…" : props.hint}
        sending={sending}
        isBlank={text.trim() === ""}
        onWay={finish}
        onDiscard={() => {
          forget();
          onClose();
        }}
      />
    </form>
  );
}

function EditRow(props: {
  readonly ways: readonly [EditWay, ...EditWay[]];
  readonly hint: string;
  readonly sending: boolean;
  readonly isBlank: boolean;
  readonly onWay: (way: EditWay) => void;
  readonly onDiscard: () => void;
}) {
  const { ways, sending, isBlank } = props;
  const isOff = sending || isBlank;
  return (
    <div className="edit-row">
      <span className="composer-hint">{props.hint}</span>
      <button type="button" className="button" disabled={sending} onClick={props.onDiscard}>
        Discard edit
      </button>
      {ways.slice(0, -1).map((way) => (
        <button key={way.label} type="button" className="button" disabled={isOff} onClick={() => props.onWay(way)}>
          {way.label}
        </button>
      ))}
      <button type="submit" className="button primary" disabled={isOff}>
        {(ways.at(-1) ?? ways[0]).label}
      </button>
    </div>
  );
}
