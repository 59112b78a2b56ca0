// `heddle/turn`: the state machine of an agent's turn. See docs/library/turn.md.

export type { TurnContext } from "../core/turn/context.ts";
export type { TurnEffect } from "../core/turn/effect.ts";
export type { TurnEvent } from "../core/turn/event.ts";
export { isSettled } from "../core/turn/precheck.ts";
export type { ToolCall, TurnState } from "../core/turn/state.ts";
export type { TurnStep } from "../core/turn/step.ts";
export { transition } from "../core/turn/transition.ts";
