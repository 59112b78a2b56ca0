import { useEffect, useRef } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";
import { useSettings } from "../browser/settings.ts";
import { useApp } from "../ui/app-context.ts";
import { useList } from "../ui/list/use-list.ts";
import { activitiesOf, noticesOf, type Activities } from "./notices.ts";
import { subscribePush, whoAsks } from "./push.ts";
import { showNotification } from "./show-notification.ts";

/** How many conversations are watched, those that changed last: where something happens is among them. */
const watchedCount = 40;

/** Notifies a person who looks at something else that an agent waits, failed or has finished; shows nothing in the page. */
export function Notifier({ onOpen }: { readonly onOpen: (rootId: RootId) => void }): null {
  const list = useList({
    of: "conversations",
    archived: false,
    order: "updated",
    filter: "",
    count: watchedCount,
  });
  const before = useRef<Activities>(new Map());
  const latest = useRef(onOpen);
  latest.current = onOpen;
  const { client } = useApp();
  const { pushes } = useSettings();
  // A subscription ends with its session, and may change its address: it is made anew.
  useEffect(() => {
    if (pushes === whoAsks()) void subscribePush(client);
  }, [client, pushes]);
  const entries = list?.entries;
  useEffect(() => {
    if (entries === undefined) return;
    const notices = noticesOf(before.current, entries);
    before.current = activitiesOf(entries);
    if (document.visibilityState === "visible" && document.hasFocus()) return;
    for (const { rootId, title, words } of notices) {
      showNotification({ title, words, tag: `heddle ${rootId}`, onClick: () => latest.current(rootId) });
    }
  }, [entries]);
  return null;
}
