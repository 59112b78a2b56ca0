import { memo, useEffect, useRef } from "react";
import type { NodeId } from "../../../src/core/base/ids.ts";
import { useSettings } from "../browser/settings.ts";
import { useMedia } from "../ui/use-observable.ts";
import type { ThreadLayout } from "../view/branches/thread-layout.ts";
import { drawThreads, strandAt } from "./draw-threads.ts";
import type { RowMarks } from "./row-marks.ts";

/** The conversation's branches as threads. The outline below says the same in words. */
export const Overview = memo(function Overview(props: {
  readonly layout: ThreadLayout;
  readonly path: ReadonlySet<NodeId>;
  readonly marks: RowMarks;
  readonly onShow: (nodeId: NodeId) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { theme } = useSettings();
  const dark = useMedia("(prefers-color-scheme: dark)");
  const strong = useMedia("(prefers-contrast: more)");
  const { layout, path, marks } = props;
  const branchCount = layout.leafCount;

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const draw = (): void => drawThreads(element, layout, { path, running: marks.running, failed: marks.failed });
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [layout, path, marks, theme, dark, strong]);

  return (
    <canvas
      ref={canvas}
      className="overview"
      role="img"
      aria-label={`Map of the conversation: ${branchCount} ${branchCount === 1 ? "branch" : "branches"}, ${layout.depthMax} messages deep`}
      style={{ blockSize: Math.min(156, 32 + branchCount * 26) }}
      onClick={(event) => {
        const element = canvas.current;
        if (element === null) return;
        const box = element.getBoundingClientRect();
        const strand = strandAt(layout, box, { x: event.clientX - box.left, y: event.clientY - box.top });
        if (strand !== null) props.onShow(strand.firstId);
      }}
    />
  );
});
