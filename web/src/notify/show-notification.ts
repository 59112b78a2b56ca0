import { isRecord } from "../browser/stored.ts";

/** Why a browser shows no notifications. */
export type WhyNone = "unsupported" | "refused";

/** Asks the person for permission, where that was not done; null when notifications are allowed. */
export async function askForPermission(): Promise<WhyNone | null> {
  // Browsers have them on pages of localhost and over TLS alone.
  if (!("Notification" in globalThis) || !isSecureContext) return "unsupported";
  const answer =
    Notification.permission === "default" ? await Notification.requestPermission() : Notification.permission;
  return answer === "granted" ? null : "refused";
}

interface Shown {
  readonly title: string;
  readonly words: string;
  readonly tag: string;
  readonly onClick: () => void;
}

/**
 * Shows a notification; one with the same tag is replaced, in every window. Returns whether the browser could: some show none
 * from an open page.
 */
export function showNotification(shown: Shown): boolean {
  try {
    const notification = new Notification(shown.title, { body: shown.words, tag: shown.tag, icon: "/favicon.svg" });
    notification.addEventListener("click", () => {
      notification.close();
      window.focus();
      shown.onClick();
    });
    return true;
  } catch {
    return showFromWorker(shown);
  }
}

const clicksByTag = new Map<string, () => void>();

/** Phones show notifications of a service worker alone, which tells the page of a press. */
function showFromWorker({ title, words, tag, onClick }: Shown): boolean {
  if (!("serviceWorker" in navigator) || navigator.serviceWorker.controller === null) return false;
  if (clicksByTag.size === 0) navigator.serviceWorker.addEventListener("message", onMessage);
  clicksByTag.set(tag, onClick);
  void navigator.serviceWorker.ready.then((worker) =>
    worker.showNotification(title, { body: words, tag, icon: "/favicon.svg" }),
  );
  return true;
}

function onMessage({ data }: MessageEvent<unknown>): void {
  if (!isRecord(data) || data["type"] !== "notification-clicked" || typeof data["tag"] !== "string") return;
  clicksByTag.get(data["tag"])?.();
}
