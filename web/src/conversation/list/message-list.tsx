import { memo, type RefObject, useCallback, useMemo } from "react";
import type { Actor } from "../../../../src/core/base/actor.ts";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import type { Author } from "../../ui/author.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useSelected } from "../../ui/use-selected.ts";
import { countAbove, goesOnElsewhere } from "../../view/branches/path.ts";
import { isActive } from "../../view/run/shown-state.ts";
import type { Conversation } from "../state/conversation.ts";
import { ListEnd } from "./list-end.tsx";
import { MessageRows } from "./message-rows.tsx";
import { type ConversationRow, holdsNode, rowsOf } from "./rows.ts";
import { useFollow } from "./use-follow.ts";
import { useRowWindow } from "./use-row-window.ts";

/** The messages of the path and the reply being written. */
export const MessageList = memo(function MessageList(props: {
  readonly conversation: Conversation;
  readonly self: Actor | null;
  /** The agent at work, else the one that answers next. */
  readonly agent: Author;
  readonly canvasTitle: string | null;
  readonly editingId: NodeId | null;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
  /** A message of the path to scroll to, also when it is not rendered yet. */
  readonly sought: NodeId | null;
  readonly onSought: () => void;
}) {
  const { conversation, canvasTitle, sought, onSought } = props;
  const { tree, path, run, sending, tipId, notices } = useSelected(conversation.state, (state) => ({
    tree: state.tree,
    path: state.path,
    run: state.run,
    sending: state.sending,
    tipId: state.selection.tipId,
    notices: state.notices,
  }));
  const rows = useMemo(() => (tree === null ? null : rowsOf(tree, path)), [tree, path]);
  const { rootId } = conversation;
  const above = tree === null ? 0 : countAbove(tree, path);
  const { scroller, settle, ...follow } = useFollow({
    rootId,
    sending,
    changed: `${path.length} ${tipId} ${notices.length}`,
    ready: rows !== null,
  });
  const { drawn, heights, ids, scrolled } = useDrawnRows(scroller, {
    rootId,
    rows,
    editingId: props.editingId,
    sought,
    onSought,
  });
  const onScroll = (): void => {
    follow.onScroll();
    scrolled();
    const isNearTop = (scroller.current?.scrollTop ?? Number.POSITIVE_INFINITY) < nearTop;
    // What is loaded leads on by itself; nobody wants to press a button fifty thousand messages long.
    if (isNearTop && !follow.atEnd && above > 0) conversation.load.loadAbove();
  };
  const end = { conversation, self: props.self, agent: props.agent, canvasTitle, onGrown: settle };
  if (rows === null || tree === null)
    return (
      <div className="messages" ref={scroller}>
        <div className="message-column">{sending !== null && <ListEnd {...end} rowCount={0} />}</div>
      </div>
    );
  const active = run !== null && isActive(run);
  return (
    <div className="messages" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label="Messages">
      <div className="message-column" role="feed" aria-label="Messages of this branch" aria-busy={active}>
        {above > 0 && <Earlier count={above} onShow={conversation.load.loadAbove} />}
        <MessageRows
          conversation={conversation}
          rows={rows}
          ids={ids}
          first={drawn.first}
          end={drawn.end}
          keptIds={drawn.keptIds}
          heights={heights}
          run={run}
          canvasTitle={canvasTitle}
          editingId={props.editingId}
          onEdit={props.onEdit}
          onEdited={props.onEdited}
          sought={sought}
        />
        <ListEnd {...end} rowCount={rows.length} />
        {goesOnElsewhere(tree, tipId) && <Later onShow={conversation.load.toBranchEnd} />}
      </div>
      {!follow.atEnd && <ToEnd active={active} onClick={follow.toEnd} />}
    </div>
  );
});

function ToEnd(props: { readonly active: boolean; readonly onClick: () => void }) {
  return (
    <button type="button" className="jump" onClick={props.onClick}>
      <Icon name="down" size={14} /> {props.active ? "Jump to the reply being written" : "Jump to the end"}
    </button>
  );
}

/** How near to the beginning earlier messages are loaded. Pixels. */
const nearTop = 3_000;

/** The end of what is here of a branch that goes on. */
function Later(props: { readonly onShow: () => void }) {
  return (
    <article className="thin-line" tabIndex={-1} aria-label="Later messages">
      <button type="button" className="quiet-button" onClick={props.onShow}>
        Go to the end of this branch
      </button>
    </article>
  );
}

/** Returns which rows to render, and the function that follows the scrolling. */
function useDrawnRows(
  scroller: RefObject<HTMLDivElement | null>,
  list: {
    readonly rootId: RootId | null;
    readonly rows: readonly ConversationRow[] | null;
    readonly editingId: NodeId | null;
    readonly sought: NodeId | null;
    readonly onSought: () => void;
  },
) {
  const { rootId, rows, editingId, sought, onSought } = list;
  const ids = useMemo(() => rows?.map((row) => row.node.id) ?? [], [rows]);
  const onFound = useFound(sought, onSought);
  const window = useRowWindow(scroller, {
    rootId,
    ids,
    editingId,
    soughtAt: sought === null || rows === null ? -1 : rows.findIndex((row) => holdsNode(row, sought)),
    onFound,
  });
  return { ...window, ids };
}

/** Scrolls to the sought message once it is rendered, and focuses it. */
function useFound(sought: NodeId | null, onSought: () => void): () => void {
  return useCallback(() => {
    const message = document.querySelector(`[data-node-id="${CSS.escape(sought ?? "")}"]`);
    if (message instanceof HTMLElement) {
      message.scrollIntoView({ block: "start" });
      message.focus({ preventScroll: true });
    }
    onSought();
  }, [sought, onSought]);
}

/** Earlier messages that are not here yet. */
function Earlier(props: { readonly count: number; readonly onShow: () => void }) {
  return (
    <article className="thin-line" tabIndex={-1} aria-label="Earlier messages">
      <button type="button" className="quiet-button" onClick={props.onShow}>
        Show earlier messages ({props.count})
      </button>
    </article>
  );
}
