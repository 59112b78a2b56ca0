import { unreachable } from "../../../src/core/base/assert.ts";
import type { ConnectionState } from "../../../src/client/base/types.ts";
import { reconnectedMs, waitingWords } from "../view/run/shown-state.ts";
import { useApp } from "../ui/app-context.ts";
import { useNow, useObservable } from "../ui/use-observable.ts";

/** The connection status; pressing it retries at once. */
export function ConnectionChip() {
  const { client } = useApp();
  const state = useObservable(client.state);
  const fresh = state.type === "live" && state.reconnected;
  const now = useNow(
    state.type === "reconnecting" || state.type === "offline" ? 250 : fresh ? reconnectedMs / 2 : null,
  );
  const waits = state.type === "reconnecting" || state.type === "offline";
  const shown = fresh && now - state.since < reconnectedMs ? "reconnected" : state.type;
  const label = labelOf(state, now, shown === "reconnected");
  return waits ? (
    <button
      type="button"
      className="connection"
      data-testid="connection"
      data-state={shown}
      title="Try again now"
      onClick={() => client.reconnectNow()}
    >
      <span className="state-dot" aria-hidden="true" />
      <ShortLabel label={label} />
    </button>
  ) : (
    <span className="connection" data-testid="connection" data-state={shown} title={label}>
      <span className="state-dot" aria-hidden="true" />
      <span className="connection-label">{label}</span>
    </span>
  );
}

/** The status; where there is no room only its first words, since the state line has all of them. */
function ShortLabel({ label }: { readonly label: string }) {
  const [first = "", ...rest] = label.split(" · ");
  return (
    <span className="connection-label">
      {first}
      {rest.length > 0 && <span className="wide-only"> · {rest.join(" · ")}</span>}
    </span>
  );
}

function labelOf(state: ConnectionState, now: number, back: boolean): string {
  switch (state.type) {
    case "connecting":
      return "Connecting…";
    case "live":
      return back ? "Reconnected" : "Connected";
    case "reconnecting":
      return `Reconnecting in ${Math.max(0, Math.ceil((state.retryAt - now) / 1000))} s`;
    case "offline":
      return state.unsent === 0 ? "Offline" : `Offline · ${waitingWords(state.unsent)}`;
    case "refused":
      return "Refused";
    default:
      return unreachable(state);
  }
}
