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
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]") !== null) return;
      const writing = isWriting(event);
      for (const id of commandIds) {
        const { keys, scope } = keyTable[id];
        const run = latest.current[id];
        if (keys === null || run === undefined || scope === "part" || !strokeIs(keys, event, mac)) continue;
        const switchedOff = singleKeys === "off" && keys !== "Escape";
        if (scope === "list" && (writing || switchedOff || !isInMessages(event))) continue;
        // Escape inside a field clears or leaves the field.
        if (keys === "Escape" && event.target instanceof HTMLInputElement) continue;
        // In text, Alt with arrow keys moves by words on some systems.
        if (writing && keys.startsWith("Alt+Arrow")) continue;
        event.preventDefault();
        run();
        return;
      }
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
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

/** Returns whether single-letter keys act on the messages: they or no element have the focus. */
function isInMessages(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return true;
  return (
    target === document.body ||
    target.closest("[data-pane=conversation]") !== null ||
    target.dataset["pane"] !== undefined
  );
}
