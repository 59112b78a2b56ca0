import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./icons.tsx";

/** A native modal dialog: Escape closes it, and so does a press outside when no form in it has unsent words. */
export function Dialog(props: {
  readonly title: string;
  readonly className?: string;
  readonly bare?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  const typedIn = useRef(new Set<Field>());
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open) return undefined;
    const opener = document.activeElement;
    dialog.showModal();
    // By default the browser focuses the first button, which closes; the first field is the better target.
    const first = dialog.querySelector<HTMLElement>("input, textarea");
    const chosen = first instanceof HTMLInputElement && first.type === "radio" ? "input:checked" : null;
    (chosen === null ? first : (dialog.querySelector<HTMLElement>(chosen) ?? first))?.focus();
    // Selects the existing text, so that typing replaces it.
    if (first instanceof HTMLInputElement) first.select();
    // An open dialog that is unmounted does not restore the focus by itself.
    return () => {
      if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus();
    };
  }, []);
  // The browser tells that a dialog has closed later: a key that opens the next one may come before, and must find this one gone.
  const close = (): void => {
    ref.current?.close();
    props.onClose();
  };
  return (
    <dialog
      ref={ref}
      className={props.className}
      aria-label={props.title}
      onClose={props.onClose}
      onCancel={({ target }) => {
        // A field that chooses files is cancelled too, and keeps its dialog.
        if (target === ref.current) close();
      }}
      onInput={({ target }) => {
        if (isOfForm(target)) typedIn.current.add(target);
      }}
      onPointerDown={({ target }) => {
        isPressedBeside.current = target === ref.current;
      }}
      onClick={({ target }) => {
        // Dragging a selection out of the dialog ends outside it, but is not a press there.
        if (target !== ref.current || !isPressedBeside.current) return;
        const hasWords = [...typedIn.current].some((field) => field.isConnected && field.value.trim() !== "");
        if (!hasWords) close();
      }}
    >
      <div className="dialog-body">
        {props.bare !== true && (
          // The head of the dialog is no banner of the page.
          <header role="presentation">
            <h2>{props.title}</h2>
            <button type="button" className="icon-button" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </header>
        )}
        {props.children}
      </div>
    </dialog>
  );
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Returns whether an element is a field whose text a form sends; a search field is not. */
function isOfForm(target: EventTarget): target is Field {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && target.form !== null && !["radio", "checkbox"].includes(target.type);
}
