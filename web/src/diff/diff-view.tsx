import { Fragment, memo, useMemo, useRef, useState } from "react";
import { useElementWidth } from "../ui/size/use-element-width.ts";
import { type DiffHunk, type DiffLine, readDiff, sideBySide } from "./diff-rows.ts";

/** Minimum width of the two-column view. CSS pixels. */
const sideBySideFrom = 680;
/** Number of lines shown before the reader asks for more. */
const linesShownAtFirst = 1_500;

/** A diff in two columns when there is room, otherwise in one. */
export const DiffView = memo(function DiffView(props: {
  readonly diff: string;
  readonly label?: string;
  /** Whether the view does not scroll, because its container does. */
  readonly still?: boolean;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const width = useElementWidth(ref);
  const [whole, setWhole] = useState(false);
  const hunks = useMemo(() => readDiff(props.diff), [props.diff]);
  const lineCount = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const shown = whole ? hunks : firstLines(hunks, linesShownAtFirst);
  const wide = width >= sideBySideFrom;
  return (
    <div
      className="diff"
      ref={ref}
      data-layout={wide ? "side-by-side" : "unified"}
      tabIndex={props.still === true ? undefined : 0}
      role={props.still === true ? "group" : "region"}
      aria-label={props.label ?? "Changes"}
    >
      {shown.map((hunk, index) => (
        <Fragment key={index}>
          {(index > 0 || (props.still !== true && (hunk.skipped ?? 0) > 0)) && (
            <p className="diff-gap">{gapWords(hunk.skipped)}</p>
          )}
          {wide ? <TwoColumns hunk={hunk} /> : <OneColumn hunk={hunk} />}
        </Fragment>
      ))}
      {!whole && lineCount > linesShownAtFirst && (
        <button type="button" className="quiet-button" onClick={() => setWhole(true)}>
          Show all {lineCount.toLocaleString()} lines
        </button>
      )}
    </div>
  );
});

function OneColumn({ hunk }: { readonly hunk: DiffHunk }) {
  return (
    <div className="diff-hunk one-column">
      {hunk.lines.map((line, index) => (
        <div key={index} className="diff-row" data-type={line.type}>
          <Cell line={line} number={line.newNumber ?? line.oldNumber} />
        </div>
      ))}
    </div>
  );
}

function TwoColumns({ hunk }: { readonly hunk: DiffHunk }) {
  const pairs = useMemo(() => sideBySide(hunk), [hunk]);
  return (
    <div className="diff-hunk two-columns">
      {pairs.map(({ left, right }, index) => (
        <div key={index} className="diff-pair">
          <div className="diff-row" data-type={left?.type ?? "none"}>
            {left !== null && <Cell line={left} number={left.oldNumber} />}
          </div>
          <div className="diff-row" data-type={right?.type ?? "none"}>
            {right !== null && <Cell line={right} number={right.newNumber} />}
          </div>
        </div>
      ))}
    </div>
  );
}

const signs: Record<DiffLine["type"], string> = { context: " ", added: "+", removed: "-" };

function Cell({ line, number }: { readonly line: DiffLine; readonly number: number | null }) {
  return (
    <>
      <span className="diff-number">{number}</span>
      <span className="diff-sign">{signs[line.type]}</span>
      <span className="diff-text">
        {line.pieces.map(({ text, changed }, index) => (changed ? <mark key={index}>{text}</mark> : text))}
        {"\n"}
      </span>
    </>
  );
}

function gapWords(skipped: number | null): string {
  if (skipped === null || skipped <= 0) return "⋯";
  return skipped === 1 ? "1 unchanged line" : `${skipped.toLocaleString()} unchanged lines`;
}

function firstLines(hunks: readonly DiffHunk[], max: number): readonly DiffHunk[] {
  const shown: DiffHunk[] = [];
  let left = max;
  for (const hunk of hunks) {
    if (left <= 0) break;
    shown.push({ ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return shown;
}
