import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ConversationView, WorkspaceView } from "../../../../src/client/types.ts";
import type { ActorId, NodeId } from "../../../../src/core/base/ids.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../../src/core/forest/types.ts";
import { titleUnitsMax } from "../../../../src/core/protocol/limits.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Author } from "../../ui/author.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { Presets } from "../state/presets.ts";
import { useObservable } from "../../ui/use-observable.ts";
import { conversationTitle } from "../../view/words/conversation-title.ts";
import { ideasFor } from "../../view/words/ideas.ts";
import { idsBelow } from "../../view/branches/message-text.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { Beside } from "./beside.tsx";
import { Breadcrumb } from "./breadcrumb.tsx";
import { Composer } from "../composer/composer.tsx";
import { ErrorCard } from "./error-card.tsx";
import { MessageActionsContext, type MessageActions, type MessageQuestion } from "../message/message-actions.ts";
import { MessageDialog } from "../message/message-dialogs.tsx";
import { MessageList } from "../list/message-list.tsx";
import { isUnanswered } from "../../view/branches/questions.ts";
import { ConversationDialog } from "../../turn/lazy-conversation-dialog.tsx";
import { TurnCards } from "../../turn/turn-cards.tsx";
import type { ConversationModel } from "../state/use-conversation.ts";
import { useTreeActions } from "../state/use-tree-actions.ts";

/** The open conversation: its branch, what is being written, and where to write. */
export function ConversationPane(props: {
  readonly model: ConversationModel;
  readonly root: ForestRoot | null;
  /** A new one is asked for and not here yet. */
  readonly opening: boolean;
  readonly workspace: WorkspaceView;
  readonly presets: Presets;
  readonly canvasTitle: string | null;
  readonly editingId: NodeId | null;
  readonly onEditing: (nodeId: NodeId | null) => void;
  readonly renaming: boolean;
  readonly onRenaming: (renaming: boolean) => void;
  /** What is asked about a message now. */
  readonly asked: AskedMessage | null;
  readonly onAsk: (asked: AskedMessage | null) => void;
  /** A message that is to come into view once it is on the path. */
  readonly goal: NodeId | null;
  readonly onGoal: () => void;
  readonly onNew: () => void;
  /** Opens the settings where keys are given. */
  readonly onKeys: () => void;
}) {
  const { client } = useApp();
  const self = useObservable(client.actor);
  const { model, root } = props;
  const modelId = root?.model ?? "";
  // Who writes now may be another than who answers next.
  const writing = model.run !== null && isActive(model.run) ? model.run.model : modelId;
  const writer = props.workspace.models.find((candidate) => candidate.id === writing)?.name ?? writing;
  const agent = useMemo(
    (): Author => ({ type: "model", id: `model:${writing}` as ActorId, name: writer }),
    [writing, writer],
  );
  const [sought, setSought] = useState<NodeId | null>(null);
  const [ruling, setRuling] = useState(false);
  const onSought = useCallback(() => setSought(null), []);
  const { goal, onGoal, onAsk } = props;
  const reached = goal !== null && model.path.some((node) => node.id === goal);
  useEffect(() => {
    if (!reached) return;
    setSought(goal);
    onGoal();
  }, [reached, goal, onGoal]);
  const tree = useTreeActions(model.show);
  const bookmarks = model.view?.bookmarks ?? noBookmarks;
  const { models } = props.workspace;
  const actions = useMemo(
    (): MessageActions => ({
      models,
      bookmarks,
      askAgain: model.regenerate,
      unbookmark: tree.unbookmark,
      ask: (node, question) => onAsk({ node, question }),
    }),
    [models, bookmarks, model.regenerate, tree, onAsk],
  );
  if (props.opening) {
    return (
      <div className="empty" aria-busy="true">
        <p>Opening a new conversation…</p>
      </div>
    );
  }
  if (root === null) {
    return (
      <div className="empty">
        <h2>No conversation is open</h2>
        <p>A conversation is a tree: every question can be asked again, and no answer is lost.</p>
        <button type="button" className="button primary" onClick={props.onNew}>
          <Icon name="plus" /> New conversation
        </button>
      </div>
    );
  }
  const elsewhere = (model.view?.runs ?? []).find(
    (run) => isActive(run) && run.runId !== model.run?.runId && run.headNodeId !== null,
  );
  const active = model.run !== null && isActive(model.run);
  const last = model.path.at(-1);
  const firstBelow = last === undefined ? [] : (model.view?.childrenByParent.get(last.id) ?? noIds);
  const below = firstBelow.length;
  const runType = model.run?.state.type;
  const cancels = runType === "cancelling" || runType === "cancelling-sub-agents";
  const work = cancels ? "cancelling" : active ? "running" : "none";
  return (
    <>
      <header className="pane-head">
        {props.renaming ? (
          <TitleField
            key={root.id}
            title={root.title}
            onDone={(title) => {
              if (title !== null && title !== root.title) model.rename(title);
              props.onRenaming(false);
            }}
          />
        ) : (
          <h2 className="pane-title" title={conversationTitle(root)} onDoubleClick={() => props.onRenaming(true)}>
            {conversationTitle(root)}
          </h2>
        )}
        {model.view !== null && <Breadcrumb branches={model.view} path={model.path} onGo={setSought} />}
        {!props.renaming && (
          <button
            type="button"
            className="icon-button rename"
            aria-label="Rename the conversation"
            title="Rename"
            onClick={() => props.onRenaming(true)}
          >
            <Icon name="pencil" size={14} />
          </button>
        )}
        <button
          type="button"
          className="icon-button"
          aria-label="Rules and use of this conversation"
          title="Rules and use"
          onClick={() => setRuling(true)}
        >
          <Icon name="settings" size={14} />
        </button>
        {ruling && <ConversationDialog root={root} run={model.run} onClose={() => setRuling(false)} />}
      </header>
      {model.view !== null && model.path.length === 0 && model.sending === null && model.run === null ? (
        <Beginning canvasTitle={props.canvasTitle} modelId={modelId} onPick={model.setDraft} />
      ) : (
        <MessageActionsContext value={actions}>
          <MessageList
            model={model}
            self={self}
            agent={agent}
            canvasTitle={props.canvasTitle}
            editingId={props.editingId}
            onEditing={props.onEditing}
            sought={sought}
            onSought={onSought}
          />
        </MessageActionsContext>
      )}
      {props.asked !== null && model.view !== null && (
        <MessageDialog
          node={props.asked.node}
          question={props.asked.question}
          tree={tree}
          {...surroundings(model.view, props.asked.node)}
          onClose={() => onAsk(null)}
        />
      )}
      <div className="pane-foot">
        <Beside run={model.run} runs={model.view?.runs ?? []} onShow={model.showRun} />
        {elsewhere !== undefined && elsewhere.headNodeId !== model.run?.headNodeId && (
          <p className="pill">
            <span className="state-dot" aria-hidden="true" />
            Another branch of this conversation is being written
            <button type="button" className="quiet-button" onClick={() => model.showRun(elsewhere)}>
              Show it
            </button>
          </p>
        )}
        {below > 1 && !active && (
          <p className="pill">
            {below} messages have come below this one
            {firstBelow.map((id, index) => (
              <button
                key={id}
                type="button"
                className="quiet-button"
                aria-label={`Show message ${index + 1} of ${below}`}
                onClick={() => model.show(id)}
              >
                {index + 1}
              </button>
            ))}
          </p>
        )}
        {model.run !== null && <TurnCards run={model.run} onShow={model.show} />}
        {model.run !== null && (
          <ErrorCard
            run={model.run}
            modelId={modelId}
            models={props.workspace.models}
            onRetry={model.retry}
            onModel={model.setModel}
            onKeys={props.onKeys}
          />
        )}
        <Composer
          pasted={model.pasted}
          onPasted={model.setPasted}
          unanswered={last !== undefined && isUnanswered(last) && below === 0}
          presets={props.presets}
          draft={model.draft}
          onDraft={model.setDraft}
          onSend={model.send}
          isOpen={model.view !== null}
          onCancel={model.cancel}
          onModel={model.setModel}
          work={work}
          modelId={modelId}
          models={props.workspace.models}
          replies={model.replies}
          onReplies={model.setReplies}
          attachments={model.attachments}
        />
      </div>
    </>
  );
}

/** A question about a message, waiting for its answer. */
export interface AskedMessage {
  readonly node: ForestNode;
  readonly question: MessageQuestion;
}

const noBookmarks: readonly Bookmark[] = [];
const noIds: readonly NodeId[] = [];

/** What a deletion would take along. */
function surroundings(
  view: ConversationView,
  { id }: ForestNode,
): { readonly belowCount: number; readonly markedBelow: readonly string[] } {
  const below = idsBelow(view, id);
  const gone = new Set<NodeId | null>([id, ...below]);
  const marked = view.bookmarks.filter(({ nodeId }) => nodeId !== null && gone.has(nodeId));
  return { belowCount: below.length, markedBelow: marked.map(({ title }) => title) };
}

function TitleField(props: { readonly title: string; readonly onDone: (title: string | null) => void }) {
  const [title, setTitle] = useState(props.title);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <input
      ref={field}
      className="title-field"
      aria-label="Title of the conversation"
      maxLength={titleUnitsMax}
      value={title}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => props.onDone(title)}
      onKeyDown={(event) => {
        if (event.key === "Enter") props.onDone(title);
        if (event.key === "Escape") {
          event.stopPropagation();
          props.onDone(null);
        }
      }}
    />
  );
}

/** What a conversation without messages offers. */
function Beginning(props: {
  readonly canvasTitle: string | null;
  readonly modelId: string;
  readonly onPick: (text: string) => void;
}) {
  const canvas = props.canvasTitle;
  const ideas = ideasFor(canvas, props.modelId);
  return (
    <div className="empty beginning">
      <h2>{canvas === null ? "Ask anything" : `Ask for a change in ${canvas}`}</h2>
      <p>
        {canvas === null
          ? "Choose or make a canvas beside this, and the agent can write in it."
          : "You see each step as it happens, and can type in the canvas meanwhile."}
      </p>
      <ul className="ideas">
        {ideas.map((idea) => (
          <li key={idea}>
            <button
              type="button"
              className="idea"
              onClick={() => {
                props.onPick(idea);
                document.querySelector<HTMLTextAreaElement>("[aria-label='Message']")?.focus();
              }}
            >
              {idea}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
