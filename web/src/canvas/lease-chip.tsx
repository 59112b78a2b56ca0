import type { LeaseView } from "../../../src/client/types.ts";
import { Icon } from "../app/icons.tsx";
import { useNow } from "../app/use-observable.ts";
import { leaseTtlMsDefault } from "../../../src/core/lease/types.ts";
import { shortName } from "../view/words.ts";

/** Who works on the canvas, for how long it is theirs, and the way to end it. */
export function LeaseChip(props: {
  readonly lease: LeaseView;
  readonly exclusive: boolean;
  readonly onTake: () => void;
}) {
  const { held } = props.lease;
  const now = useNow(held === null ? null : 500);
  if (held === null) return null;
  const left = Math.max(0, held.expiresAt - now);
  const seconds = Math.ceil(left / 1000);
  return (
    <div className="lease" data-exclusive={props.exclusive}>
      <span className="lease-chip" title={`Lease of ${held.holderName}, epoch ${props.lease.epoch}`}>
        {props.exclusive ? <Icon name="lock" size={14} /> : <span className="state-dot" aria-hidden="true" />}
        <span>{shortName(held.holderName)} is editing</span>
        <span className="lease-time">0:{String(Math.min(59, seconds)).padStart(2, "0")}</span>
        <Ring share={Math.min(1, left / leaseTtlMsDefault)} />
      </span>
      <button
        type="button"
        className="button take-control"
        onClick={props.onTake}
        title={`Stop ${held.holderName}; nothing more of it is written (Esc in the text)`}
      >
        <Icon name="hand" size={15} /> Take control
      </button>
    </div>
  );
}

function Ring({ share }: { readonly share: number }) {
  const length = 2 * Math.PI * 6;
  return (
    <svg className="ring" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <circle cx="8" cy="8" r="6" className="ring-ground" />
      <circle cx="8" cy="8" r="6" strokeDasharray={`${length * share} ${length}`} transform="rotate(-90 8 8)" />
    </svg>
  );
}
