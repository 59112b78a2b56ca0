import { useState } from "react";
import { changeSetting, useSettings } from "../browser/settings.ts";
import { askForPermission, showNotification, type WhyNone } from "../notify/show-notification.ts";

const whyNot: Readonly<Record<WhyNone, string>> = {
  unsupported:
    "This browser shows no notifications for this page. Open Heddle on localhost or over TLS, in a browser that has them.",
  refused:
    "The browser refuses notifications for this page. Allow them in the browser's site settings, then switch them on here.",
};

/** Switches notifications on, with a first one as the proof that they arrive. */
export function NotificationSettings() {
  const { notifications } = useSettings();
  const [problem, setProblem] = useState<WhyNone | null>(null);
  const switchOn = async (): Promise<void> => {
    const why = await askForPermission();
    const first = { title: "Heddle", words: "Notifications are on.", tag: "heddle on", onClick() {} };
    const shown = why ?? (showNotification(first) ? null : "unsupported");
    setProblem(shown);
    if (shown === null) changeSetting("notifications", "on");
  };
  return (
    <fieldset className="setting">
      <legend id="notifications-heading">Notifications in this browser</legend>
      <div className="choices">
        <label>
          <input
            type="radio"
            name="notifications"
            checked={notifications === "off"}
            onChange={() => changeSetting("notifications", "off")}
          />
          <span>Off</span>
        </label>
        <label>
          <input type="radio" name="notifications" checked={notifications === "on"} onChange={() => void switchOn()} />
          <span>When an agent waits for you or has finished</span>
        </label>
      </div>
      {problem === null ? (
        <p className="quiet">
          While you look at something else; the page must stay open. They show the conversation's title.
        </p>
      ) : (
        <p role="alert">{whyNot[problem]}</p>
      )}
    </fieldset>
  );
}
