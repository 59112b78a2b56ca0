import { Icon, type IconName } from "../ui/icons.tsx";
import { type PaneName, paneNames } from "../navigation/pane-layout.ts";

const paneIcons: Record<PaneName, IconName> = { forest: "panel", conversation: "chat", canvas: "panel-right" };
const paneWords: Record<PaneName, string> = { forest: "Forest", conversation: "Chat", canvas: "Canvas" };

/** Buttons that show or hide each pane. */
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

/** The tabs of a page with room for one pane. */
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
