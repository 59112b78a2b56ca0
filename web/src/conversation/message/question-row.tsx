import { memo } from "react";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { AuthorMark } from "../../ui/author.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Markdown } from "../../markdown/lazy-markdown.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { Siblings } from "../../view/branches/path.ts";
import { momentLabel } from "../../view/words/undo-label.ts";
import { excerpt, wordsOf } from "../../view/words/words.ts";
import { EditForm } from "./edit-form.tsx";
import { MessageMedia } from "./message-media.tsx";
import { FoldedLine, LeftOutLine, MessageLabels, MessageMenu } from "./message-menu.tsx";
import { Versions } from "./versions.tsx";

/** A person's message. Editing creates a branch beside it; the original stays. */
export const QuestionRow = memo(function QuestionRow(props: {
  readonly node: ForestNode;
  readonly siblings: Siblings;
  readonly place: number;
  readonly editing: boolean;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
  /** Sends the edited question as a new branch; resolves to whether it succeeded. */
  readonly onSend: (node: ForestNode, text: string) => Promise<boolean>;
  readonly onVersion: (node: ForestNode, step: -1 | 1) => void;
}) {
  const { node } = props;
  const words = wordsOf(node.message);
  return (
    <article
      className="message question"
      data-left-out={node.excluded === true}
      data-node-id={node.id}
      data-role="user"
      tabIndex={-1}
      aria-posinset={props.place}
      aria-setsize={-1}
      aria-label={`${node.actor.name}, ${momentLabel(node.createdAt, Date.now())}`}
    >
      <header className="message-head">
        <AuthorMark actor={node.actor} />
        <span className="message-author">{node.actor.name}</span>
        <time dateTime={new Date(node.createdAt).toISOString()}>{momentLabel(node.createdAt, Date.now())}</time>
        <MessageLabels node={node} />
        <Versions siblings={props.siblings} onStep={(step) => props.onVersion(node, step)} />
        <span className="message-actions">
          <button
            type="button"
            className="icon-button"
            aria-label="Edit message"
            title="Edit as a new branch (E)"
            onClick={() => props.onEdit(node.id)}
          >
            <Icon name="pencil" size={15} />
          </button>
          <CopyButton text={words} label="Copy message" />
          <MessageMenu node={node} align="end" />
        </span>
      </header>
      <LeftOutLine node={node} />
      {props.editing ? (
        <EditForm
          nodeId={node.id}
          words={words}
          label="Edit message"
          hint="The original message is kept as another version."
          ways={[
            {
              label: "Send as new branch",
              async run(text) {
                const done = await props.onSend(node, text);
                // The new branch may be shown by now, and this row with its form unmounted.
                if (done) props.onEdited(node.id);
                return done;
              },
            },
          ]}
          onClose={() => props.onEdited(node.id)}
        />
      ) : node.collapsed === true ? (
        <FoldedLine node={node} words={excerpt(words, 80)} />
      ) : (
        <div className="message-words">
          {words !== "" && <Markdown text={words} />}
          {node.message.content.map((block, index) =>
            block.type === "image" || block.type === "file" ? <MessageMedia key={index} block={block} /> : null,
          )}
        </div>
      )}
    </article>
  );
});
