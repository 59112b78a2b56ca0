import { memo } from "react";
import { type CommandId, isMac, keyTable, shownKeys } from "../../browser/keys.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import type { Deliver } from "../state/plan-send.ts";

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

/** The ways a message reaches the agent at work; Enter is the first. */
export const DeliverMenu = memo(function DeliverMenu(props: {
  readonly disabled: boolean;
  readonly onSend: (how: { readonly deliver: Deliver }) => void;
}) {
  const ways: readonly (readonly [Deliver, string, CommandId])[] = [
    ["steer", "At the agent’s next step", "send"],
    ["queue", "When the agent has finished", "send-queue"],
    ["interrupt", "Now: interrupt the agent", "send-interrupt"],
  ];
  return (
    <Menu
      label="When the agent gets this message"
      className="icon-button"
      align="end"
      face={<Icon name="chevron-down" size={15} />}
      items={ways.map(([deliver, label, command]) => ({
        label,
        note: shownKeys(keyTable[command].keys ?? "", isMac()),
        disabled: props.disabled,
        run: () => props.onSend({ deliver }),
      }))}
    />
  );
});

/** Submits the composer: sends, steers, or requests a reply to the last message. */
export const SendButton = memo(function SendButton(props: {
  readonly active: boolean;
  readonly asksAgain: boolean;
  readonly disabled: boolean;
  /** Why the person cannot write here; null: they can. */
  readonly forbidden: string | null;
}) {
  const { active, asksAgain, forbidden } = props;
  const sendOnly = shownKeys(keyTable["send-only"].keys, isMac());
  return (
    <button
      type="submit"
      className="button primary send"
      disabled={props.disabled || forbidden !== null}
      title={
        forbidden ??
        (active
          ? "Send the message; the agent reads it at its next step (Enter)"
          : asksAgain
            ? "Ask for a reply to the message above (Enter)"
            : `Send the message (Enter), or add it without asking for a reply (${sendOnly})`)
      }
      aria-label={asksAgain ? "Ask for a reply" : "Send"}
    >
      <Icon name="send" size={16} />
    </button>
  );
});
