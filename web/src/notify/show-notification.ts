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

/**
 * Shows a notification; one with the same tag is replaced, in every window. Returns whether the browser could: some show none
 * from an open page.
 */
export function showNotification(shown: {
  readonly title: string;
  readonly words: string;
  readonly tag: string;
  readonly onClick: () => void;
}): boolean {
  try {
    const notification = new Notification(shown.title, { body: shown.words, tag: shown.tag, icon: "/favicon.svg" });
    notification.addEventListener("click", () => {
      notification.close();
      window.focus();
      shown.onClick();
    });
    return true;
  } catch {
    return false;
  }
}
