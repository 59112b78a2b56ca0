import type { RootId } from "../../../src/core/base/ids.ts";
import { isRecord } from "../browser/stored.ts";

/** Calls back with each conversation that a pressed push asks for, of this page's address first; returns how to end that. */
export function askedConversations(asked: (rootId: RootId) => void): () => void {
  const named = new URLSearchParams(location.hash.slice(1)).get("conversation");
  if (named !== null) {
    history.replaceState(history.state, "", location.pathname + location.search);
    asked(named as RootId);
  }
  if (!("serviceWorker" in navigator)) return () => {};
  const onMessage = ({ data }: MessageEvent<unknown>): void => {
    if (isRecord(data) && data["type"] === "push-clicked" && typeof data["rootId"] === "string")
      asked(data["rootId"] as RootId);
  };
  navigator.serviceWorker.addEventListener("message", onMessage);
  return () => navigator.serviceWorker.removeEventListener("message", onMessage);
}
