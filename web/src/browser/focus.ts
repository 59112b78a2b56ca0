/** Moves the focus to the next or the previous of the page's regions. */
export function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region], [data-pane]")];
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length];
  if (next !== undefined) focusInto(next);
}

/** Focuses the main element of a region. */
export function focusInto(region: HTMLElement): void {
  const wanted = region.querySelector<HTMLElement>("[role=tree], textarea[aria-label='Message']") ?? region;
  wanted.focus();
}

/** Returns the focused message, or the last one when none has the focus. */
export function focusedMessage(): HTMLElement | null {
  const own = document.activeElement?.closest<HTMLElement>("[data-node-id]");
  return own ?? [...document.querySelectorAll<HTMLElement>(".messages [data-node-id]")].at(-1) ?? null;
}

/**
 * Returns whether a message is rendered; only the rows around the visible part of a conversation are.
 */
export function isDrawn(nodeId: string): boolean {
  return document.querySelector(`.messages [data-node-id="${CSS.escape(nodeId)}"]`) !== null;
}

/** Moves the focus between messages: by a step, or to an end. */
export function moveMessage(to: "next" | "previous" | "first" | "last"): void {
  const messages = [...document.querySelectorAll<HTMLElement>(".messages [data-node-id]")];
  const own = document.activeElement?.closest<HTMLElement>("[data-node-id]") ?? null;
  const at = own === null ? -1 : messages.indexOf(own);
  const index = {
    next: at === -1 ? messages.length - 1 : Math.min(messages.length - 1, at + 1),
    previous: at === -1 ? messages.length - 1 : Math.max(0, at - 1),
    first: 0,
    last: messages.length - 1,
  }[to];
  const message = messages[index];
  message?.focus({ preventScroll: true });
  message?.scrollIntoView({ block: "nearest" });
}
