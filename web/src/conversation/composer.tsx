import { type KeyboardEvent, memo, useLayoutEffect, useRef } from "react";
import type { WorkspaceView } from "../../../src/client/types.ts";
import { Icon } from "../app/icons.tsx";
import { isMac, shownKeys } from "../app/keys.ts";
import { AttachButton, AttachmentsRow } from "./attachments-row.tsx";
import type { Attachments } from "./use-attachments.ts";

const replyCounts = [1, 2, 3, 5, 10];

/** Where a message is written. Typing is never blocked: while the agent works, sending queues. */
export const Composer = memo(function Composer(props: {
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  readonly onSend: () => void;
  readonly onCancel: () => void;
  readonly onModel: (modelId: string) => void;
  readonly work: "none" | "running" | "cancelling";
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  /** How many replies are asked for side by side. */
  readonly replies: number;
  readonly onReplies: (count: number) => void;
  readonly attachments: Attachments;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const active = props.work !== "none";
  useGrowing(field, props.draft);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      props.onSend();
    }
  };

  const knows = props.models.some((candidate) => candidate.id === props.modelId);
  return (
    <form
      className="composer"
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSend();
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      }}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        props.attachments.add([...event.dataTransfer.files]);
      }}
    >
      <AttachmentsRow attachments={props.attachments} />
      <textarea
        ref={field}
        aria-label="Message"
        rows={1}
        placeholder={active ? "Write the next message; it is queued" : "Ask, or say what to change"}
        value={props.draft}
        onChange={(event) => props.onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          props.attachments.add([...event.clipboardData.files]);
        }}
        enterKeyHint="send"
      />
      <div className="composer-row">
        <AttachButton attachments={props.attachments} />
        <label className="model-picker">
          <span className="visually-hidden">Model</span>
          <select aria-label="Model" value={props.modelId} onChange={(event) => props.onModel(event.target.value)}>
            {!knows && <option value={props.modelId}>{props.modelId === "" ? "No model" : props.modelId}</option>}
            {props.models.map((candidate) => (
              <option key={candidate.id} value={candidate.id}>
                {candidate.name}
                {candidate.local ? " · local" : ""}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" size={13} />
        </label>
        <label className="model-picker replies-picker" title="How many replies to ask for, side by side">
          <span className="visually-hidden">Replies</span>
          <select
            aria-label="Replies"
            value={props.replies}
            onChange={(event) => props.onReplies(Number(event.target.value))}
          >
            {replyCounts.map((count) => (
              <option key={count} value={count}>
                ×{count}
              </option>
            ))}
          </select>
        </label>
        <span className="composer-hint">{shownKeys("Shift+Enter", isMac())} new line</span>
        {active && (
          <button
            type="button"
            className="button cancel"
            disabled={props.work === "cancelling"}
            onClick={props.onCancel}
            title="Stop the agent (Esc)"
          >
            <Icon name="stop" size={14} />
            Cancel
          </button>
        )}
        <button
          type="submit"
          className="button primary send"
          disabled={props.attachments.pending || (props.draft.trim() === "" && props.attachments.list.length === 0)}
          title={active ? "Queue the message (Enter)" : "Send the message (Enter)"}
          aria-label="Send"
        >
          <Icon name="send" size={16} />
        </button>
      </div>
    </form>
  );
});

/** Lets a text field be as high as its text; the style sheet sets the most. */
export function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight + 2}px`;
  }, [field, text]);
}
