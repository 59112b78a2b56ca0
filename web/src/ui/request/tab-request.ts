import type { BlockId } from "../../../../src/core/base/ids.ts";
import { pageRequest } from "./page-request.ts";

/** What a person does with the open documents; without an id it is the shown one. */
export type TabStep =
  | { readonly type: "open"; readonly id: BlockId }
  | { readonly type: "next"; readonly by: 1 | -1 }
  | { readonly type: "move"; readonly by: 1 | -1 }
  | { readonly type: "close"; readonly id: BlockId | null }
  | { readonly type: "close-others" }
  | { readonly type: "reopen" };

const steps = pageRequest<TabStep>();

/** Takes a step among the open documents, from any part of the page. */
export const askForTab = steps.ask;

/** Closes a tab that is shown, also when the part that keeps the tabs is still being loaded. */
export function closeTab(id: BlockId): void {
  const step = { type: "close", id } as const;
  if (!askForTab(step)) steps.askSoon(step);
}

export const useTabAsked = steps.useAsked;
