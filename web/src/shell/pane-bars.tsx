import { Icon, type IconName } from "../ui/icons.tsx";
import { type PaneLayout, type PaneName, paneNames } from "./pane-layout.ts";

interface PaneToggle {
  readonly pane: PaneName;
  readonly panes: readonly PaneName[];
  readonly layout: PaneLayout;
  readonly changeLayout: (layout: PaneLayout) => void;
  readonly setFront: (pane: PaneName) => void;
}

/** Shows a pane, or hides it. */
export function togglePane({ pane, panes, layout, changeLayout, setFront }: PaneToggle): void {
  const shown = panes.includes(pane);
  if (!shown) {
    setFront(pane);
    return changeLayout({ ...layout, hidden: layout.hidden.filter((other) => other !== pane) });
  }
  // A page that shows two of three lets the third come to the front; the last pane stays.
  if (panes.length > 1) changeLayout({ ...layout, hidden: [...layout.hidden, pane] });
}

const paneIcons: Record<PaneName, IconName> = { forest: "panel", conversation: "chat", canvas: "panel-right" };
const paneWords: Record<PaneName, string> = { forest: "Forest", conversation: "Chat", canvas: "Canvas" };

/** The panes by name, each to be shown or hidden. */
export function PaneToggles(props: {
  readonly panes: readonly PaneName[];
  readonly onToggle: (pane: PaneName) => void;
}) {
  return (
    <div className="pane-toggles" role="group" aria-label="Panes">
      {paneNames.map((pane) => (
        <button
          key={pane}
          type="button"
          className="icon-button"
          aria-pressed={props.panes.includes(pane)}
          aria-label={`${paneWords[pane]} pane`}
          title={`${props.panes.includes(pane) ? "Hide" : "Show"} the ${paneWords[pane].toLowerCase()} pane`}
          onClick={() => props.onToggle(pane)}
        >
          <Icon name={paneIcons[pane]} size={15} />
        </button>
      ))}
    </div>
  );
}

/** The panes of a page that has room for one. */
export function TabBar(props: { readonly front: PaneName; readonly onFront: (pane: PaneName) => void }) {
  const icons: Record<PaneName, IconName> = { forest: "branch", conversation: "chat", canvas: "document" };
  return (
    <nav className="tab-bar" aria-label="Panes">
      {paneNames.map((pane) => (
        <button
          key={pane}
          type="button"
          aria-current={props.front === pane ? "page" : undefined}
          onClick={() => props.onFront(pane)}
        >
          <Icon name={icons[pane]} size={20} />
          {paneWords[pane]}
        </button>
      ))}
    </nav>
  );
}
