import { memo } from "react";
import { unreachable } from "../../../../src/core/base/assert.ts";
import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { AssistantContentBlock, ToolMessage } from "../../../../src/core/message/types.ts";
import { AuthorMark } from "../../ui/author.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Markdown } from "../../markdown/lazy-markdown.tsx";
import type { CallStatus } from "../../view/calls/call-status.ts";
import type { Siblings } from "../../view/branches/path.ts";
import { momentLabel } from "../../view/words/undo-label.ts";
import { wordsOf } from "../../view/words/words.ts";
import { MessageLabels, MessageMenu } from "./message-menu.tsx";
import { Thinking } from "./thinking.tsx";
import { ToolRow } from "./tool-row.tsx";
import { Versions } from "./versions.tsx";

/** One message of a model. The messages of one turn share a header. */
export const ReplyRow = memo(function ReplyRow(props: {
  readonly node: ForestNode;
  readonly siblings: Siblings;
  readonly place: number;
  readonly begins: boolean;
  readonly ends: boolean;
  readonly results: ReadonlyMap<ToolCallId, ToolMessage>;
  /** The status of the calls without a result. */
  readonly statuses: ReadonlyMap<ToolCallId, CallStatus>;
  readonly working: boolean;
  readonly canvasTitle: string | null;
  readonly onVersion: (node: ForestNode, step: -1 | 1) => void;
  readonly onRegenerate: (node: ForestNode) => void;
}) {
  const { node } = props;
  if (node.message.role !== "assistant") return null;
  const words = wordsOf(node.message);
  const showsFoot = props.ends && !props.working;
  return (
    <article
      className={`message reply ${props.begins ? "begins" : "continues"}`}
      data-node-id={node.id}
      data-role="assistant"
      tabIndex={-1}
      aria-posinset={props.place}
      aria-setsize={-1}
      aria-label={`${node.actor.name}, ${momentLabel(node.createdAt, Date.now())}`}
    >
      {(props.begins || props.siblings.ids.length > 1 || (node.tags ?? []).length > 0) && (
        <header className="message-head">
          {props.begins && (
            <>
              <AuthorMark actor={node.actor} />
              <span className="message-author">{node.actor.name}</span>
              <time dateTime={new Date(node.createdAt).toISOString()}>{momentLabel(node.createdAt, Date.now())}</time>
            </>
          )}
          <MessageLabels node={node} />
          <Versions siblings={props.siblings} onStep={(step) => props.onVersion(node, step)} />
        </header>
      )}
      {node.message.content.map((block, index) => (
        <ContentBlockView key={index} block={block} syntax={node.request?.toolSyntax ?? null} {...props} />
      ))}
      {node.message.interrupted === true && (
        <p className="interrupted">
          <Icon name="stop" size={12} /> Interrupted here. What was written is kept.
        </p>
      )}
      {showsFoot && (
        <footer className="message-foot">
          <button
            type="button"
            className="icon-button"
            aria-label="Regenerate"
            title="Another reply to the same question (R)"
            onClick={() => props.onRegenerate(node)}
          >
            <Icon name="again" size={15} />
          </button>
          {words !== "" && <CopyButton text={words} label="Copy reply" />}
          <MessageMenu node={node} />
        </footer>
      )}
    </article>
  );
});

function ContentBlockView(props: {
  readonly block: AssistantContentBlock;
  readonly syntax: string | null;
  readonly results: ReadonlyMap<ToolCallId, ToolMessage>;
  readonly statuses: ReadonlyMap<ToolCallId, CallStatus>;
  readonly canvasTitle: string | null;
}) {
  const { block } = props;
  switch (block.type) {
    case "text":
      return <Markdown text={block.text} />;
    case "thinking":
      return <Thinking text={block.text} since={null} />;
    case "tool-use":
      return (
        <ToolRow
          callId={block.id}
          name={block.name}
          parameters={block.parameters}
          streaming={null}
          argumentsError={block.argumentsError}
          result={props.results.get(block.id) ?? null}
          status={props.statuses.get(block.id) ?? "left"}
          canvasTitle={props.canvasTitle}
          syntax={props.syntax}
        />
      );
    case "refusal":
      return <p className="model-refusal">{block.text}</p>;
    case "notice":
      return <p className="thin-line">{block.text}</p>;
    case "opaque":
      return <p className="thin-line">Provider-specific content from {block.api}, kept unchanged</p>;
    default:
      return unreachable(block);
  }
}
