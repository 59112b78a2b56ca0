import { isActive } from "../../view/run/shown-state.ts";
import type { RunHead } from "../../view/run/run-head.ts";

/** Switches between the parallel replies to one message. */
export function Beside(props: {
  readonly run: RunHead | null;
  readonly runs: readonly RunHead[];
  readonly onShow: (run: RunHead) => void;
}) {
  const { run } = props;
  if (run === null || !isActive(run)) return null;
  const beside = props.runs.filter((other) => isActive(other) && other.headNodeId === run.headNodeId);
  if (beside.length < 2) return null;
  return (
    <div className="pill" role="group" aria-label="Replies being written">
      <span className="state-dot" aria-hidden="true" />
      {beside.length} replies are being written
      {beside.map((other, index) => (
        <button
          key={other.runId}
          type="button"
          className="quiet-button"
          aria-pressed={other.runId === run.runId}
          aria-label={`Reply ${index + 1} of ${beside.length}`}
          onClick={() => props.onShow(other)}
        >
          {index + 1}
        </button>
      ))}
    </div>
  );
}
