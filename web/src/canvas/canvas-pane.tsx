import { type ReactNode, type Ref, useState } from "react";
import type { ListView, TextReplica } from "../../../src/client/base/types.ts";
import type { BlockId, NodeId } from "../../../src/core/base/ids.ts";
import type { CanvasSummary } from "../../../src/core/forest/list.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { useOwnRole } from "../ui/lock/use-own-role.ts";
import { Menu } from "../ui/menu/menu.tsx";
import { useList } from "../ui/list/use-list.ts";
import type { OriginPlace } from "../blame/origin-words.ts";
import { nameAndFolder } from "../files/file-words.ts";
import type { OpenFile } from "../files/use-files.ts";
import type { CanvasHandle } from "./canvas-handle.ts";
import { OpenCanvas } from "./open-canvas.tsx";
import { TrashedCanvas } from "../trash/trashed-canvas.tsx";
import { useDeletions } from "../trash/use-deletions.ts";
import { DocumentTabs } from "../tabs/document-tabs.tsx";
import { TabCount, TabSheet } from "../tabs/tab-sheet.tsx";
import { useMedia } from "../ui/use-observable.ts";
import { useSelected } from "../ui/use-selected.ts";
import { useReplica } from "../editor/use-replica.ts";

interface CanvasPaneProps {
  readonly ref: Ref<CanvasHandle>;
  readonly canvasId: BlockId | null;
  /** null until it has been fetched. */
  readonly canvasTitle: string | null;
  /** Whether a canvas of this id exists outside the trash, as far as is known. */
  readonly listed: boolean;
  /** A file shown instead of the canvas; null for none. */
  readonly file: OpenFile | null;
  /** Called when the file was written, became dirty or came into conflict. */
  readonly onFileState: () => void;
  /** Messages of the open conversation, which explain revisions. */
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** The messages of the shown branch. */
  readonly path: readonly ForestNode[];
  readonly onNode: (nodeId: NodeId) => void;
  /** Called to show the origin of a line. */
  readonly onPlace: (place: OriginPlace) => void;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onNewCanvas: () => void;
}

const noHeader: TextReplica["header"] = { get: () => null, subscribe: () => () => undefined };

/** The open documents and the live one. */
export function CanvasPane(props: CanvasPaneProps) {
  const narrow = useMedia("(max-width: 719px)");
  // Here, so that the sheet stays while the document below it arrives.
  const [sheet, setSheet] = useState(false);
  if (sheet && !narrow) setSheet(false);
  return (
    <>
      {!narrow && <DocumentTabs />}
      <ShownDocument {...props} count={narrow ? <TabCount onPress={() => setSheet(true)} /> : null} />
      {sheet && <TabSheet onClose={() => setSheet(false)} />}
    </>
  );
}

function ShownDocument(props: CanvasPaneProps & { readonly count: ReactNode }) {
  const { client } = useApp();
  const { file } = props;
  const shownId = file?.blockId ?? props.canvasId;
  const replica = useReplica(client, shownId);
  const role = useOwnRole(shownId === null ? null : { type: "document", id: shownId }, replica?.refused ?? null);
  const title = file === null ? props.canvasTitle : file.path;
  const canvases = useList({ of: "canvases", filter: "", count: canvasesChosenFrom });
  const picker = (
    <>
      <CanvasPicker {...props} canvases={canvases} shownId={shownId} title={title} />
      {props.count}
    </>
  );
  const none = <NoCanvas hasOthers={(canvases?.total ?? 0) > 0} onNew={props.onNewCanvas} />;
  // A file is in no list: its block says that it was deleted.
  const { deleted } = useSelected(replica?.header ?? noHeader, (header) => ({
    deleted: header?.deletedAt !== undefined,
  }));
  if (shownId === null || (file === null ? !props.listed : deleted)) {
    return (
      <>
        <header className="pane-head">{picker}</header>
        {shownId === null ? none : <TrashedCanvas canvasId={shownId} replica={replica} otherwise={none} />}
      </>
    );
  }
  if (replica === null || title === null) {
    return (
      <>
        <header className="pane-head">{picker}</header>
        <div className="empty" aria-busy="true">
          <p>Fetching {title ?? "the canvas"}…</p>
        </div>
      </>
    );
  }
  return (
    <OpenCanvas
      key={`${replica.blockId} ${file?.path ?? ""}`}
      handle={props.ref}
      replica={replica}
      role={role}
      title={title}
      file={file}
      onFileState={props.onFileState}
      nodesById={props.nodesById}
      path={props.path}
      onNode={props.onNode}
      onPlace={props.onPlace}
      picker={picker}
    />
  );
}

/** How many canvases the menu offers, newest first; the list beside and the search have all. */
const canvasesChosenFrom = 20;

/** The name of the open canvas; pressing it lists other canvases. */
function CanvasPicker(
  props: Pick<CanvasPaneProps, "file" | "onCanvas" | "onNewCanvas"> & {
    readonly canvases: ListView<CanvasSummary> | null;
    readonly shownId: BlockId | null;
    readonly title: string | null;
  },
) {
  const { file, shownId, title } = props;
  const { removeCanvas } = useDeletions();
  return (
    <Menu
      label={`${file === null ? "Canvas" : "File"}: ${title ?? "none"}. Choose a canvas`}
      title="Choose a canvas"
      className="quiet-button canvas-picker"
      face={
        <>
          <span className="pane-title">{file === null ? (title ?? "Canvas") : nameAndFolder(file.path).name}</span>
          <Icon name="chevron-down" size={14} />
        </>
      }
      items={[
        ...(props.canvases?.entries ?? []).map((canvas) => ({
          label: canvas.title,
          checked: canvas.id === shownId,
          run: () => props.onCanvas(canvas.id),
        })),
        { label: "New canvas…", run: props.onNewCanvas },
        ...(file === null && shownId !== null && title !== null
          ? [{ label: "Delete this canvas", run: () => removeCanvas(shownId, title) }]
          : []),
      ]}
    />
  );
}

function NoCanvas(props: { readonly hasOthers: boolean; readonly onNew: () => void }) {
  return (
    <div className="empty">
      <h2>This conversation has no canvas</h2>
      <p>
        {props.hasOthers && "Choose a canvas above, or create one. "}A canvas is a document that you and agents write at
        the same time. Heddle records who wrote each character.
      </p>
      <button type="button" className="button primary" onClick={props.onNew}>
        <Icon name="plus" /> New canvas
      </button>
    </div>
  );
}
