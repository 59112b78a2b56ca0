import { useEffect, useRef } from "react";
import { AuthorMark } from "../ui/author.tsx";
import { Icon } from "../ui/icons.tsx";
import type { OriginPlace, OriginWords } from "./origin-words.ts";
import type { ExplainedLine } from "./use-blame.ts";

/** Explains a line: its author, time and tool call, with a link to the message. */
export function BlameCard(props: {
  readonly explained: ExplainedLine;
  /** Distance from the top of the editor, in CSS pixels. */
  readonly top: number;
  readonly onPlace: (place: OriginPlace) => void;
  readonly onClose: () => void;
}) {
  const { explained, onClose } = props;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    root.current?.querySelector<HTMLElement>("button")?.focus();
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) onClose();
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [explained, onClose]);
  return (
    <div
      className="blame-card"
      ref={root}
      role="dialog"
      aria-label={`Why line ${explained.line} is here`}
      style={{ insetBlockStart: props.top }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h2>Line {explained.line}</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" size={14} />
        </button>
      </header>
      <ul>
        {explained.origins.map((origin, index) => (
          <li key={index}>
            <Origin origin={origin} onPlace={props.onPlace} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Origin({ origin, onPlace }: { readonly origin: OriginWords; readonly onPlace: (place: OriginPlace) => void }) {
  const { actor, who, when, how, place } = origin;
  return (
    <>
      <AuthorMark actor={actor} size={20} />
      <span className="blame-words">
        <span>
          <strong>{who}</strong> <span className="quiet">{when}</span>
        </span>
        {how !== "" && <span className="quiet">{how}</span>}
      </span>
      {place !== null && (
        <button type="button" className="quiet-button" onClick={() => onPlace(place)}>
          Show the message
        </button>
      )}
    </>
  );
}
