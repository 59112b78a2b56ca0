import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import type { WorkspaceView } from "../../../src/client/types.ts";
import { Icon } from "../app/icons.tsx";
import { isMac, shownKeys } from "../app/keys.ts";
import { isActive } from "../view/shown-state.ts";
import type { ConversationModel } from "./use-conversation.ts";

/** Where a message is written. Typing is never blocked: while the agent works, sending queues. */
export function Composer(props: {
  readonly model: ConversationModel;
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
}) {
  const { model } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const active = model.run !== null && isActive(model.run);
  const cancelling = model.run?.state.type === "cancelling";
  useGrowing(field, model.draft);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      model.send();
    }
  };

  const knows = props.models.some((candidate) => candidate.id === props.modelId);
  return (
    <form
      className="composer"
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        model.send();
      }}
    >
      <textarea
        ref={field}
        aria-label="Message"
        rows={1}
        placeholder={active ? "Write the next message; it is queued" : "Ask, or say what to change"}
        value={model.draft}
        onChange={(event) => model.setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        enterKeyHint="send"
      />
      <div className="composer-row">
        <label className="model-picker">
          <span className="visually-hidden">Model</span>
          <select aria-label="Model" value={props.modelId} onChange={(event) => model.setModel(event.target.value)}>
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
        <span className="composer-hint">{shownKeys("Shift+Enter", isMac())} new line</span>
        {active && (
          <button
            type="button"
            className="button cancel"
            disabled={cancelling}
            onClick={model.cancel}
            title="Stop the agent (Esc)"
          >
            <Icon name="stop" size={14} />
            Cancel
          </button>
        )}
        <button
          type="submit"
          className="button primary send"
          disabled={model.draft.trim() === "" || model.rootId === null}
          title={active ? "Queue the message (Enter)" : "Send the message (Enter)"}
          aria-label="Send"
        >
          <Icon name="send" size={16} />
        </button>
      </div>
    </form>
  );
}

/** Lets a text field be as high as its text; the style sheet sets the most. */
export function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight + 2}px`;
  }, [field, text]);
}
