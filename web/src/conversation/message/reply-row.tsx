import { memo } from "react";
import { unreachable } from "../../../../src/core/base/assert.ts";
import type { NodeId, ToolCallId } from "../../../../src/core/base/ids.ts";
import { canGoOn } from "../../../../src/core/forest/cut-reply.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { sourcesOf } from "../../../../src/core/message/citations.ts";
import type { AssistantContentBlock, ToolMessage } from "../../../../src/core/message/types.ts";
import { AuthorMark } from "../../ui/author.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Markdown } from "../../markdown/lazy-markdown.tsx";
import type { CallStatus } from "../../view/calls/call-status.ts";
import { isEditable } from "../../view/branches/is-editable.ts";
import type { Siblings } from "../../view/branches/path.ts";
import { endWords } from "../../view/words/end-words.ts";
import { momentLabel } from "../../view/words/undo-label.ts";
import { excerpt, wordsOf } from "../../view/words/words.ts";
import { EditForm } from "./edit-form.tsx";
import { FoldedLine, LeftOutLine, MessageLabels, MessageMenu } from "./message-menu.tsx";
import { ServerStepRow, SourceList } from "../steps/server-step.tsx";
import { Thinking } from "../steps/thinking.tsx";
import { ToolRow } from "./tool-row.tsx";
import { MessageUsage } from "./message-usage.tsx";
import { Versions } from "./versions.tsx";
import { WhoWrote } from "./who-wrote.tsx";

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
  readonly onGoOn: (node: ForestNode) => void;
  /** Whether nothing follows the message: its words then change in place. */
  readonly isLeaf: boolean;
  readonly editing: boolean;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
  readonly onRewrite: (node: ForestNode, text: string) => Promise<boolean>;
  /** Puts an edited copy beside the reply; resolves to whether it succeeded. */
  readonly onBranch: (node: ForestNode, text: string) => Promise<boolean>;
}) {
  const { node } = props;
  if (node.message.role !== "assistant") return null;
  const words = wordsOf(node.message);
  const showsFoot = props.ends && !props.working;
  const editable = isEditable(node);
  return (
    <article
      className={`message reply ${props.begins ? "begins" : "continues"}`}
      data-left-out={node.excluded === true}
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
      <LeftOutLine node={node} />
      {props.editing && editable ? (
        <ReplyEdit {...props} words={words} />
      ) : node.collapsed === true ? (
        <FoldedLine node={node} words={excerpt(words, 80)} />
      ) : (
        node.message.content.map((block, index) => (
          <ContentBlockView key={index} block={block} syntax={node.request?.toolSyntax ?? null} {...props} />
        ))
      )}
      <WhoWrote node={node} onUndo={undoOf({ ...props, editable })} />
      <EndedEarly {...props} />
      {node.message.interrupted === true && (
        <p className="interrupted">
          <Icon name="stop" size={12} /> Interrupted here. What was written is kept.
        </p>
      )}
      {showsFoot && <ReplyFoot {...props} words={words} editable={editable} />}
    </article>
  );
});

type ReplyProps = Parameters<typeof ReplyRow>[0];

/** What makes a reply say again what the model had said; null where other messages follow it, or a run writes there. */
function undoOf({ node, isLeaf, editable, working, onRewrite }: ReplyProps & { readonly editable: boolean }) {
  const original = node.edited?.original;
  if (original === undefined || !isLeaf || !editable || working || original.trim() === "") return null;
  return () => void onRewrite(node, original);
}

/** Says why a reply ends before its end, and goes on from it. */
function EndedEarly({ node, working, onGoOn }: ReplyProps) {
  const why = endWords(node);
  if (why === null) return null;
  return (
    <p className="interrupted cut">
      <Icon name="stop" size={12} /> {why}
      {!working && canGoOn(node) && (
        <button type="button" className="button" onClick={() => onGoOn(node)}>
          Continue
        </button>
      )}
    </p>
  );
}

function ReplyFoot(props: ReplyProps & { readonly words: string; readonly editable: boolean }) {
  const { node, words } = props;
  return (
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
      {props.editable && !props.editing && (
        <button
          type="button"
          className="icon-button"
          aria-label="Edit reply"
          title="Edit the reply"
          onClick={() => props.onEdit(node.id)}
        >
          <Icon name="pencil" size={15} />
        </button>
      )}
      {words !== "" && <CopyButton text={words} label="Copy reply" />}
      <MessageMenu node={node} />
      <MessageUsage node={node} />
    </footer>
  );
}

/** The edit of a reply: in place where nothing follows it, else as a branch that begins where the words differ. */
function ReplyEdit(props: ReplyProps & { readonly words: string }) {
  const { node, words, isLeaf, onEdited, onRewrite, onBranch } = props;
  const closing = (run: ReplyProps["onRewrite"]) => async (text: string) => {
    const done = await run(node, text);
    if (done) onEdited(node.id);
    return done;
  };
  const branch = { label: "Save as branch", run: closing(isLeaf ? onBranch : onRewrite) };
  return (
    <EditForm
      nodeId={node.id}
      words={words}
      label="Edit reply"
      lines
      hint={
        isLeaf
          ? "The model is told what you changed."
          : "What follows stays below the old words. The branch begins where yours differ."
      }
      ways={isLeaf ? [branch, { label: "Save", run: closing(onRewrite) }] : [branch]}
      onClose={() => onEdited(node.id)}
    />
  );
}

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
      return (
        <>
          <Markdown text={block.text} />
          <SourceList sources={sourcesOf(block)} />
        </>
      );
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
      return <ServerStepRow block={block} />;
    default:
      return unreachable(block);
  }
}
