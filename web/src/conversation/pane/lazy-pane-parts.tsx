import { loadCode } from "../../browser/load-code.ts";
import { fetched } from "../../ui/fetched.tsx";

// Asked for at once, in parallel with the page's own chunk, so that the message field takes words before the messages are drawn.
// A reply that streams is a text, so its row needs the engine too.
const engine = loadCode(() => import("../../../../src/client/text-engine.ts"));
const list = loadCode(() => import("../list/message-list.tsx"));

/** The messages of the shown path. */
export const MessageList = fetched(
  async () => {
    await engine;
    return (await list).MessageList;
  },
  () => <div className="messages" aria-busy="true" />,
);

// What waits for the person comes with a run; all are asked for as soon as there is one.
export const TurnCards = fetched(async () => (await import("../../turn/turn-cards.tsx")).TurnCards);
export const WaitingMessages = fetched(async () => (await import("../composer/waiting-messages.tsx")).WaitingMessages);
export const AnswerOffer = fetched(async () => (await import("../composer/answer-offer.tsx")).AnswerOffer);
export const ErrorCard = fetched(async () => (await import("./error-card.tsx")).ErrorCard);
export const OpenQuestion = fetched(async () => (await import("./open-question.tsx")).OpenQuestion);
