import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { unsendable } from "../../../../src/core/protocol/base/sendable.ts";
import { lastSaid } from "../../view/branches/hidden.ts";
import { isUnanswered } from "../../view/branches/questions.ts";
import { isActive } from "../../view/run/shown-state.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { DraftWords } from "../kept/draft.ts";
import { inParagraphs } from "../kept/kept-view.ts";

/** What pressing Send does. */
export type SendPlan =
  | { readonly type: "nothing" }
  /** A reply to the message that is last on the path. */
  | { readonly type: "ask-again"; readonly nodeId: NodeId }
  | { readonly type: "refuse"; readonly reason: string | Refusal }
  | {
      readonly type: "deliver";
      /** All words, as they are shown meanwhile. */
      readonly text: string;
      /** Messages, one below the other. */
      readonly messages: readonly string[];
      /** Whether the message waits for the run to be free. */
      readonly queue: boolean;
    };

/** Decides what Send does with the words of the composer. `ask` asks for a reply. */
export function planSend(now: {
  readonly state: Pick<ConversationState, "tree" | "path" | "run">;
  readonly words: DraftWords;
  readonly fileCount: number;
  readonly ask: boolean;
}): SendPlan {
  const { state, fileCount, ask } = now;
  const active = state.run !== null && isActive(state.run);
  const words = [now.words.pasted, now.words.text].map((each) => each.trim()).filter((each) => each !== "");
  if (words.length === 0 && fileCount === 0) {
    const said = lastSaid(state.path);
    if (!ask || active || said === undefined || !isUnanswered(said)) return { type: "nothing" };
    return { type: "ask-again", nodeId: (state.path.at(-1) ?? said).id };
  }
  // Which message it would follow is not known yet.
  if (state.tree === null)
    return {
      type: "refuse",
      reason: "This conversation is still loading. Your message is kept here; send it in a moment.",
    };
  if (active && !ask)
    return {
      type: "refuse",
      reason: "An agent is answering here. Your message is kept; add it when the agent has finished.",
    };
  const text = inParagraphs(...words);
  // A queued message is one: nothing can be put yet below a reply that is being written.
  const messages = active || words.length === 0 ? [text] : words;
  const tooLarge = messages.map(unsendable).find((refused) => refused !== null) ?? null;
  return tooLarge === null ? { type: "deliver", text, messages, queue: active } : { type: "refuse", reason: tooLarge };
}
