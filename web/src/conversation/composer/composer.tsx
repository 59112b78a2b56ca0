import { type KeyboardEvent, memo, useRef } from "react";
import type { WorkspaceView } from "../../../../src/client/types.ts";
import { Icon } from "../../ui/icons.tsx";
import { isMac, keyTable, shownKeys, strokeIs } from "../../browser/keys.ts";
import { useGrowing } from "../../ui/use-growing.ts";
import { moveMessage } from "../../browser/focus.ts";
import { activePreset, type Presets, presetWords } from "../state/presets.ts";
import { AttachButton, AttachmentsRow } from "./attachments-row.tsx";
import { PastedRow } from "./pasted-row.tsx";
import { becomesOwnMessage } from "./pasted-text.ts";
import type { Attachments } from "../state/use-attachments.ts";

const replyCounts = [1, 2, 3, 5, 10];

/** Where a message is written. Typing is never blocked: while the agent works, sending queues. */
export const Composer = memo(function Composer(props: {
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  /** A long text that goes before the message; "" for none. */
  readonly pasted: string;
  readonly onPasted: (text: string) => void;
  readonly onSend: (how?: { readonly ask: boolean }) => void;
  /** Whether the conversation is there: where a message would stand is not known before. */
  readonly isOpen: boolean;
  /** Whether what stands last waits for a reply, so that nothing need be written to ask for one. */
  readonly unanswered: boolean;
  readonly onCancel: () => void;
  readonly onModel: (modelId: string) => void;
  readonly work: "none" | "running" | "cancelling";
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  /** How many replies are asked for side by side; null leaves it to the preset. */
  readonly replies: number | null;
  readonly onReplies: (count: number | null) => void;
  readonly presets: Presets;
  readonly attachments: Attachments;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const active = props.work !== "none";
  useGrowing(field, props.draft);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (strokeIs(keyTable["send-only"].keys, event.nativeEvent, isMac())) {
      event.preventDefault();
      props.onSend({ ask: false });
    } else if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      props.onSend();
    } else if (event.key === "Escape" && !active) {
      // What was written stays; the way back is C.
      event.preventDefault();
      moveMessage("last");
    }
  };
  const empty = props.draft.trim() === "" && props.pasted === "" && props.attachments.list.length === 0;
  const asksAgain = empty && props.unanswered && !active;
  const preset = activePreset(props.presets);
  const ownCount = preset?.n === undefined ? 1 : "preset";

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
      <PastedRow
        text={props.pasted}
        onInsert={() => {
          props.onDraft(props.draft === "" ? props.pasted : `${props.pasted}\n\n${props.draft}`);
          props.onPasted("");
          field.current?.focus();
        }}
        onRemove={() => {
          props.onPasted("");
          field.current?.focus();
        }}
      />
      <AttachmentsRow attachments={props.attachments} />
      <textarea
        ref={field}
        aria-label="Message"
        rows={1}
        placeholder={placeholderOf({ active, asksAgain, pasted: props.pasted !== "" })}
        value={props.draft}
        onChange={(event) => props.onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const { files } = event.clipboardData;
          if (files.length > 0) {
            event.preventDefault();
            return props.attachments.add([...files]);
          }
          const text = event.clipboardData.getData("text/plain");
          if (active || !becomesOwnMessage(text, props)) return;
          event.preventDefault();
          props.onPasted(text);
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
            value={props.replies === null || props.replies === preset?.n ? ownCount : props.replies}
            onChange={(event) => props.onReplies(event.target.value === "preset" ? null : Number(event.target.value))}
          >
            {preset?.n !== undefined && <option value="preset">×{preset.n}</option>}
            {replyCounts
              .filter((count) => count !== preset?.n)
              .map((count) => (
                <option key={count} value={count}>
                  ×{count}
                </option>
              ))}
          </select>
        </label>
        {props.presets.presets.length > 0 && (
          <label
            className="model-picker preset-picker"
            title={preset === null ? "Preset" : `Preset: ${presetWords(preset)}`}
          >
            <span className="visually-hidden">Preset</span>
            <select
              aria-label="Preset"
              value={props.presets.active ?? ""}
              onChange={(event) => void props.presets.activate(event.target.value === "" ? null : event.target.value)}
            >
              <option value="">No preset</option>
              {props.presets.presets.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
            <Icon name="chevron-down" size={13} />
          </label>
        )}
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
          disabled={!props.isOpen || props.attachments.pending || (empty && !asksAgain)}
          title={
            active
              ? "Queue the message (Enter)"
              : asksAgain
                ? "Ask for a reply to the message above (Enter)"
                : `Send the message (Enter); without asking for a reply: ${shownKeys(keyTable["send-only"].keys, isMac())}`
          }
          aria-label={asksAgain ? "Ask for a reply" : "Send"}
        >
          <Icon name="send" size={16} />
        </button>
      </div>
    </form>
  );
});

function placeholderOf(at: {
  readonly active: boolean;
  readonly asksAgain: boolean;
  readonly pasted: boolean;
}): string {
  if (at.active) return "Write the next message; it is queued";
  if (at.asksAgain) return "Enter asks for a reply; or write on";
  return at.pasted ? "Ask about the pasted text" : "Ask, or say what to change";
}
