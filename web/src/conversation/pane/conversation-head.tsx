import { memo, useEffect, useRef, useState } from "react";
import type { FolderId, NodeId } from "../../../../src/core/base/ids.ts";
import type { ShownRoot } from "../../view/run/shown-root.ts";
import { titleUnitsMax } from "../../../../src/core/protocol/base/limits.ts";
import { ConversationDialog } from "../../turn/lazy-conversation-dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useApp } from "../../ui/app-context.ts";
import { useObservable } from "../../ui/use-observable.ts";
import { useSelected } from "../../ui/use-selected.ts";
import { conversationTitle } from "../../../../src/core/forest/list.ts";
import type { Conversation } from "../state/conversation.ts";
import { Breadcrumb } from "./breadcrumb.tsx";
import { ConversationMenu } from "./conversation-menu.tsx";
import { ContextDialog } from "./lazy-context-dialog.tsx";

/** The title, forks and permissions of a conversation. */
export const ConversationHead = memo(function ConversationHead(props: {
  readonly conversation: Conversation;
  readonly root: ShownRoot;
  readonly renaming: boolean;
  readonly onRenaming: (renaming: boolean) => void;
  readonly onGo: (nodeId: NodeId) => void;
}) {
  const { conversation, root, renaming, onRenaming } = props;
  const { tree, path } = useSelected(conversation.state, (state) => ({ tree: state.tree, path: state.path }));
  return (
    <header className="pane-head">
      {renaming ? (
        <TitleField
          key={root.id}
          title={root.title}
          onDone={(title) => {
            if (title !== null && title !== root.title) conversation.rename(title);
            onRenaming(false);
          }}
        />
      ) : (
        <h2 className="pane-title" title={conversationTitle(root)} onDoubleClick={() => onRenaming(true)}>
          {conversationTitle(root)}
        </h2>
      )}
      <FolderChip folderId={root.folderId ?? null} />
      {tree !== null && <Breadcrumb branches={tree} path={path} onGo={props.onGo} />}
      {!renaming && (
        <button
          type="button"
          className="icon-button rename"
          aria-label="Rename the conversation"
          title="Rename"
          onClick={() => onRenaming(true)}
        >
          <Icon name="pencil" size={14} />
        </button>
      )}
      <button
        type="button"
        className="icon-button"
        aria-label={root.archived ? "Take the conversation out of the archive" : "Archive the conversation"}
        title={root.archived ? "Take out of the archive" : "Archive"}
        aria-pressed={root.archived}
        onClick={() => conversation.archive(!root.archived)}
      >
        <Icon name="archive" size={14} />
      </button>
      <HeadTools conversation={conversation} root={root} />
    </header>
  );
});

/** What can be seen of a conversation, and done with all of it. */
function HeadTools({ conversation, root }: { readonly conversation: Conversation; readonly root: ShownRoot }) {
  const { own, tree, path, run } = useSelected(conversation.state, (state) => ({
    own: state.root,
    tree: state.tree,
    path: state.path,
    run: state.run,
  }));
  const [shown, setShown] = useState<"context" | "permissions" | null>(null);
  const onContext = (): void => setShown("context");
  const onPermissions = (): void => setShown("permissions");
  const onClose = (): void => setShown(null);
  const last = path.at(-1);
  return (
    <>
      <HeadButton icon="eye" label="What the model sees next" onClick={onContext} />
      <HeadButton
        icon="shield"
        label="Permissions and usage of this conversation"
        title="Permissions and usage"
        onClick={onPermissions}
      />
      <ConversationMenu
        conversation={last === undefined ? null : { rootId: root.id, title: conversationTitle(root), lastId: last.id }}
        onContext={onContext}
        onPermissions={onPermissions}
      />
      {shown === "context" && tree !== null && (
        <ContextDialog
          conversation={conversation}
          rootId={root.id}
          nodeId={last?.id ?? null}
          nodesById={tree.nodesById}
          onClose={onClose}
        />
      )}
      {shown === "permissions" && own !== null && <ConversationDialog root={own} run={run} onClose={onClose} />}
    </>
  );
}

function HeadButton(props: {
  readonly icon: "eye" | "shield";
  readonly label: string;
  /** What the pointer shows; the label by default. */
  readonly title?: string;
  readonly onClick: () => void;
}) {
  const { icon, label, title = label, onClick } = props;
  return (
    <button type="button" className="icon-button" aria-label={label} title={title} onClick={onClick}>
      <Icon name={icon} size={14} />
    </button>
  );
}

/** The folder that the conversation works in, for good. */
function FolderChip({ folderId }: { readonly folderId: FolderId | null }) {
  const view = useObservable(useApp().client.folders);
  if (folderId === null || view === null) return null;
  const folder = view.folders.find(({ id }) => id === folderId);
  const away = folder === undefined ? "it was removed from Heddle" : folder.away;
  const name = folder?.name ?? "Folder";
  const hint = `${folder?.path ?? "The conversation’s folder"}${away === null ? "" : ` is away: ${away}. Nothing is read or written there`}`;
  return (
    <span className="folder-chip" data-away={away === null ? undefined : ""} title={hint}>
      {away === null ? name : `${name} · away`}
    </span>
  );
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
