import { memo } from "react";
import type { NodeId } from "../../../src/core/base/ids.ts";
import { type ConversationSummary, conversationTitle } from "../../../src/core/forest/list.ts";
import type { MenuPoint } from "../ui/menu/context-menu.tsx";
import { Icon } from "../ui/icons.tsx";
import { indentOf } from "../ui/list/indent.ts";
import { NameField } from "../ui/list/name-field.tsx";
import { rowNote } from "../view/branches/outline.ts";
import type { ChoosableRow } from "./forest-rows.ts";

/** One line of the forest: a conversation or a branch. */
export const OutlineRowView = memo(function OutlineRowView(props: {
  readonly id: string;
  readonly row: ChoosableRow;
  readonly top: number;
  readonly height: number;
  readonly renaming: boolean;
  /** Called with the typed title; null: it was given up. */
  readonly onRename: (title: string | null) => void;
  readonly onMenu: (root: ConversationSummary, at: MenuPoint) => void;
  readonly active: boolean;
  readonly onPath: boolean;
  readonly running: boolean;
  readonly failed: boolean;
  readonly unread: boolean;
  readonly onAct: (row: ChoosableRow) => void;
  readonly onToggle: (nodeId: NodeId) => void;
}) {
  const { row } = props;
  const forks = row.type === "branch" && row.row.forks;
  const title = row.type === "root" ? conversationTitle(row.root) : row.row.title;
  const note = row.type === "root" ? "" : rowNote(row.row);
  return (
    <div
      id={props.id}
      role="treeitem"
      className={`outline-row ${row.type}`}
      aria-level={row.level}
      aria-selected={row.type === "root" ? row.open : props.onPath}
      aria-expanded={row.type === "root" ? row.open : forks ? !row.folded : undefined}
      aria-posinset={row.type === "root" ? row.place : row.row.place}
      aria-setsize={row.type === "root" ? row.of : row.row.of}
      data-active={props.active}
      data-on-path={props.onPath}
      style={{
        transform: `translateY(${props.top}px)`,
        blockSize: props.height,
        paddingInlineStart: indentOf(row.level),
      }}
      title={title}
      onClick={() => props.onAct(row)}
      onContextMenu={(event) => {
        if (row.type !== "root") return;
        event.preventDefault();
        props.onMenu(row.root, { x: event.clientX, y: event.clientY });
      }}
    >
      {row.type === "branch" && <Fold row={row} onToggle={props.onToggle} />}
      {row.type === "root" && <Icon name="chat" size={15} />}
      {props.renaming ? (
        <NameField name={title} onDone={props.onRename} />
      ) : (
        <span className="outline-title">{title}</span>
      )}
      {row.type === "root" &&
        row.root.tags?.slice(0, 2).map((tag) => (
          <span key={tag} className="row-tag">
            {tag}
          </span>
        ))}
      {row.type === "branch" && row.row.interrupted && <Icon name="stop" size={11} />}
      {note !== "" && <span className="outline-note">{note}</span>}
      {props.running && <RowSign kind="running" words="being written" />}
      {props.failed && <RowSign kind="failed" words="failed" />}
      {row.type === "root" && <ActivitySign activity={row.root.activity} />}
      {props.unread && !props.running && <RowSign kind="unread" words="unread" />}
      {row.type === "root" && !props.renaming && <RowMenu root={row.root} onMenu={props.onMenu} />}
    </div>
  );
});

function ActivitySign({ activity }: { readonly activity: ConversationSummary["activity"] | undefined }) {
  if (activity === undefined) return null;
  const words = { running: "an agent is working", waits: "waits for you", failed: "failed" };
  return <RowSign kind={activity} words={words[activity]} />;
}

function RowSign({
  kind,
  words,
}: {
  readonly kind: "running" | "waits" | "failed" | "unread";
  readonly words: string;
}) {
  return (
    <span className={`row-mark ${kind}`} title={words}>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}

/** Folds the branches below a fork; a mark where there is none. */
function Fold(props: {
  readonly row: Extract<ChoosableRow, { readonly type: "branch" }>;
  readonly onToggle: (nodeId: NodeId) => void;
}) {
  const { row, folded } = props.row;
  return (
    <span
      className="outline-fold"
      data-forks={row.forks}
      onClick={(event) => {
        if (!row.forks) return;
        event.stopPropagation();
        props.onToggle(row.id);
      }}
    >
      {row.forks ? (
        <Icon name={folded ? "chevron-right" : "chevron-down"} size={13} />
      ) : (
        <span className="outline-leaf" />
      )}
    </span>
  );
}

function RowMenu(props: {
  readonly root: ConversationSummary;
  readonly onMenu: (root: ConversationSummary, at: MenuPoint) => void;
}) {
  return (
    <span
      className="row-menu"
      aria-hidden="true"
      onClick={(event) => {
        event.stopPropagation();
        const box = event.currentTarget.getBoundingClientRect();
        props.onMenu(props.root, { x: box.left, y: box.bottom });
      }}
    >
      <Icon name="more" size={15} />
    </span>
  );
}
