// One turn, decided step by step: a state and an event give the next state and the effects. Nothing waits and nothing is performed.
import { isSettled, transition, type TurnContext, type TurnEvent, type TurnState } from "heddle/turn";

const context: TurnContext = { kind: "conversation", roundsMax: 10 };
const usage = { inputTokens: 12, outputTokens: 3, cachedInputTokens: 0, thinkingTokens: 0 };
const events: readonly TurnEvent[] = [
  { type: "message-sent", message: { role: "user", content: [{ type: "text", text: "Hello" }] } },
  { type: "request-prepared" },
  {
    type: "response-finished",
    attempt: 1,
    message: { role: "assistant", content: [{ type: "text", text: "Good morning." }] },
    usage,
    facts: { policy: "serial-one", writes: [], contextUsed: 0.1, contextWarned: false },
  },
];

let state: TurnState = { type: "idle" };
for (const event of events) {
  const step = transition(state, event, context);
  if (step.type !== "applied") throw new Error(`The event ${event.type} was ${step.type}.`);
  const todo = [...step.saved, ...step.performed].map(({ type }) => type);
  console.log(`${event.type}: ${todo.join(", ")}`);
  state = step.state;
}
console.log(isSettled(state) ? "The turn is over." : `The run is ${state.type}.`);

// An impossible event is refused, and the state does not change.
const late = transition(state, { type: "turn-cancelled", reason: "stopped" }, context);
console.log(late.type === "refused" ? late.refusal.code : "It was stopped.");
