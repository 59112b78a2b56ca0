/** How long after a key a person still counts as typing. Milliseconds. */
const typingMs = 400;
/** How long after a key's frame there is time for other work before the next key. Milliseconds. */
const freeMs = 25;

/** Keys that end what was typed: an answer is expected at once. */
const ends = new Set(["Enter", "Escape", "Tab"]);

let lastKeyAt = Number.NEGATIVE_INFINITY;
let lastFrameAt = Number.NEGATIVE_INFINITY;
let isFrameAwaited = false;
const waiting = new Set<() => void>();

/** Notes the keys of a page, for `afterKeys`. */
export function noteKeys(page: EventTarget): void {
  // A message that is posted before a frame is drawn arrives after it.
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener("message", shown);
  port1.start();
  const noteKey = (key: string): void => {
    lastKeyAt = ends.has(key) ? Number.NEGATIVE_INFINITY : performance.now();
    if (isFrameAwaited) return;
    isFrameAwaited = true;
    requestAnimationFrame(() => port2.postMessage(null));
  };
  page.addEventListener("keydown", (event) => noteKey((event as KeyboardEvent).key), { capture: true, passive: true });
}

/**
 * Does work that can wait, such as drawing a reply that streams, so that no key waits for it: at once while nobody types,
 * else right after the frame that shows the next key, or at the latest after `waitMsMax`. Returns how to cancel it; null:
 * it is done.
 */
export function afterKeys(work: () => void, waitMsMax: number): (() => void) | null {
  const now = performance.now();
  const isFree = !isFrameAwaited && (now - lastKeyAt > typingMs || now - lastFrameAt < freeMs);
  if (isFree) {
    work();
    return null;
  }
  const done = (): void => {
    cancel();
    work();
  };
  const timer = setTimeout(done, waitMsMax);
  const cancel = (): void => {
    clearTimeout(timer);
    waiting.delete(done);
  };
  waiting.add(done);
  return cancel;
}

function shown(): void {
  isFrameAwaited = false;
  lastFrameAt = performance.now();
  // Work that is asked for meanwhile waits for the next key.
  const due = [...waiting];
  for (const done of due) done();
}
