import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { askForTab, closeTab } from "../ui/request/tab-request.ts";
import { useObservable } from "../ui/use-observable.ts";
import { UnreadMark } from "./document-tabs.tsx";
import { openTabs } from "./open-tabs.ts";

/** On a page with room for one pane: how many documents are open. */
export function TabCount({ onPress }: { readonly onPress: () => void }) {
  const { tabs } = useObservable(openTabs);
  if (tabs.length < 2) return null;
  const unread = tabs.some((tab) => tab.unread);
  return (
    <button
      type="button"
      className="tab-count"
      aria-label={`${tabs.length} open documents${unread ? ", an agent changed some" : ""}`}
      onClick={onPress}
    >
      <span aria-hidden="true">{tabs.length}</span>
      {unread && <span className="unread-dot" />}
    </button>
  );
}

/** The open documents in a sheet. */
export function TabSheet({ onClose }: { readonly onClose: () => void }) {
  const { tabs, activeId, previewId } = useObservable(openTabs);
  return (
    <Dialog title="Open documents" className="tab-sheet" onClose={onClose}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.id} data-preview={tab.id === previewId}>
            <button
              type="button"
              className="quiet-button"
              aria-current={tab.id === activeId ? "true" : undefined}
              onClick={() => {
                onClose();
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
                if (tabs.length <= 2) onClose();
                closeTab(tab.id);
              }}
            >
              <Icon name="close" size={16} />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
