import type { ClipboardEvent, KeyboardEvent, RefObject } from "react";
import { moveMessage } from "../../browser/focus.ts";
import { isMac, keyTable, strokeIs } from "../../browser/keys.ts";
import { useApp } from "../../ui/app-context.ts";
import { useGrowing } from "../../ui/size/use-growing.ts";
import { useMedia } from "../../ui/use-observable.ts";
import type { Conversation } from "../state/conversation.ts";
import type { DraftWords } from "../kept/draft.ts";
import { becomesOwnMessage } from "./pasted-text.ts";

/** The text field of the composer, with its keys and paste handling. */
export function MessageField(props: {
  readonly conversation: Conversation;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly words: DraftWords;
  /** Whether an agent works at the end of this branch. */
  readonly active: boolean;
  /** Whether Enter in the empty field requests a reply. */
  readonly asksAgain: boolean;
  /** Why the person cannot write here; null: they can. */
  readonly forbidden: string | null;
}) {
  const { conversation, field, words, active, asksAgain, forbidden } = props;
  const { tell } = useApp();
  const { draft, attachments } = conversation;
  const send: Conversation["send"] = (how) => (forbidden === null ? conversation.send(how) : tell(forbidden));
  useGrowing(field, words.text);
  // A phone's Enter begins a line, as in its other apps; Send is a button there.
  const breaksLines = useMedia("(hover: none) and (pointer: coarse)");
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (strokeIs(keyTable["send-only"].keys, event.nativeEvent, isMac())) {
      event.preventDefault();
      send({ ask: false });
    } else if (strokeIs(keyTable["send-queue"].keys, event.nativeEvent, isMac())) {
      event.preventDefault();
      send({ deliver: "queue" });
    } else if (strokeIs(keyTable["send-interrupt"].keys, event.nativeEvent, isMac())) {
      event.preventDefault();
      send({ deliver: "interrupt" });
    } else if (event.key === "Enter" && !event.shiftKey && !event.altKey && !breaksLines) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && !active) {
      // The text stays; C returns to the composer.
      event.preventDefault();
      moveMessage("last");
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData;
    if (files.length > 0) {
      event.preventDefault();
      return attachments.add([...files]);
    }
    const text = event.clipboardData.getData("text/plain");
    if (active || !becomesOwnMessage(text, words)) return;
    event.preventDefault();
    draft.setPasted(text);
  };
  return (
    <textarea
      ref={field}
      aria-label="Message"
      rows={1}
      placeholder={
        forbidden ?? placeholderOf({ active, asksAgain: asksAgain && !breaksLines, pasted: words.pasted !== "" })
      }
      value={words.text}
      onChange={(event) => draft.setText(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      enterKeyHint={breaksLines ? "enter" : "send"}
    />
  );
}

function placeholderOf(at: {
  readonly active: boolean;
  readonly asksAgain: boolean;
  readonly pasted: boolean;
}): string {
  if (at.active) return "Write to the agent; it reads this at its next step";
  if (at.asksAgain) return "Press Enter to get a reply, or keep writing";
  return at.pasted ? "Ask about the pasted text" : "Ask, or say what to change";
}
