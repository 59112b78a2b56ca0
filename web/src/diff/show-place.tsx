import { useRef } from "react";
import { askForPlace } from "../ui/request/place-request.ts";
import { useApp } from "../ui/app-context.ts";
import { addedLines } from "../view/calls/tool-summary.ts";

/** Goes to the lines of the open document that a patch wrote, and offers the way back. */
export function ShowPlace({ patch }: { readonly patch: string }) {
  const { tell } = useApp();
  const button = useRef<HTMLButtonElement>(null);
  const show = (): void => {
    if (!askForPlace(addedLines(patch))) {
      tell("The open document no longer has these lines. Its history shows when they changed.");
      return;
    }
    const back = (): void => {
      button.current?.scrollIntoView({ block: "center" });
      button.current?.focus();
    };
    tell("This is what the agent wrote.", { label: "Back to the conversation", run: back });
  };
  return (
    <button ref={button} type="button" className="link-button show-place" onClick={show}>
      Show in the document
    </button>
  );
}
