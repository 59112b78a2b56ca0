import { useEffect, useRef } from "react";
import { type CommandId, commandIds, isMac, keyTable, strokeIs } from "../browser/keys.ts";
import { useSettings } from "../browser/settings.ts";

/** The available commands; a missing one is unavailable. */
export type Commands = { readonly [Id in CommandId]?: () => void };

/** Listens for the keys of the table and runs their commands. */
export function useKeyboard(commands: Commands): void {
  const { singleKeys } = useSettings();
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const mac = isMac();
    let left: LeftFocus | null = null;
    const onFocusIn = (event: FocusEvent): void => {
      left = leftFocus(event) ?? left;
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]") !== null) return;
      const writing = isWriting(event);
      for (const id of commandIds) {
        const { keys, scope } = keyTable[id];
        const run = latest.current[id];
        if (keys === null || run === undefined || scope === "part" || !strokeIs(keys, event, mac)) continue;
        const switchedOff = singleKeys === "off" && keys !== "Escape";
        if (scope === "list" && (writing || switchedOff || !isInMessages(event, left))) continue;
        // Escape inside a field clears or leaves the field.
        if (keys === "Escape" && event.target instanceof HTMLInputElement) continue;
        // In text, Alt with arrow keys moves by words on some systems.
        if (writing && keys.startsWith("Alt+Arrow")) continue;
        event.preventDefault();
        run();
        return;
      }
    };
    document.addEventListener("focusin", onFocusIn);
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("focusin", onFocusIn);
      document.removeEventListener("keydown", onKeyDown);
    };
  }, [singleKeys]);
}

function isWriting(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    isTextInput(target)
  );
}

function isTextInput(element: HTMLElement): boolean {
  return element instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit"].includes(element.type);
}

/** The element that had the focus last. */
interface LeftFocus {
  readonly element: HTMLElement;
  readonly isEditor: boolean;
  readonly inMessages: boolean;
}

/** Returns what is to be known of a focused element once it is gone; null in a dialog, which gives the focus back. */
function leftFocus(event: FocusEvent): LeftFocus | null {
  const element = event.composedPath()[0];
  if (!(element instanceof HTMLElement) || !(event.target instanceof HTMLElement)) return null;
  if (event.target.closest("dialog") !== null) return null;
  return { element, isEditor: element.isContentEditable, inMessages: isInConversation(event.target) };
}

/** Returns whether single-letter keys act on the messages: they have the focus, or no element has it and they had it last. */
function isInMessages({ target }: KeyboardEvent, left: LeftFocus | null): boolean {
  if (!(target instanceof HTMLElement)) return true;
  if (target !== document.body) return isInConversation(target);
  // Whoever types goes on typing where an editor goes away, and means no command.
  return left === null || (left.inMessages && (!left.isEditor || left.element.isConnected));
}

function isInConversation(element: HTMLElement): boolean {
  return element.closest("[data-pane=conversation]") !== null;
}
