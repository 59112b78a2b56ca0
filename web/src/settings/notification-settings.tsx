import { useState } from "react";
import { changeSetting, useSettings } from "../browser/settings.ts";
import { subscribePush, unsubscribePush, whoAsks, type WhyNoPush } from "../notify/push.ts";
import { useApp } from "../ui/app-context.ts";
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
  const { client } = useApp();
  const switchOff = (): void => {
    changeSetting("notifications", "off");
    changeSetting("pushes", "");
    void unsubscribePush(client);
  };
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
          <input type="radio" name="notifications" checked={notifications === "off"} onChange={() => switchOff()} />
          <span>Off</span>
        </label>
        <label>
          <input type="radio" name="notifications" checked={notifications === "on"} onChange={() => void switchOn()} />
          <span>When an agent waits for you or has finished</span>
        </label>
      </div>
      {problem === null ? (
        <p className="quiet">While you look at something else. They show the conversation’s title.</p>
      ) : (
        <p role="alert">{whyNot[problem]}</p>
      )}
      {notifications === "on" && <PushChoice />}
    </fieldset>
  );
}

const whyNoPush: Readonly<Record<Exclude<WhyNoPush, object>, string>> = {
  unsupported: "This browser receives nothing for a closed page. On an iPhone, add Heddle to the Home Screen first.",
  unreachable:
    "The browser could not reach its push service. Nothing was changed; try again with a way out to the internet.",
};

/** Switches pushes on and off: they go over the browser maker's servers, so that is said before. */
function PushChoice() {
  const { pushes } = useSettings();
  const { client } = useApp();
  const [problem, setProblem] = useState<WhyNoPush | null>(null);
  const change = async (on: boolean): Promise<void> => {
    const why = on ? await subscribePush(client) : (await unsubscribePush(client), null);
    setProblem(why);
    if (why === null) changeSetting("pushes", on ? whoAsks() : "");
  };
  return (
    <>
      <label>
        <input type="checkbox" checked={pushes === whoAsks()} onChange={({ target }) => void change(target.checked)} />
        <span>Also while no page of Heddle is open</span>
      </label>
      {problem === null ? (
        <p className="quiet">
          Sent through the servers of this browser’s maker, encrypted: they learn that something happened and when. What
          arrives is the conversation’s title, and nothing of what was written.
        </p>
      ) : (
        <p role="alert">{typeof problem === "string" ? whyNoPush[problem] : problem.words}</p>
      )}
    </>
  );
}
