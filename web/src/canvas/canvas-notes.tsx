import { lostIn, pushRetry } from "../../../src/client/base/refused-edits.ts";
import type { LeaseView } from "../../../src/client/base/types.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { EditPolicy } from "../../../src/core/block/types.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { shortName } from "../view/words/words.ts";
import { LeaseChip } from "./lease-chip.tsx";

/** Notes above the text: who can only read, the agent at work, why a key had no effect, edits that were refused. */
export function CanvasNotes(props: {
  readonly lease: LeaseView;
  readonly policy: EditPolicy;
  /** What the person can do who cannot edit; null: they can. */
  readonly reads: string | null;
  /** Time of the last key that the lease blocked; 0 for none. A change shows the explanation again. */
  readonly blocked: number;
  readonly onTake: () => void;
  readonly refused: Refusal | null;
  readonly onDismiss: () => void;
}) {
  const { lease, policy, reads, blocked, refused } = props;
  const { held } = lease;
  return (
    <div className="canvas-notes">
      {reads !== null && (
        <p className="reads-only">
          <Icon name="lock" size={14} /> {reads}
        </p>
      )}
      <LeaseChip lease={lease} policy={policy} reads={reads} onTake={props.onTake} />
      {reads === null && policy === "lease" && held !== null && blocked > 0 && (
        <p className="blocked" key={blocked} role="alert">
          <Icon name="lock" size={14} />
          <span>
            {shortName(held.holderName)} has this text to itself until it is done, so that key did nothing. Press{" "}
            <kbd>Esc</kbd> or “Take control” to stop it and type.
          </span>
        </p>
      )}
      {refused !== null && <RefusedEdit refused={refused} onDismiss={props.onDismiss} />}
    </div>
  );
}

function RefusedEdit({ refused, onDismiss }: { readonly refused: Refusal; readonly onDismiss: () => void }) {
  const lost = lostIn(refused);
  const text = lost ?? "";
  const waits = lost === null && pushRetry(refused).shown;
  return (
    <div className="refused-edit" role="alert">
      <Icon name="alert" size={15} />
      <div>
        <p>
          {refused.message}{" "}
          {waits && "Your edits are kept on this page and sent again until the server saves them. Keep the page open."}
          {lost !== null && "Your edit was removed from the text; you can copy it here."} <code>{refused.code}</code>
        </p>
        {text !== "" && <pre aria-label="What you typed">{text}</pre>}
      </div>
      {text !== "" && <CopyButton text={text} label="Copy what you typed" />}
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={onDismiss}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}
