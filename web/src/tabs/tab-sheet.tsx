import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { askForTab } from "../ui/request/tab-request.ts";
import { useObservable } from "../ui/use-observable.ts";
import { UnreadMark } from "./document-tabs.tsx";
import { openTabs } from "./open-tabs.ts";

/** On a page with room for one pane: how many documents are open, and a sheet with them. */
export function TabSheet() {
  const { tabs, activeId, previewId } = useObservable(openTabs);
  const [open, setOpen] = useState(false);
  if (tabs.length < 2) return null;
  const unread = tabs.some((tab) => tab.unread);
  return (
    <>
      <button
        type="button"
        className="tab-count"
        aria-label={`${tabs.length} open documents${unread ? ", an agent changed some" : ""}`}
        onClick={() => setOpen(true)}
      >
        <span aria-hidden="true">{tabs.length}</span>
        {unread && <span className="unread-dot" />}
      </button>
      {open && (
        <Dialog title="Open documents" className="tab-sheet" onClose={() => setOpen(false)}>
          <ul>
            {tabs.map((tab) => (
              <li key={tab.id} data-preview={tab.id === previewId}>
                <button
                  type="button"
                  className="quiet-button"
                  aria-current={tab.id === activeId ? "true" : undefined}
                  onClick={() => {
                    setOpen(false);
                    askForTab({ type: "open", id: tab.id });
                  }}
                >
                  <Icon name="document" size={16} />
                  <span className="document-tab-name">{tab.title}</span>
                  {tab.unread && <UnreadMark />}
                </button>
                <button
                  type="button"
                  className="icon-button"
                  aria-label={`Close ${tab.title}`}
                  onClick={() => {
                    if (tabs.length <= 2) setOpen(false);
                    askForTab({ type: "close", id: tab.id });
                  }}
                >
                  <Icon name="close" size={16} />
                </button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
