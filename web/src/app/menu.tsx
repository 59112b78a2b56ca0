import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";

export interface MenuItem {
  readonly label: string;
  readonly note?: string;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

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
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();

  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    root.current?.querySelector<HTMLElement>("[role^=menuitem]:not(:disabled)")?.focus();
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
          className={`menu-list ${props.align === "end" ? "align-end" : ""}`}
          id={menuId}
          role="menu"
          aria-label={props.label}
        >
          {props.items.length === 0 && <p className="menu-empty">{props.emptyNote ?? "Nothing here yet"}</p>}
          {props.items.map((item, index) => (
            <button
              key={index}
              type="button"
              role={item.checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={item.checked}
              disabled={item.disabled}
              tabIndex={-1}
              onClick={() => {
                close();
                item.run();
              }}
            >
              <span className="menu-check">{item.checked === true ? "✓" : ""}</span>
              <span className="menu-label">{item.label}</span>
              {item.note !== undefined && <span className="menu-note">{item.note}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
