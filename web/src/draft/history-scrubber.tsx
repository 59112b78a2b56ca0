import { type Moment, saidWords } from "./time-axis.ts";
import { momentLabel } from "../view/words/undo-label.ts";

/** A slider over the document and its conversation on one axis, with a mark for each version and message. */
export function HistoryScrubber(props: {
  readonly moments: readonly Moment[];
  readonly place: number;
  readonly onPlace: (place: number) => void;
}) {
  const { moments, place, onPlace } = props;
  const moment = moments[place];
  if (moment === undefined || moments.length < 2) return null;
  const words = `${moment.entry.name}, ${momentLabel(moment.at, Date.now())}. ${saidWords(moment)}`;
  return (
    <div className="history-scrubber">
      <div className="scrubber-marks" aria-hidden="true">
        {moments.map(({ began, at, entry }, index) => (
          <i key={`${began} ${at} ${entry.name}`} data-began={began} data-here={index === place} />
        ))}
      </div>
      <input
        type="range"
        aria-label="Moment of the document and the conversation"
        aria-valuetext={words}
        min={0}
        max={moments.length - 1}
        step={1}
        value={place}
        onChange={(event) => onPlace(Number(event.target.value))}
      />
      <p className="quiet" aria-live="polite" data-moment>
        {words}
      </p>
    </div>
  );
}
