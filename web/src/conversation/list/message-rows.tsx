import { memo, useMemo } from "react";
import { unreachable } from "../../../../src/core/base/assert.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { callStatuses } from "../../view/calls/call-status.ts";
import { resultText } from "../../view/calls/tool-summary.ts";
import type { RunHead } from "../../view/run/run-head.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { HiddenLine } from "../message/canvas-line.tsx";
import { QuestionRow } from "../message/question-row.tsx";
import { ReplyRow } from "../message/reply-row.tsx";
import { ChangesRow, StepsRow } from "../message/folded-rows.tsx";
import { SummaryRow } from "../message/summary-row.tsx";
import type { Conversation } from "../state/conversation.ts";
import type { ConversationRow, ReplyRowData } from "./rows.ts";

/** The messages of the path, one row each. A row renders again only when its own message changes. */
export const MessageRows = memo(function MessageRows(props: {
  readonly conversation: Conversation;
  readonly rows: readonly ConversationRow[];
  /** Number of rows omitted at the beginning. */
  readonly hiddenCount: number;
  readonly run: RunHead | null;
  readonly canvasTitle: string | null;
  readonly editingId: NodeId | null;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
  /** A message to show, also where it is folded away. */
  readonly sought: NodeId | null;
}) {
  const { conversation, rows, hiddenCount, run, canvasTitle } = props;
  const active = run !== null && isActive(run);
  const runState = run?.state ?? null;
  const statuses = useMemo(() => callStatuses(runState), [runState]);
  return rows.slice(hiddenCount).map((row, index) => {
    const place = hiddenCount + index + 1;
    switch (row.type) {
      case "question":
        return (
          <QuestionRow
            key={row.node.id}
            node={row.node}
            siblings={row.siblings}
            place={place}
            editing={props.editingId === row.node.id}
            onEdit={props.onEdit}
            onEdited={props.onEdited}
            onSend={conversation.edit}
            onVersion={conversation.showVersion}
          />
        );
      case "reply":
        return <Reply key={row.node.id} {...props} row={row} place={place} statuses={statuses} active={active} />;
      case "steps":
        return (
          <StepsRow key={row.node.id} steps={row.rows} place={place} sought={props.sought}>
            {row.rows.map((step) => (
              <Reply key={step.node.id} {...props} row={step} place={place} statuses={statuses} active={false} />
            ))}
          </StepsRow>
        );
      case "changes":
        return (
          <ChangesRow key={row.node.id} nodes={row.nodes} canvasTitle={canvasTitle} place={place} sought={props.sought}>
            {row.nodes.map((node) => (
              <HiddenLine key={node.id} node={node} place={place} canvasTitle={canvasTitle} />
            ))}
          </ChangesRow>
        );
      case "summary":
        return <SummaryRow key={row.node.id} node={row.node} compacts={row.compacts} place={place} />;
      case "hidden":
        return <HiddenLine key={row.node.id} node={row.node} place={place} canvasTitle={canvasTitle} />;
      case "result":
        return (
          <article
            key={row.node.id}
            className="message"
            data-node-id={row.node.id}
            data-role="tool"
            tabIndex={-1}
            aria-label="A tool result"
          >
            <pre className="live-result">{resultText(row.result)}</pre>
          </article>
        );
      default:
        return unreachable(row);
    }
  });
});

function Reply(
  props: Pick<
    Parameters<typeof MessageRows>[0],
    "conversation" | "rows" | "canvasTitle" | "editingId" | "onEdit" | "onEdited"
  > & {
    readonly row: ReplyRowData;
    readonly place: number;
    readonly statuses: ReturnType<typeof callStatuses>;
    readonly active: boolean;
  },
) {
  const { conversation, row, place, rows } = props;
  const isLast = place === rows.length;
  return (
    <ReplyRow
      node={row.node}
      siblings={row.siblings}
      place={place}
      begins={row.begins}
      ends={row.ends}
      results={row.results}
      statuses={props.statuses}
      working={props.active && row.ends && isLast}
      canvasTitle={props.canvasTitle}
      onVersion={conversation.showVersion}
      onRegenerate={conversation.regenerate}
      onGoOn={conversation.goOn}
      isLeaf={isLast}
      editing={props.editingId === row.node.id}
      onEdit={props.onEdit}
      onEdited={props.onEdited}
      onRewrite={conversation.rewrite}
      onBranch={conversation.edit}
    />
  );
}
