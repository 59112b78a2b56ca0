import { memo, useEffect, useMemo, useState } from "react";
import type { BlockId, NodeId, RootId } from "../../../src/core/base/ids.ts";
import type { Bookmark, ForestNode } from "../../../src/core/forest/types.ts";
import type { Seen } from "../conversation/kept/kept-view.ts";
import { DocumentsSection } from "../documents/documents-section.tsx";
import type { CurrentDocument } from "../documents/use-document-tree.ts";
import { FolderChoice } from "../files/folder-choice.tsx";
import type { Files } from "../files/use-files.ts";
import { Icon } from "../ui/icons.tsx";
import { useOwnRole } from "../ui/lock/use-own-role.ts";
import type { Branches } from "../view/branches/path.ts";
import { noBeginningWords } from "../view/words/own-role.ts";
import { layThreads } from "../view/branches/thread-layout.ts";
import { BookmarkList } from "./bookmark-list.tsx";
import { ConversationList } from "./conversation-list.tsx";
import { Overview } from "./overview.tsx";
import type { RowMarks } from "./row-marks.ts";

/** Conversations, the branches of the open one, and the documents. */
export const ForestPane = memo(function ForestPane(props: {
  readonly rootId: RootId | null;
  readonly branches: Branches;
  readonly path: readonly ForestNode[];
  readonly marks: RowMarks;
  readonly seen: Seen;
  readonly onShow: (nodeId: NodeId) => void;
  /** The bookmarks of the open conversation. */
  readonly bookmarks: readonly Bookmark[];
  readonly onBookmark: (bookmark: Bookmark) => void;
  readonly document: CurrentDocument | null;
  readonly files: Files;
  readonly onFile: (path: string) => void;
  /** Attaches a file to the message that is being written. */
  readonly onAttach: (file: File) => void;
  readonly onOpen: (rootId: RootId) => void;
  readonly onNew: () => void;
  readonly onCanvas: (canvasId: BlockId) => void;
  /** Called when the text of the document is to be typed. */
  readonly onWrite: () => void;
}) {
  const { path, marks, files } = props;
  const { childrenByParent } = props.branches;
  const [filter, setFilter] = useState("");
  const layout = useMemo(() => layThreads({ childrenByParent }), [childrenByParent]);
  const pathIds = useMemo(() => new Set(path.map((node) => node.id)), [path]);
  const words = filter.trim();
  const { setContaining } = files;
  // A tag is of conversations alone.
  const documentWords = words.replace(/#\S*/u, "").trim();
  useEffect(() => setContaining(documentWords), [documentWords, setContaining]);

  return (
    <>
      <ForestHead onNew={props.onNew} />
      <FolderChoice files={files} />
      {layout.strands.length > 0 && <Overview layout={layout} path={pathIds} marks={marks} onShow={props.onShow} />}
      <div className="filter">
        <Icon name="search" size={14} />
        <input
          type="search"
          aria-label="Filter conversations and documents"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      <div className="side-sections">
        <ConversationList
          rootId={props.rootId}
          branches={props.branches}
          path={path}
          marks={marks}
          seen={props.seen}
          filter={words}
          onFilter={setFilter}
          onShow={props.onShow}
          onOpen={props.onOpen}
        />
        <BookmarkList bookmarks={props.bookmarks} onGo={props.onBookmark} />
        <DocumentsSection
          files={files}
          filter={documentWords}
          current={props.document}
          onCanvas={props.onCanvas}
          onFile={props.onFile}
          onAttach={props.onAttach}
          onWrite={props.onWrite}
        />
      </div>
    </>
  );
});

function ForestHead({ onNew }: { readonly onNew: () => void }) {
  const forbidden = noBeginningWords(useOwnRole({ type: "workspace" }));
  return (
    <header className="pane-head forest-head">
      <h2 className="pane-title">Forest</h2>
      <button
        type="button"
        className="button small"
        onClick={onNew}
        disabled={forbidden !== null}
        title={forbidden ?? "New conversation (Alt+Shift+N)"}
      >
        <Icon name="plus" size={14} /> New conversation
      </button>
    </header>
  );
}
