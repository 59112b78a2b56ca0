import { memo, useEffect, useRef, useState } from "react";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { WaitingMessage } from "../../../../src/core/turn/state/waiting.ts";
import { textOf } from "../../../../src/core/message/content.ts";
import { useApp } from "../../ui/app-context.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import type { MenuItem } from "../../ui/menu/menu-items.tsx";
import { useGrowing } from "../../ui/size/use-growing.ts";
import { useObservable } from "../../ui/use-observable.ts";
import { useUnsaved } from "../../ui/kept/use-unsaved.ts";
import type { RunHead } from "../../view/run/run-head.ts";
import { isActive } from "../../view/run/shown-state.ts";
import type { WaitingActions } from "../state/waiting-actions.ts";

/** The messages that wait for the run, for everybody to see. */
export const WaitingMessages = memo(function WaitingMessages(props: {
  readonly run: RunHead;
  readonly actions: WaitingActions;
}) {
  const { run, actions } = props;
  const { client } = useApp();
  const self = useObservable(client.actor)?.id ?? null;
  if (run.waiting.length === 0) return null;
  return (
    <ul className="waiting-messages" aria-label="Messages that wait for the agent">
      {run.waiting.map((message, index) => (
        <WaitingRow
          key={message.id}
          message={message}
          own={message.actor.id === self}
          active={isActive(run)}
          neighbours={{ above: run.waiting[index - 1] ?? null, below: run.waiting.slice(index + 1) }}
          actions={actions}
        />
      ))}
    </ul>
  );
});

interface RowProps {
  readonly message: WaitingMessage;
  readonly own: boolean;
  /** Whether the agent is at work. */
  readonly active: boolean;
  readonly neighbours: { readonly above: WaitingMessage | null; readonly below: readonly WaitingMessage[] };
  readonly actions: WaitingActions;
}

function WaitingRow({ message, own, active, neighbours, actions }: RowProps) {
  const [edited, setEdited] = useState<WaitingMessage | null>(null);
  const isHeld = message.state === "held";
  const edit = (): void => void actions.hold(message).then(setEdited);
  return (
    <li className={`waiting-message ${isHeld ? "held" : ""}`}>
      <p className="waiting-note">
        {own ? null : <span className="waiting-author">{message.actor.name}</span>}
        {noteOf(message, edited !== null)}
      </p>
      {edited === null ? (
        <>
          <p className="waiting-words">{textOf(message.message)}</p>
          <div className="waiting-actions">
            {isHeld && (
              <button type="button" className="button" onClick={() => actions.send(message)}>
                Send
              </button>
            )}
            <button type="button" className="quiet-button" onClick={edit}>
              Edit
            </button>
            <button
              type="button"
              className="quiet-button"
              title={isHeld ? "Delete this message" : "Take this message back into the composer"}
              onClick={() => actions.withdraw(message, { discard: isHeld })}
            >
              {isHeld ? "Discard" : "Withdraw"}
            </button>
            <Menu
              label="More for this waiting message"
              className="icon-button"
              align="end"
              face={<Icon name="more" size={15} />}
              items={itemsOf({ message, active, neighbours, actions })}
            />
          </div>
        </>
      ) : (
        <Editing
          id={edited.id}
          text={textOf(edited.message)}
          onSave={(text) => {
            setEdited(null);
            void actions.save(edited, text, { release: active });
          }}
          onCancel={() => {
            setEdited(null);
            if (active) actions.release(edited);
          }}
        />
      )}
    </li>
  );
}

function Editing(props: {
  readonly id: NodeId;
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const { text, write, forget } = useUnsaved(`waiting.${props.id}`, props.text);
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowing(field, text);
  useEffect(() => field.current?.focus(), []);
  const save = (): void => {
    forget();
    props.onSave(text);
  };
  const cancel = (): void => {
    forget();
    props.onCancel();
  };
  return (
    <form
      className="waiting-edit"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        ref={field}
        aria-label="Edit the waiting message"
        rows={1}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            if (text.trim() !== "") save();
          } else if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            cancel();
          }
        }}
      />
      <div className="waiting-actions">
        <button type="submit" className="button primary" disabled={text.trim() === ""}>
          Save
        </button>
        <button type="button" className="quiet-button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function noteOf({ state, deliver }: WaitingMessage, isEdited: boolean): string {
  if (isEdited) return "Held while you edit it";
  if (state === "held") return "Held · not sent until you send it";
  return deliver === "steer" ? "Waits for the agent’s next step" : "Waits until the agent has finished";
}

function itemsOf({ message, active, neighbours, actions }: Omit<RowProps, "own">): readonly MenuItem[] {
  const { above, below } = neighbours;
  const [next, afterNext] = below;
  const waits = message.state === "waiting" && active;
  return [
    ...(waits
      ? [
          {
            label: "Read at the next step",
            checked: message.deliver === "steer",
            run: () => actions.deliver(message, "steer"),
          },
          {
            label: "Send when the agent has finished",
            checked: message.deliver === "queue",
            run: () => actions.deliver(message, "queue"),
          },
          { label: "Interrupt the agent with it", run: () => actions.deliver(message, "interrupt") },
        ]
      : []),
    { label: "Move up", disabled: above === null, run: () => actions.move(message, above?.id ?? null) },
    {
      label: "Move down",
      disabled: next === undefined,
      run: () => actions.move(message, afterNext?.id ?? null),
    },
  ];
}
