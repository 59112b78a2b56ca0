import { useEffect, useRef } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";
import { useSettings } from "../browser/settings.ts";
import { useList } from "../ui/list/use-list.ts";
import { activitiesOf, noticesOf, type Activities } from "./notices.ts";
import { showNotification } from "./show-notification.ts";

/** How many conversations are watched, those that changed last: where something happens is among them. */
const watchedCount = 40;

/** Notifies a person who looks at something else that an agent waits, failed or has finished. */
export function useNotifications(open: (rootId: RootId) => void): void {
  const isOn = useSettings().notifications === "on";
  const list = useList(
    isOn ? { of: "conversations", archived: false, order: "updated", filter: "", count: watchedCount } : null,
  );
  const before = useRef<Activities>(new Map());
  const latest = useRef(open);
  latest.current = open;
  const entries = list?.entries;
  useEffect(() => {
    if (entries === undefined) {
      before.current = new Map();
      return;
    }
    const notices = noticesOf(before.current, entries);
    before.current = activitiesOf(entries);
    if (document.visibilityState === "visible" && document.hasFocus()) return;
    for (const { rootId, title, words } of notices) {
      showNotification({ title, words, tag: `heddle ${rootId}`, onClick: () => latest.current(rootId) });
    }
  }, [entries]);
}
