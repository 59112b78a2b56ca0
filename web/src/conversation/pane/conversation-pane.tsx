import { memo, useCallback, useEffect, useMemo, useState } from "react";
import type { WorkspaceView } from "../../../../src/client/base/types.ts";
import type { BlockId, ActorId, NodeId } from "../../../../src/core/base/ids.ts";
import type { ShownRoot } from "../../view/run/shown-root.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Author } from "../../ui/author.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useOwnRole } from "../../ui/lock/use-own-role.ts";
import { useObservable } from "../../ui/use-observable.ts";
import { useSelected } from "../../ui/use-selected.ts";
import { noBeginningWords } from "../../view/words/own-role.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { MessageList, OpenQuestion } from "./lazy-pane-parts.tsx";
import { type AskedMessage, MessageActionsContext, type MessageActions } from "../message/message-actions.ts";
import type { Conversation } from "../state/conversation.ts";
import type { Presets } from "../ask/presets.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { type Stretch, type TreeActions, useTreeActions } from "../state/use-tree-actions.ts";
import { Beginning } from "./beginning.tsx";
import { ConversationHead } from "./conversation-head.tsx";
import { createKeepLate } from "./keep-late.ts";
import { PaneFoot } from "./pane-foot.tsx";

interface PaneProps {
  readonly conversation: Conversation;
  /** Whether a new conversation, or a known one, was requested and has not arrived yet. */
  readonly opening: "new" | "known" | null;
  readonly workspace: WorkspaceView;
  readonly presets: Presets;
  /** The shown canvas. */
  readonly canvasId: BlockId | null;
  readonly canvasTitle: string | null;
  /** The canvas that the next question is about. */
  readonly worksOn: BlockId | null;
  /** Sets the document that the conversation works on. */
  readonly onWorkOn: (canvasId: BlockId | null) => void;
  readonly editingId: NodeId | null;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
  readonly renaming: boolean;
  readonly onRenaming: (renaming: boolean) => void;
  /** The open question about a message. */
  readonly asked: AskedMessage | null;
  readonly onAsk: (asked: AskedMessage | null) => void;
  /** A message to scroll to once it is on the path. */
  readonly goal: NodeId | null;
  readonly onGoal: () => void;
  readonly onNew: () => void;
  /** Opens the settings of provider keys. */
  readonly onKeys: () => void;
}

/** The open conversation: its branch, the reply being written, and the composer. */
export const ConversationPane = memo(function ConversationPane(props: PaneProps & { readonly root: ShownRoot | null }) {
  const { root, opening, onNew } = props;
  if (opening !== null) {
    return (
      <div className="empty" aria-busy="true">
        <p>{opening === "new" ? "Opening a new conversation…" : "Opening the conversation…"}</p>
      </div>
    );
  }
  return root === null ? <NoConversation onNew={onNew} /> : <OpenConversation {...props} root={root} />;
});

function NoConversation({ onNew }: Pick<PaneProps, "onNew">) {
  const forbidden = noBeginningWords(useOwnRole({ type: "workspace" }));
  return (
    <div className="empty">
      <h2>No conversation is open</h2>
      <p>A conversation is a tree: you can ask any question again, and no answer is lost.</p>
      <button
        type="button"
        className="button primary"
        onClick={onNew}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
      >
        <Icon name="plus" /> New conversation
      </button>
    </div>
  );
}

function OpenConversation(props: PaneProps & { readonly root: ShownRoot }) {
  const { conversation, root, workspace, canvasTitle, asked, onAsk } = props;
  const tree = useTreeActions(conversation.show);
  const { isEmpty } = useSelected(conversation.state, (state) => ({
    isEmpty: state.tree !== null && state.path.length === 0 && state.sending === null && state.run === null,
  }));
  const { sought, setSought, onSought } = useSought(props);
  const { draft } = conversation;
  return (
    <>
      <ConversationHead
        conversation={conversation}
        root={root}
        renaming={props.renaming}
        onRenaming={props.onRenaming}
        onGo={setSought}
      />
      {isEmpty ? (
        <Beginning canvasTitle={canvasTitle} modelId={root.model} onPick={draft.setText} />
      ) : (
        <Messages
          conversation={conversation}
          modelId={root.model}
          models={workspace.models}
          tree={tree}
          onAsk={onAsk}
          canvasTitle={canvasTitle}
          editingId={props.editingId}
          onEdit={props.onEdit}
          onEdited={props.onEdited}
          sought={sought}
          onSought={onSought}
        />
      )}
      {asked !== null && (
        <OpenQuestion conversation={conversation} asked={asked} tree={tree} onClose={() => onAsk(null)} />
      )}
      <PaneFoot
        conversation={conversation}
        modelId={root.model}
        models={workspace.models}
        presets={props.presets}
        worksOn={props.worksOn}
        canvasId={props.canvasId}
        canvasTitle={canvasTitle}
        onWorkOn={props.onWorkOn}
        onKeys={props.onKeys}
      />
    </>
  );
}

/** The message to scroll to: the goal once it is on the path, or one chosen here. */
function useSought({ conversation, goal, onGoal }: Pick<PaneProps, "conversation" | "goal" | "onGoal">) {
  const [sought, setSought] = useState<NodeId | null>(null);
  const onSought = useCallback(() => setSought(null), []);
  const { reached } = useSelected(conversation.state, ({ path }) => ({
    reached: goal !== null && path.some((node) => node.id === goal),
  }));
  useEffect(() => {
    if (!reached) return;
    setSought(goal);
    onGoal();
  }, [reached, goal, onGoal]);
  return { sought, setSought, onSought };
}

/** Remembers a stretch of the shown branch, to copy it below another message of the conversation. */
function useCarried(conversation: Conversation, { graft }: TreeActions): Pick<MessageActions, "carry" | "putBelow"> {
  const { announce, tell } = useApp();
  const [carried, setCarried] = useState<Stretch | null>(null);
  const carry = useCallback(
    (first: ForestNode) => {
      const last = conversation.state.get().path.at(-1) ?? first;
      setCarried({ first, last });
      const words = "The branch from here is copied. Open another message’s menu to put it below that message.";
      tell(words);
      announce(words);
    },
    [conversation, announce, tell],
  );
  const isHere = carried !== null && carried.first.rootId === conversation.rootId;
  const putBelow = useMemo(
    () => (isHere ? (parent: ForestNode) => graft(carried, parent) : null),
    [isHere, carried, graft],
  );
  return { carry, putBelow };
}

/** The messages and their menu actions. */
function Messages(props: {
  readonly conversation: Conversation;
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  readonly tree: TreeActions;
  readonly onAsk: (asked: AskedMessage) => void;
  readonly canvasTitle: string | null;
  readonly editingId: NodeId | null;
  readonly onEdit: (nodeId: NodeId) => void;
  readonly onEdited: (nodeId: NodeId) => void;
  readonly sought: NodeId | null;
  readonly onSought: () => void;
}) {
  const { conversation, modelId, models, tree, onAsk, ...list } = props;
  const { client, tell } = useApp();
  const self = useObservable(client.actor);
  const { bookmarks, writing } = useSelected(conversation.state, (state) => ({
    bookmarks: state.bookmarks,
    // The agent at work may differ from the one that answers next.
    writing: state.run !== null && isActive(state.run) ? state.run.model : modelId,
  }));
  const writer = models.find((candidate) => candidate.id === writing)?.name ?? writing;
  const agent = useMemo(
    (): Author => ({ type: "model", id: `model:${writing}` as ActorId, name: writer }),
    [writing, writer],
  );
  const { regenerate, goOn, compact } = conversation;
  const { onEdit } = props;
  const keepLate = useMemo(() => createKeepLate(conversation, onEdit, tell), [conversation, onEdit, tell]);
  const { carry, putBelow } = useCarried(conversation, tree);
  const actions = useMemo(
    (): MessageActions => ({
      models,
      bookmarks,
      askAgain: regenerate,
      goOn,
      keepLate,
      unbookmark: tree.unbookmark,
      exclude: tree.exclude,
      collapse: tree.collapse,
      compactThrough: (node) => compact({ through: node.id }),
      switchSummary: tree.switchSummary,
      rewriteSummary: tree.rewriteSummary,
      carry,
      putBelow,
      ask: (node, question) => onAsk({ node, question }),
    }),
    [models, bookmarks, regenerate, goOn, keepLate, compact, tree, carry, putBelow, onAsk],
  );
  return (
    <MessageActionsContext value={actions}>
      <MessageList conversation={conversation} self={self} agent={agent} {...list} />
    </MessageActionsContext>
  );
}
