import { useEffect, useId, useRef, useState } from "react";
import type { LeaseView } from "../../../src/client/base/types.ts";
import type { EditPolicy } from "../../../src/core/block/types.ts";
import { Icon } from "../ui/icons.tsx";
import { useNow } from "../ui/use-observable.ts";
import { shortName } from "../view/words/words.ts";
import { countdown, leaseFacts, shareLeft } from "./lease-words.ts";

/** The lease: its holder, time left and meaning, with a button to take control. */
export function LeaseChip(props: {
  readonly lease: LeaseView;
  readonly policy: EditPolicy;
  /** What the person can do who cannot take control; null: they can. */
  readonly reads: string | null;
  readonly onTake: () => void;
}) {
  const { policy } = props;
  const { held, epoch } = props.lease;
  const now = useNow(held === null ? null : 500);
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const factsId = useId();
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  if (held === null) return null;
  const exclusive = policy === "lease";
  const { rows, meaning } = leaseFacts({ epoch, held }, policy, now);
  const summary = rows.map(({ label, value }) => `${label}: ${value}`).join("\n");
  return (
    <div
      className="lease"
      data-exclusive={exclusive}
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        setOpen(false);
      }}
    >
      <button
        type="button"
        className="lease-chip"
        aria-expanded={open}
        aria-controls={open ? factsId : undefined}
        title={`${summary}\n${meaning}`}
        onClick={() => setOpen(!open)}
      >
        {exclusive ? <Icon name="lock" size={14} /> : <span className="state-dot" aria-hidden="true" />}
        <span className="lease-words">{shortName(held.holderName)} is editing</span>
        <span className="lease-time">{countdown(held.expiresAt, now)}</span>
        <Ring share={shareLeft(held, now)} />
      </button>
      <button
        type="button"
        className="button take-control"
        onClick={props.onTake}
        disabled={props.reads !== null}
        title={props.reads ?? `Stop ${held.holderName} at once (Esc in the text)`}
      >
        <Icon name="hand" size={15} /> Take control
      </button>
      {open && (
        <div className="lease-facts" id={factsId}>
          <dl>
            {rows.map(({ label, value }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <p>{meaning}</p>
        </div>
      )}
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
