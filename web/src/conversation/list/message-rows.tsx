import { type ReactNode, memo, useMemo } from "react";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { callStatuses } from "../../view/calls/call-status.ts";
import type { RunHead } from "../../view/run/run-head.ts";
import { isActive } from "../../view/run/shown-state.ts";
import type { Conversation } from "../state/conversation.ts";
import { MessageRow } from "./message-row.tsx";
import type { RowHeights } from "./row-window.ts";
import { type ConversationRow, holdsNode } from "./rows.ts";

/** The messages around the visible part, one row each, and empty space for the others. */
export const MessageRows = memo(function MessageRows(props: {
  readonly conversation: Conversation;
  readonly rows: readonly ConversationRow[];
  readonly ids: readonly NodeId[];
  /** The first rendered row, and the first one after them. */
  readonly first: number;
  readonly end: number;
  /** Rows elsewhere that stay rendered. */
  readonly keptIds: readonly NodeId[];
  readonly heights: RowHeights;
  readonly run: RunHead | null;
  readonly canvasTitle: string | null;
  readonly editingId: NodeId | null;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
  /** A message to show, also where it is folded away. */
  readonly sought: NodeId | null;
}) {
  const { rows, ids, heights, run, editingId, sought } = props;
  const active = run !== null && isActive(run);
  const runState = run?.state ?? null;
  const statuses = useMemo(() => callStatuses(runState), [runState]);
  const shown: ReactNode[] = [];
  let next = 0;
  const leaveSpace = (end: number): void => {
    if (end === next) return;
    const blockSize = heights.between(ids, next, end);
    shown.push(<div key={`space ${next === 0 ? "above" : end}`} className="rows-omitted" style={{ blockSize }} />);
  };
  for (const index of drawnIndexes(props)) {
    const row = rows[index];
    if (row === undefined) continue;
    leaveSpace(index);
    next = index + 1;
    const isLast = next === rows.length;
    shown.push(
      <MessageRow
        key={row.node.id}
        conversation={props.conversation}
        row={row}
        place={next}
        isLast={isLast}
        working={active && isLast}
        statuses={statuses}
        canvasTitle={props.canvasTitle}
        editingId={editingId !== null && holdsNode(row, editingId) ? editingId : null}
        sought={sought !== null && holdsNode(row, sought) ? sought : null}
        onEdit={props.onEdit}
        onEdited={props.onEdited}
      />,
    );
  }
  leaveSpace(rows.length);
  return shown;
});

/** The window's rows and the kept ones, in order. */
function drawnIndexes(list: {
  readonly ids: readonly NodeId[];
  readonly first: number;
  readonly end: number;
  readonly keptIds: readonly NodeId[];
}): readonly number[] {
  const { ids, first, end } = list;
  const inside = Array.from({ length: Math.max(0, Math.min(end, ids.length) - first) }, (_, at) => first + at);
  const kept = list.keptIds.map((id) => ids.indexOf(id)).filter((at) => at !== -1 && (at < first || at >= end));
  return kept.length === 0 ? inside : [...inside, ...kept].toSorted((a, b) => a - b);
}
