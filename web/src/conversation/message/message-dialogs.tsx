import { useRef, useState } from "react";
import { unreachable } from "../../../../src/core/base/assert.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { titleUnitsMax } from "../../../../src/core/protocol/base/limits.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useSending } from "../../ui/use-sending.ts";
import { splittableText, tagsIn } from "../../view/branches/message-text.ts";
import { excerpt, wordsOf } from "../../view/words/words.ts";
import type { MessageQuestion } from "./message-actions.ts";
import type { TreeActions } from "../state/use-tree-actions.ts";

interface DialogProps {
  readonly node: ForestNode;
  readonly tree: TreeActions;
  readonly onClose: () => void;
}

/** Asks for the input of a change of the tree, and performs it. */
export function MessageDialog(
  props: DialogProps & {
    readonly question: MessageQuestion;
    /** Number of messages below this one; Infinity when not all are here. */
    readonly belowCount: number;
    /** Titles of the bookmarks that a deletion would delete. */
    readonly markedBelow: readonly string[];
  },
) {
  switch (props.question) {
    case "bookmark":
      return <BookmarkDialog {...props} />;
    case "tags":
      return <TagsDialog {...props} />;
    case "split":
      return <SplitDialog {...props} />;
    case "delete":
      return <DeleteDialog {...props} />;
    default:
      return unreachable(props.question);
  }
}

function BookmarkDialog({ node, tree, onClose }: DialogProps) {
  const [title, setTitle] = useState(() => excerpt(wordsOf(node.message), 60));
  const { sending, send } = useSending(onClose);
  return (
    <Dialog title="Bookmark" className="small-dialog" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== "") void send(() => tree.bookmark(node, title.trim()));
        }}
      >
        <label htmlFor="bookmark-title">Title</label>
        <input
          id="bookmark-title"
          maxLength={titleUnitsMax}
          value={title}
          autoComplete="off"
          onChange={(event) => setTitle(event.target.value)}
        />
        <p className="quiet">If another bookmark has this title, it moves here.</p>
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={sending || title.trim() === ""}>
            Save the bookmark
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function TagsDialog({ node, tree, onClose }: DialogProps) {
  const [text, setText] = useState(() => (node.tags ?? []).join(", "));
  const { sending, send } = useSending(onClose);
  return (
    <Dialog title="Tags" className="small-dialog" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(() => tree.tag(node, tagsIn(text)));
        }}
      >
        <label htmlFor="message-tags">Tags, with commas between</label>
        <input id="message-tags" value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
        <p className="quiet">For people only. Models do not see them.</p>
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={sending}>
            Save the tags
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function SplitDialog({ node, tree, onClose }: DialogProps) {
  const text = splittableText(node) ?? "";
  const field = useRef<HTMLTextAreaElement>(null);
  const [at, setAt] = useState(0);
  const follow = (): void => setAt(field.current?.selectionStart ?? 0);
  const halves = at > 0 && at < text.length && text.slice(0, at).trim() !== "" && text.slice(at).trim() !== "";
  return (
    <Dialog title="Split the message" className="wide-dialog" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!halves) return;
          tree.split(node, at);
          onClose();
        }}
      >
        <label htmlFor="split-text">Place the cursor where the second message begins</label>
        {/* A read-only field would have no caret, so typing is refused instead. */}
        <textarea
          id="split-text"
          ref={field}
          rows={10}
          value={text}
          spellCheck={false}
          onChange={() => {}}
          onBeforeInput={(event) => event.preventDefault()}
          onSelect={follow}
          onClick={follow}
          onKeyUp={follow}
        />
        <p className="quiet">Replies stay under the second part.</p>
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={!halves}>
            Split here
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function DeleteDialog(props: DialogProps & { readonly belowCount: number; readonly markedBelow: readonly string[] }) {
  const { node, tree, belowCount, markedBelow, onClose } = props;
  const remove = (reparent: boolean): void => {
    tree.remove(node, { reparent, force: markedBelow.length > 0 });
    onClose();
  };
  const below =
    belowCount === 1 ? "the reply" : belowCount === Number.POSITIVE_INFINITY ? "everything" : `${belowCount} messages`;
  const all = belowCount === 0 ? "Delete" : `Delete this and ${below} below`;
  return (
    <Dialog title="Delete the message" className="small-dialog" onClose={onClose}>
      <p>“{excerpt(wordsOf(node.message), 120)}”</p>
      <p className="quiet">
        What is deleted goes to the trash, where it can be restored.
        {markedBelow.length > 0 && ` Bookmarks that are deleted too: ${markedBelow.join(", ")}.`}
      </p>
      <div className="button-row end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        {belowCount > 0 && (
          <button type="button" className="button" onClick={() => remove(true)}>
            Delete only this
          </button>
        )}
        <button type="button" className="button danger" onClick={() => remove(false)}>
          {all}
        </button>
      </div>
    </Dialog>
  );
}
