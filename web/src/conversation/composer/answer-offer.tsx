import { useState } from "react";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { Result } from "../../../../src/core/base/result.ts";
import { answerUnitsMax, noteUnitsMax } from "../../../../src/core/protocol/base/limits.ts";
import { useApp } from "../../ui/app-context.ts";
import { useObservable } from "../../ui/use-observable.ts";
import type { RunHead } from "../../view/run/run-head.ts";
import type { Conversation } from "../state/conversation.ts";

/**
 * Offers what a person probably means who writes while a call or a question waits: to deny the call with these words, or to
 * send them as the answer. Sent as a message they would wait behind it.
 */
export function AnswerOffer(props: { readonly conversation: Conversation; readonly run: RunHead }) {
  const { type } = props.run.state;
  // Follows the draft, and so every key, only while something waits.
  return type === "awaiting-approval" || type === "awaiting-answer" ? <OpenOffer {...props} /> : null;
}

function OpenOffer({ conversation, run }: { readonly conversation: Conversation; readonly run: RunHead }) {
  const { draft } = conversation;
  const { text, pasted } = useObservable(draft);
  const { client, tell } = useApp();
  const [sending, setSending] = useState(false);
  const words = text.trim();
  const offer = offerOf(run, words, client);
  if (offer === null || words === "" || pasted !== "") return null;
  const answer = (): void => {
    setSending(true);
    void offer.send().then((result) => {
      setSending(false);
      if (!result.ok) return tell(result.error);
      // Words typed since stay.
      if (draft.get().text.trim() === words) draft.setText("");
    });
  };
  const isTooLong = words.length > offer.unitsMax;
  return (
    <div className="answer-offer" role="group" aria-label="What your words are for">
      <button type="button" className="button" disabled={sending || isTooLong} onClick={answer}>
        {offer.label}
      </button>
      <span className="quiet">
        {isTooLong
          ? `These words are too long for that (${offer.unitsMax.toLocaleString("en")} characters at most).`
          : offer.otherwise}
      </span>
    </div>
  );
}

interface Offer {
  readonly label: string;
  /** What sending the words as a message does. */
  readonly otherwise: string;
  readonly unitsMax: number;
  readonly send: () => Promise<Result<unknown, Refusal>>;
}

function offerOf({ runId, state }: RunHead, words: string, client: ReturnType<typeof useApp>["client"]): Offer | null {
  if (state.type === "awaiting-approval") {
    const { callId, argumentsHash } = state.request;
    const denial = { runId, callId, argumentsHash, decision: "deny", remember: "once", note: words } as const;
    return {
      label: "Deny the call with these words",
      otherwise: "A message waits until the call is answered.",
      unitsMax: noteUnitsMax,
      send: () => client.call("approval.answer", denial),
    };
  }
  if (state.type !== "awaiting-answer") return null;
  // Words answer one question; several have a field each.
  if (state.questions.length > 1) return null;
  const { callId } = state;
  return {
    label: "Send as the answer",
    otherwise: "A message waits until the question is answered.",
    unitsMax: answerUnitsMax,
    send: () => client.call("question.answer", { runId, callId, answers: [{ chosen: [words] }] }),
  };
}
