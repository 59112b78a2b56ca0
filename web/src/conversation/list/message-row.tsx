import { memo } from "react";
import { unreachable } from "../../../../src/core/base/assert.ts";
import type { NodeId, ToolCallId } from "../../../../src/core/base/ids.ts";
import type { CallStatus } from "../../view/calls/call-status.ts";
import { resultText } from "../../view/calls/tool-summary.ts";
import { HiddenLine } from "./canvas-line.tsx";
import { ChangesRow, StepsRow } from "./folded-rows.tsx";
import { QuestionRow } from "../message/question-row.tsx";
import { ReplyRow } from "../message/reply-row.tsx";
import { SummaryRow } from "../message/summary-row.tsx";
import type { Conversation } from "../state/conversation.ts";
import type { ConversationRow, ReplyRowData } from "./rows.ts";

interface RowProps {
  readonly conversation: Conversation;
  /** Its number in the branch, from 1. */
  readonly place: number;
  /** Whether nothing follows in the branch. */
  readonly isLast: boolean;
  /** Whether the reply goes on below. */
  readonly working: boolean;
  readonly statuses: ReadonlyMap<ToolCallId, CallStatus>;
  readonly canvasTitle: string | null;
  readonly editingId: NodeId | null;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
}

/** One row of the path. It renders again only when its own messages change. */
export const MessageRow = memo(function MessageRow(
  props: RowProps & {
    readonly row: ConversationRow;
    /** A message to show, also where it is folded away. */
    readonly sought: NodeId | null;
  },
) {
  const { conversation, row, place, sought } = props;
  switch (row.type) {
    case "question":
      return (
        <QuestionRow
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
      return <Reply {...props} row={row} />;
    case "steps":
      return (
        // One element for what may be several once it is open.
        <div data-row-id={row.node.id}>
          <StepsRow steps={row.rows} place={place} sought={sought}>
            {row.rows.map((step) => (
              <Reply key={step.node.id} {...props} row={step} working={false} />
            ))}
          </StepsRow>
        </div>
      );
    case "changes":
      return (
        <div data-row-id={row.node.id}>
          <ChangesRow nodes={row.nodes} place={place} sought={sought}>
            {row.nodes.map((node) => (
              <HiddenLine key={node.id} node={node} place={place} />
            ))}
          </ChangesRow>
        </div>
      );
    case "summary":
      return <SummaryRow node={row.node} compacts={row.compacts} place={place} />;
    case "hidden":
      return <HiddenLine node={row.node} place={place} />;
    case "result":
      return (
        <article
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

function Reply(props: RowProps & { readonly row: ReplyRowData }) {
  const { conversation, row } = props;
  return (
    <ReplyRow
      node={row.node}
      siblings={row.siblings}
      place={props.place}
      begins={row.begins}
      ends={row.ends}
      results={row.results}
      statuses={props.statuses}
      working={props.working && row.ends}
      canvasTitle={props.canvasTitle}
      onVersion={conversation.showVersion}
      onRegenerate={conversation.regenerate}
      onGoOn={conversation.goOn}
      isLeaf={props.isLast}
      editing={props.editingId === row.node.id}
      onEdit={props.onEdit}
      onEdited={props.onEdited}
      onRewrite={conversation.rewrite}
      onBranch={conversation.edit}
    />
  );
}
