import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import {
  canvasRange,
  clamp,
  forestRange,
  layoutDefault,
  type PaneLayout,
  type PaneName,
} from "../navigation/pane-layout.ts";

/** The divider between two panes, moved by dragging or with arrow keys. */
export function Divider(props: {
  readonly between: "forest" | "canvas";
  readonly layout: PaneLayout;
  readonly onChange: (layout: PaneLayout) => void;
}) {
  const { between, layout } = props;
  const dragged = useRef<{ readonly x: number; readonly value: number; readonly width: number } | null>(null);
  const range = between === "forest" ? forestRange : canvasRange;
  const value = layout[between];
  const set = (next: number): void => props.onChange({ ...layout, [between]: clamp(next, range) });
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const width = event.currentTarget.closest(".panes")?.clientWidth ?? 1000;
    dragged.current = {
      x: event.clientX,
      value,
      width: Math.max(1, width - (layout.hidden.includes("forest") ? 0 : layout.forest)),
    };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    const start = dragged.current;
    if (start === null) return;
    const moved = event.clientX - start.x;
    set(between === "forest" ? start.value + moved : start.value - (moved / start.width) * 100);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(between === "forest" ? value + step * 16 : value - step * 3);
  };
  return (
    <div
      className="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label={between === "forest" ? "Width of the forest" : "Width of the canvas"}
      aria-valuenow={Math.round(value)}
      aria-valuemin={range.least}
      aria-valuemax={range.most}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (dragged.current = null)}
      onPointerCancel={() => (dragged.current = null)}
      onDoubleClick={() => set(layoutDefault[between])}
      onKeyDown={onKeyDown}
    />
  );
}

/** A pane as a landmark; the conversation is the page's main region. */
export function PaneFrame(props: {
  readonly name: PaneName;
  readonly main: boolean;
  readonly divider: ReactNode;
  readonly children: ReactNode;
}) {
  const label = { forest: "Forest", conversation: "Conversation", canvas: "Canvas" }[props.name];
  // One element for every role: another would end what is open in the pane when the page becomes narrow.
  const role = props.main ? "main" : props.name === "forest" ? "navigation" : "region";
  return (
    <section className={`pane ${props.name}-pane`} role={role} aria-label={label} data-pane={props.name} tabIndex={-1}>
      {props.divider}
      {props.children}
    </section>
  );
}
