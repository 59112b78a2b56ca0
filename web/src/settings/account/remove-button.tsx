import { useState } from "react";

/** Removes in two steps that lie at different places: the first click asks, and offers to keep what is there. */
export function RemoveButton(props: {
  /** What the first button is called, for those who do not see what it is beside. */
  readonly label: string;
  /** The words of the second button. */
  readonly now: string;
  /** What the second button is called where its words do not say it. */
  readonly nowLabel?: string;
  readonly onRemove: () => void;
}) {
  const { label, now, nowLabel, onRemove } = props;
  const [isSure, setSure] = useState(false);
  if (!isSure) {
    return (
      <button type="button" className="button small" aria-label={label} onClick={() => setSure(true)}>
        Remove…
      </button>
    );
  }
  return (
    <>
      <button type="button" className="button small" onClick={() => setSure(false)}>
        Keep
      </button>
      <button type="button" className="button small danger" aria-label={nowLabel} onClick={onRemove}>
        {now}
      </button>
    </>
  );
}
