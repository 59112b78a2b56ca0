import { Icon } from "../../ui/icons.tsx";
import type { Siblings } from "../../view/branches/path.ts";

/** ‹ 2/3 ›: switches between the versions of a message. */
export function Versions({
  siblings,
  onStep,
}: {
  readonly siblings: Siblings;
  readonly onStep: (step: -1 | 1) => void;
}) {
  const { older = 0 } = siblings;
  const count = siblings.ids.length + older;
  const place = siblings.index + older;
  if (count < 2) return null;
  return (
    <span className="versions" role="group" aria-label={`Version ${place + 1} of ${count}`}>
      <button
        type="button"
        className="icon-button"
        aria-label="Previous version"
        title="Previous version (Alt+↑)"
        disabled={siblings.index === 0}
        onClick={() => onStep(-1)}
      >
        <Icon name="chevron-left" size={14} />
      </button>
      <span className="versions-count">
        {place + 1}/{count}
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label="Next version"
        title="Next version (Alt+↓)"
        disabled={place === count - 1}
        onClick={() => onStep(1)}
      >
        <Icon name="chevron-right" size={14} />
      </button>
    </span>
  );
}
