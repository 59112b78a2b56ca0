import { Icon } from "../ui/icons.tsx";
import { isMac, keyTable, shownKeys } from "../browser/keys.ts";
import { useKeyboardInset } from "../ui/size/use-keyboard-inset.ts";
import { useMedia } from "../ui/use-observable.ts";
import { type Intent, intents } from "./comment-words.ts";

/** A selection in the editor. Offsets are the replica's; the corner is in CSS pixels from the editor's top left. */
export interface ShownSelection {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

const keysOf = { ask: "ask-selection", edit: "edit-selection", comment: "comment" } as const;

/** What can be done with the selected words. It never takes the focus from the text. */
export function SelectionBar(props: {
  readonly selection: ShownSelection;
  readonly onIntent: (intent: Intent) => void;
}) {
  const { left, top, bottom } = props.selection;
  const narrow = useMedia("(max-width: 719px)");
  const keyboard = useKeyboardInset();
  // Above the words, or below them where there is no room above; on a phone at the foot of the text, and above the keyboard.
  const beside = { insetInlineStart: Math.max(8, left), insetBlockStart: top >= 96 ? top - 44 : bottom + 6 };
  return (
    <div
      className="selection-bar"
      role="toolbar"
      aria-label="Selected words"
      data-docked={narrow}
      data-keyboard={keyboard > 0}
      style={narrow ? { insetBlockEnd: keyboard } : beside}
      // The selection stays while a button is pressed.
      onMouseDown={(event) => event.preventDefault()}
    >
      {(["ask", "edit", "comment"] as const).map((intent) => (
        <button
          key={intent}
          type="button"
          className="quiet-button"
          title={`${intents[intent].label} (${shownKeys(keyTable[keysOf[intent]].keys, isMac())})`}
          onClick={() => props.onIntent(intent)}
        >
          <Icon name={intent === "ask" ? "chat" : intent === "edit" ? "pencil" : "comment"} size={15} />
          {intents[intent].label}
        </button>
      ))}
    </div>
  );
}
