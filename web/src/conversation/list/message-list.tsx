import { memo, useCallback, useMemo } from "react";
import type { Actor } from "../../../../src/core/base/actor.ts";
import { unreachable } from "../../../../src/core/base/assert.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Author } from "../../ui/author.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useObservable } from "../../ui/use-observable.ts";
import { callStandings } from "../../view/calls/call-standing.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { resultText } from "../../view/calls/tool-summary.ts";
import { lastSaid } from "../../view/branches/hidden.ts";
import { HiddenLine } from "../message/canvas-line.tsx";
import { QuestionRow } from "../message/question-row.tsx";
import { LiveReply, ReplyRow } from "../message/reply-row.tsx";
import { rowsOf } from "./rows.ts";
import type { ConversationModel } from "../state/use-conversation.ts";
import { useEarlier } from "./use-earlier.ts";
import { useFollow } from "./use-follow.ts";

/** The messages of the path, and what is being written at their end. */
export const MessageList = memo(function MessageList(props: {
  readonly model: ConversationModel;
  readonly self: Actor | null;
  /** Who writes now, or else answers next. */
  readonly agent: Author;
  readonly canvasTitle: string | null;
  readonly editingId: NodeId | null;
  readonly onEditing: (nodeId: NodeId | null) => void;
  /** A message of the path that is to come into view, also where it is not drawn yet. */
  readonly sought: NodeId | null;
  readonly onSought: () => void;
}) {
  const { model } = props;
  const { view, path, run } = model;
  const childrenByParent = view?.childrenByParent ?? null;
  const nodesById = view?.nodesById ?? null;
  const laid = useMemo(
    () => (childrenByParent === null || nodesById === null ? null : rowsOf({ childrenByParent, nodesById }, path)),
    [childrenByParent, nodesById, path],
  );
  const connection = useObservable(useApp().client.state);
  const sendingNote = connection.type === "live" ? "Sending…" : "Not sent yet · goes out when the server answers";
  const lastText = run?.liveBlocks.at(-1)?.text.length ?? 0;
  const { scroller, ...follow } = useFollow({
    rootId: model.rootId,
    sending: model.sending,
    changed: `${path.length} ${model.selection.tipId} ${run?.liveBlocks.length} ${lastText} ${view?.notices.length}`,
    ready: laid !== null,
  });
  const { sought, onSought } = props;
  const onFound = useCallback(() => {
    const message = document.querySelector(`[data-node-id="${CSS.escape(sought ?? "")}"]`);
    if (message instanceof HTMLElement) {
      message.scrollIntoView({ block: "start" });
      message.focus({ preventScroll: true });
    }
    onSought();
  }, [sought, onSought]);
  const rows = laid?.rows ?? [];
  const { hiddenCount, showMore } = useEarlier(scroller, {
    rootId: model.rootId,
    rowCount: rows.length,
    soughtAt: sought === null ? -1 : rows.findIndex((row) => row.node.id === sought),
    onFound,
  });

  const active = run !== null && isActive(run);
  const runState = run?.state ?? null;
  const standings = useMemo(() => callStandings(runState), [runState]);

  if (laid === null || view === null) return <div className="messages" ref={scroller} />;
  const shown = laid.rows.slice(hiddenCount);
  const last = path.at(-1);
  const said = lastSaid(path);
  const liveBlocks = active && run !== null ? run.liveBlocks : [];
  const replies = said !== undefined && said === last && said.message.role !== "user";
  const notices =
    run === null
      ? []
      : view.notices.filter((notice) => notice.runId === run.runId && notice.at >= (last?.createdAt ?? 0));
  const waits =
    active && liveBlocks.length === 0 && run.state.type !== "awaiting-approval" && run.state.type !== "awaiting-answer";

  return (
    <div
      className="messages"
      ref={scroller}
      onScroll={follow.onScroll}
      tabIndex={0}
      role="region"
      aria-label="Messages"
    >
      <div className="message-column" role="feed" aria-label="Messages of this branch" aria-busy={active}>
        {hiddenCount > 0 && <Earlier count={hiddenCount} onShow={showMore} />}
        {shown.map((row, index) => {
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
                  onEditing={props.onEditing}
                  onEdit={model.edit}
                  onVersion={model.showVersion}
                />
              );
            case "reply":
              return (
                <ReplyRow
                  key={row.node.id}
                  node={row.node}
                  siblings={row.siblings}
                  place={place}
                  begins={row.begins}
                  ends={row.ends}
                  results={laid.resultsByCall}
                  standings={standings}
                  working={active && row.ends && place === laid.rows.length}
                  canvasTitle={props.canvasTitle}
                  onVersion={model.showVersion}
                  onRegenerate={model.regenerate}
                />
              );
            case "hidden":
              return <HiddenLine key={row.node.id} node={row.node} place={place} />;
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
        })}
        {model.sending !== null && <PendingQuestion self={props.self} words={model.sending} note={sendingNote} />}
        {liveBlocks.length > 0 && (
          <LiveReply
            actor={props.agent}
            blocks={liveBlocks}
            begins={!replies}
            place={laid.rows.length + 1}
            canvasTitle={props.canvasTitle}
          />
        )}
        {waits && (
          <article
            className={`message reply live ${replies ? "continues" : "begins"}`}
            tabIndex={-1}
            aria-busy="true"
            aria-label="The agent, at work"
          >
            <span className="writing-mark" aria-hidden="true" />
          </article>
        )}
        {run?.queued === true && (
          <PendingQuestion
            self={props.self}
            words={model.queuedWords ?? "A message waits."}
            note="Queued · starts when the agent is free"
          />
        )}
        {notices.map((notice) => (
          <article key={`${notice.at}${notice.text}`} className="thin-line" tabIndex={-1} aria-label="Notice">
            {notice.text}
          </article>
        ))}
      </div>
      {!follow.atEnd && (
        <button type="button" className="jump" onClick={follow.toEnd}>
          <Icon name="down" size={14} /> {active ? "Jump to what is being written" : "Jump to the end"}
        </button>
      )}
    </div>
  );
});

function PendingQuestion(props: { readonly self: Actor | null; readonly words: string; readonly note: string }) {
  return (
    <article className="message question pending" tabIndex={-1} aria-label={props.note}>
      <header className="message-head">
        <span className="message-author">{props.self?.name ?? "You"}</span>
        <span className="pending-note">{props.note}</span>
      </header>
      <div className="message-words">{props.words}</div>
    </article>
  );
}

/** Stands for what is above and not drawn yet. */
function Earlier(props: { readonly count: number; readonly onShow: () => void }) {
  return (
    <article className="thin-line" tabIndex={-1} aria-label="Earlier messages">
      <button type="button" className="quiet-button" onClick={props.onShow}>
        Show earlier messages ({props.count})
      </button>
    </article>
  );
}
