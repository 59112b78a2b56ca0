import { useEffect } from "react";
import { Icon } from "../../ui/icons.tsx";
import { useNow } from "../../ui/use-observable.ts";
import { noteThinkingTime, thinkingTime } from "./thinking-times.ts";

/** A model's thinking, folded, with its duration when known. */
export function Thinking(props: {
  readonly text: string;
  /** Start time of the current thought, in UTC milliseconds. */
  readonly since: number | null;
}) {
  const { text, since } = props;
  const now = useNow(since === null ? null : 200);
  const took = since === null ? thinkingTime(text) : Math.max(0, now - since);
  useEffect(() => {
    if (since !== null) noteThinkingTime(text, Math.max(0, Date.now() - since));
  }, [text, since]);
  const time = took === null ? "" : ` for ${took < 10_000 ? (took / 1000).toFixed(1) : Math.round(took / 1000)} s`;
  return (
    <details className="thinking" data-live={since !== null}>
      <summary>
        <Icon name="thought" size={14} />
        <span>
          {since === null ? "Thought" : "Thinking"}
          {time}
        </span>
        <Icon name="chevron-right" size={13} />
      </summary>
      <p>{text === "" ? "The provider does not share this thinking." : text}</p>
    </details>
  );
}
