// `heddle/turn`: the state machine of an agent's turn. See docs/library/turn.md.

export type { TurnContext } from "../core/turn/state/context.ts";
export type { TurnEffect } from "../core/turn/event/effect.ts";
export type { TurnEvent } from "../core/turn/event/event.ts";
export { isSettled } from "../core/turn/step/precheck.ts";
export type { ToolCall, TurnState } from "../core/turn/state/state.ts";
export type { TurnStep } from "../core/turn/step/step.ts";
export { transition } from "../core/turn/transition.ts";
