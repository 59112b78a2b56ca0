import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./icons.tsx";

/** A native dialog over the page: Escape and a press beside it close it. */
export function Dialog(props: {
  readonly title: string;
  readonly className?: string;
  readonly bare?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open) return undefined;
    const opener = document.activeElement;
    dialog.showModal();
    // Of itself the browser takes the first button, which closes; who opens a dialog with a field means to fill it in.
    const first = dialog.querySelector<HTMLElement>("input, textarea");
    const chosen = first instanceof HTMLInputElement && first.type === "radio" ? "input:checked" : null;
    (chosen === null ? first : (dialog.querySelector<HTMLElement>(chosen) ?? first))?.focus();
    // What stands there already gives way to what is typed.
    if (first instanceof HTMLInputElement) first.select();
    // One that is taken away open, as where another takes its place, gives the focus back to nobody by itself.
    return () => {
      if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={props.className}
      aria-label={props.title}
      onClose={props.onClose}
      onClick={(event) => {
        if (event.target === ref.current) ref.current.close();
      }}
    >
      <div className="dialog-body">
        {props.bare !== true && (
          <header>
            <h2>{props.title}</h2>
            <button type="button" className="icon-button" aria-label="Close" onClick={() => ref.current?.close()}>
              <Icon name="close" />
            </button>
          </header>
        )}
        {props.children}
      </div>
    </dialog>
  );
}
