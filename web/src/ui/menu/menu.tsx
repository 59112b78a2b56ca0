import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { type MenuItem, MenuItems } from "./menu-items.tsx";
import { opensAbove, shiftIntoView } from "./menu-place.ts";

/** Below its button, from where that begins or to where it ends. */
const asItIs = { above: false, shift: 0 };

/** A button that opens a list of things to do. Arrow keys move, Escape closes and gives the focus back. */
export function Menu(props: {
  readonly label: string;
  readonly title?: string;
  readonly className?: string;
  readonly face: ReactNode;
  readonly items: readonly MenuItem[];
  readonly emptyNote?: string;
  readonly onOpen?: () => void;
  readonly align?: "start" | "end";
}) {
  const { open, setOpen, place, root, button, close, onKeyDown } = useMenu();
  const menuId = useId();

  return (
    <div className="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className={props.className ?? "quiet-button"}
        aria-label={props.label}
        title={props.title ?? props.label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? menuId : undefined}
        onClick={() => {
          if (!open) props.onOpen?.();
          setOpen(!open);
        }}
      >
        {props.face}
      </button>
      {open && (
        <div
          className={`menu-list ${props.align === "end" ? "align-end" : ""} ${place.above ? "above" : ""}`}
          style={place.shift === 0 ? undefined : { translate: `${place.shift}px 0` }}
          id={menuId}
          role="menu"
          aria-label={props.label}
        >
          {props.items.length === 0 && <p className="menu-empty">{props.emptyNote ?? "Nothing here yet"}</p>}
          <MenuItems items={props.items} close={close} />
        </div>
      )}
    </div>
  );
}

/** Whether a menu is open and where, its keys, and its focus. */
function useMenu() {
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState(asItIs);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  // Opens above the button when the list does not fit below it in the scrolling container.
  useLayoutEffect(() => {
    const list = root.current?.querySelector(".menu-list") ?? null;
    if (list === null || button.current === null) return setPlace(asItIs);
    const { top, bottom } = scrollingFrame(list);
    const face = button.current.getBoundingClientRect();
    const { height, left, right } = list.getBoundingClientRect();
    setPlace({
      above: opensAbove({ list: height, above: face.top - top, below: bottom - face.bottom }),
      shift: shiftIntoView({ left, right }, innerWidth),
    });
  }, [open]);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    root.current?.querySelector<HTMLElement>("[role^=menuitem]:not(:disabled)")?.focus({ preventScroll: true });
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    const items = [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)") ?? [])];
    const at = items.findIndex((item) => item === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") return setOpen(false);
    else if (to !== undefined) items[(to + items.length) % items.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { open, setOpen, place, root, button, close, onKeyDown };
}

/** Returns the visible vertical range of an element in the window. CSS pixels. */
function scrollingFrame(element: Element): { readonly top: number; readonly bottom: number } {
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    if (getComputedStyle(outer).overflowY !== "visible") return outer.getBoundingClientRect();
  }
  return { top: 0, bottom: innerHeight };
}
