import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { unsendable } from "../../../../src/core/protocol/base/sendable.ts";
import { lastSaid } from "../../view/branches/hidden.ts";
import { goesOnElsewhere } from "../../view/branches/path.ts";
import { isUnanswered } from "../../view/branches/questions.ts";
import { isActive } from "../../view/run/shown-state.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { DraftWords } from "../kept/draft.ts";
import { inParagraphs } from "../kept/kept-view.ts";

/** How a message reaches an agent at work: at its next step, when it has finished, or at once. */
export type Deliver = "steer" | "queue" | "interrupt";

/** The effect of Send. */
export type SendPlan =
  | { readonly type: "nothing" }
  /** Where the message goes is known once the conversation has loaded. */
  | { readonly type: "load-first"; readonly text: string }
  /** Requests a reply to the last message on the path. */
  | { readonly type: "ask-again"; readonly nodeId: NodeId }
  | { readonly type: "refuse"; readonly reason: string | Refusal }
  | {
      readonly type: "deliver";
      /** All words, as shown while sending. */
      readonly text: string;
      /** Messages, one below the other. */
      readonly messages: readonly string[];
      /** How the message reaches the agent if it is at work by then. */
      readonly deliver: Deliver;
    };

/** Decides what Send does with the composer's words. `ask` requests a reply. */
export function planSend(now: {
  readonly state: Pick<ConversationState, "tree" | "path" | "run">;
  readonly words: DraftWords;
  readonly fileCount: number;
  readonly ask: boolean;
  readonly deliver: Deliver;
}): SendPlan {
  const { state, fileCount, ask, deliver } = now;
  const active = state.run !== null && isActive(state.run);
  const words = [now.words.pasted, now.words.text].map((each) => each.trim()).filter((each) => each !== "");
  if (words.length === 0 && fileCount === 0) {
    const said = lastSaid(state.path);
    if (!ask || active || said === undefined || !isUnanswered(said)) return { type: "nothing" };
    return { type: "ask-again", nodeId: (state.path.at(-1) ?? said).id };
  }
  const text = inParagraphs(...words);
  // The parent of the message is not known yet.
  if (state.tree === null) return { type: "load-first", text };
  const last = state.path.at(-1);
  if (last !== undefined && goesOnElsewhere(state.tree, last.id))
    return {
      type: "refuse",
      reason: "This branch goes on below. Your message is kept here; go to the end of the branch, then send it.",
    };
  if (active && !ask)
    return {
      type: "refuse",
      reason: "An agent is answering here. Your message is kept; add it when the agent has finished.",
    };
  // The words are joined into one message that waits: nothing can be added below a reply being written.
  const messages = active || words.length === 0 ? [text] : words;
  const tooLarge = messages.map(unsendable).find((refused) => refused !== null) ?? null;
  return tooLarge === null ? { type: "deliver", text, messages, deliver } : { type: "refuse", reason: tooLarge };
}
