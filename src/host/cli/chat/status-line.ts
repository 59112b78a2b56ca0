import type { HeddleClient, RunView } from "../../../client/base/types.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { Face } from "./face.ts";
import { connectionLabel, isTimed, joined, seconds, stateLabel } from "./words.ts";

interface StatusPorts {
  readonly client: Pick<HeddleClient, "state">;
  readonly face: Pick<Face, "status" | "columns">;
  readonly now: () => number;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
}

/** What the status of a session depends on besides the connection. */
interface Situation {
  readonly run: RunView | null;
  /** A turn was asked for and is not in the view yet, or a command has no answer yet. */
  readonly waits: "turn" | "answer" | null;
  /** Whether the person stopped the turn. */
  readonly isCancelling: boolean;
  /** The end of the thinking, as long as so many columns. */
  readonly thinking: (columns: number) => string;
}

/** How often the parts of the status that change with the clock are updated. Milliseconds. */
const tickMs = 250;
/** A duration is shown from this length on. Milliseconds. */
const worthTellingMs = 1_000;

/** The line that says what happens now, and for how long. */
export class StatusLine {
  readonly #ports: StatusPorts;
  #last: Situation | null = null;
  #stopTimer: (() => void) | null = null;

  constructor(ports: StatusPorts) {
    this.#ports = ports;
  }

  show(given: Situation): void {
    this.#last = given;
    const { client, face, now: clock } = this.#ports;
    const now = clock();
    const { run, waits, isCancelling, thinking } = given;
    const connection = client.state.get();
    const lost = connectionLabel(connection, now);
    const isBusy = run !== null && (!isSettled(run.state) || run.queued);
    this.#tick(lost !== null || isBusy || waits === "turn");
    if (lost !== null) {
      return face.status({ now: lost, plain: connection.type === "offline" ? "Offline" : "Connecting…" });
    }
    if (!isBusy) return face.status(waits === null ? null : { now: "Sending…", plain: "Sending…" });
    const wasStopped = isCancelling && run.state.type !== "cancelling" && run.state.type !== "cancelling-sub-agents";
    const label = (at: number): string => (wasStopped ? "Cancelling…" : stateLabel(run, at));
    const took = now - run.since;
    const time = isTimed(run.state) && took >= worthTellingMs && !hasCountdown(run.state) ? seconds(took) : "";
    const shown = joined(label(now), time, run.waiting.length === 0 ? "" : `${run.waiting.length} waiting`);
    const tail = thinking(Math.max(0, face.columns() - shown.length - 5));
    face.status({ now: joined(shown, tail), plain: label(run.since) });
  }

  end(): void {
    this.#tick(false);
    this.#last = null;
    this.#ports.face.status(null);
  }

  #tick(isNeeded: boolean): void {
    if (!isNeeded) {
      this.#stopTimer?.();
      this.#stopTimer = null;
      return;
    }
    this.#stopTimer ??= this.#ports.setTimer(tickMs, () => {
      this.#stopTimer = null;
      if (this.#last !== null) this.show(this.#last);
    });
  }
}

function hasCountdown(state: TurnState): boolean {
  return state.type === "requesting" && state.retryAt !== null;
}
