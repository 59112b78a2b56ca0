import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type MenuItem, MenuItems } from "./menu-items.tsx";

/** A place on the page, in CSS pixels of the window. */
export interface MenuPoint {
  readonly x: number;
  readonly y: number;
}

/** A list of things to do at a point of the page. Arrow keys move, Escape closes; the focus goes back to where it was. */
export function ContextMenu(props: {
  readonly label: string;
  readonly at: MenuPoint;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}) {
  const { at, onClose } = props;
  const list = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState(at);
  useLayoutEffect(() => {
    const box = list.current?.getBoundingClientRect();
    if (box === undefined) return;
    setPlace({
      x: Math.max(4, Math.min(at.x, innerWidth - box.width - 4)),
      y: Math.max(4, Math.min(at.y, innerHeight - box.height - 4)),
    });
  }, [at]);
  useEffect(() => {
    const opener = document.activeElement;
    list.current?.querySelector<HTMLElement>("button:not(:disabled)")?.focus({ preventScroll: true });
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && list.current?.contains(event.target) !== true) onClose();
    };
    document.addEventListener("pointerdown", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      const lost = document.activeElement === document.body || document.activeElement === null;
      if (lost && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, [onClose]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])];
    const index = items.findIndex((item) => item === document.activeElement);
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (to !== undefined) items[(to + items.length) % items.length]?.focus();
    else if (event.key !== "Enter" && event.key !== " ") return;
    else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={list}
      className="menu-list context-menu"
      role="menu"
      aria-label={props.label}
      style={{ insetInlineStart: place.x, insetBlockStart: place.y }}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      <MenuItems items={props.items} close={onClose} />
    </div>
  );
}
