import { useRef } from "react";
import { Icon } from "../app/icons.tsx";
import { useNow } from "../app/use-observable.ts";

/** What a model thought before it spoke: folded, with how long it took where that is known. */
export function Thinking(props: {
  readonly text: string;
  readonly startedAt: number | null;
  /** null while it goes on. */
  readonly endedAt: number | null;
  readonly live: boolean;
}) {
  const mounted = useRef(Date.now());
  const now = useNow(props.live ? 500 : null);
  const from = props.startedAt ?? mounted.current;
  const to = props.live ? now : props.endedAt;
  const seconds = to === null ? null : Math.max(0, to - from) / 1000;
  const words = props.live ? "Thinking" : "Thought";
  const time = seconds === null ? "" : ` for ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return (
    <details className="thinking" data-live={props.live}>
      <summary>
        <Icon name="thought" size={14} />
        <span>
          {words}
          {time}
        </span>
        <Icon name="chevron-right" size={13} />
      </summary>
      <p>{props.text === "" ? "The provider keeps these thoughts to itself." : props.text}</p>
    </details>
  );
}
