import { memo } from "react";
import { isMac, keyTable, shownKeys } from "../../browser/keys.ts";
import { Icon } from "../../ui/icons.tsx";

export const CancelButton = memo(function CancelButton(props: {
  readonly cancelling: boolean;
  readonly onCancel: () => void;
}) {
  return (
    <button
      type="button"
      className="button cancel"
      disabled={props.cancelling}
      onClick={props.onCancel}
      title="Stop the agent (Esc)"
    >
      <Icon name="stop" size={14} />
      Cancel
    </button>
  );
});

/** Submits the composer: sends, queues, or requests a reply to the last message. */
export const SendButton = memo(function SendButton(props: {
  readonly active: boolean;
  readonly asksAgain: boolean;
  readonly disabled: boolean;
}) {
  const { active, asksAgain } = props;
  const sendOnly = shownKeys(keyTable["send-only"].keys, isMac());
  return (
    <button
      type="submit"
      className="button primary send"
      disabled={props.disabled}
      title={
        active
          ? "Queue the message (Enter)"
          : asksAgain
            ? "Ask for a reply to the message above (Enter)"
            : `Send the message (Enter), or add it without asking for a reply (${sendOnly})`
      }
      aria-label={asksAgain ? "Ask for a reply" : "Send"}
    >
      <Icon name="send" size={16} />
    </button>
  );
});
