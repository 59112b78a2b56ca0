import { useRef, useState } from "react";
import type { BlockId, FolderId } from "../../../src/core/base/ids.ts";
import { listOrders, type ListOrder } from "../../../src/core/forest/list.ts";
import { signedInMember } from "../browser/session.ts";
import { FilePreview } from "../files/file-preview.tsx";
import { isLookedAt } from "../files/file-words.ts";
import type { Files } from "../files/use-files.ts";
import { fetched } from "../ui/fetched.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRowHeight } from "../ui/list/row-height.ts";
import { Menu } from "../ui/menu/menu.tsx";
import { useIsAway } from "../ui/use-is-away.ts";
import { SideSection } from "../ui/side-section.tsx";
import type { Document, DocumentRow } from "./document-rows.ts";
import { DocumentTree } from "./document-tree.tsx";
import { ImportButton } from "./import-button.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { type DocumentSteps, useDocumentSteps } from "./use-document-steps.ts";
import { type CurrentDocument, currentKey, useDocumentTree } from "./use-document-tree.ts";

const RowShareDialog = fetched(async () => (await import("./row-share-dialog.tsx")).RowShareDialog);

const orderWords: Record<ListOrder, string> = {
  title: "By name",
  updated: "Last changed first",
  created: "Newest first",
};

interface DocumentsProps {
  readonly files: Files;
  /** Words that names contain. */
  readonly filter: string;
  readonly current: CurrentDocument | null;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onFile: (path: string) => void;
  /** Attaches a file to the message that is being written. */
  readonly onAttach: (file: File) => void;
  /** Called when a document was made and named: it is typed in next. */
  readonly onWrite: () => void;
}

/** Canvases and files: a tree with what can be done to them. */
export function DocumentsSection(props: DocumentsProps) {
  const { files, current, onCanvas, onFile, onAttach } = props;
  const tree = useDocumentTree(files, props.filter, current);
  const steps = useDocumentSteps({ files, onFile, onCanvas, onAttach });
  const [renaming, setRenaming] = useState<string | null>(null);
  const [moving, setMoving] = useState<readonly DocumentRow[]>([]);
  const [sharing, setSharing] = useState<DocumentRow | null>(null);
  const [looking, setLooking] = useState<{ readonly folderId: FolderId; readonly path: string } | null>(null);
  const made = useRef<string | null>(null);
  const rowHeight = useRowHeight();
  const onOpen = (row: Document): void => {
    if (row.type === "canvas") onCanvas(row.canvas.id);
    else if (isLookedAt(row.file.path)) setLooking({ folderId: row.folderId, path: row.file.path });
    else onFile(row.file.path);
  };
  const create = useCreate(tree.unfold, steps, (canvasId) => {
    made.current = canvasId;
    setRenaming(canvasId);
  });
  const onNamed = ({ key }: DocumentRow): void => {
    if (key !== made.current) return;
    made.current = null;
    props.onWrite();
  };
  return (
    <SideSection
      name="documents"
      title="Documents"
      // Room below the last row, for what is dropped there.
      contentHeight={(tree.rows.length + 1) * rowHeight}
      actions={
        <SectionActions
          order={tree.order}
          onOrder={tree.setOrder}
          onRefresh={files.folderId === null ? null : files.refresh}
          onCreate={create === null ? null : () => create(current?.type === "canvas" ? current.folderPath : "")}
          onOpen={onCanvas}
        />
      }
    >
      {tree.rows.length === 0 && !tree.isLoading ? (
        <p className="nothing">No documents yet. Press + to write one.</p>
      ) : (
        <DocumentTree
          tree={tree}
          current={currentKey(current)}
          steps={steps}
          onOpen={onOpen}
          renaming={renaming}
          onRenaming={setRenaming}
          onNamed={onNamed}
          onMove={setMoving}
          onShare={signedInMember() === null ? null : setSharing}
          onCreate={create}
          onMention={(row) => (row.type === "file" ? steps.attach(row) : undefined)}
        />
      )}
      {moving.length > 0 && (
        <MoveDialog
          rows={moving}
          folders={moving[0]?.type === "file" ? [] : tree.folders}
          onMove={(to) => steps.move(moving, to)}
          onClose={() => setMoving([])}
        />
      )}
      {sharing !== null && <RowShareDialog row={sharing} onClose={() => setSharing(null)} />}
      {looking !== null && (
        <FilePreview
          folderId={looking.folderId}
          path={looking.path}
          onAttach={onAttach}
          onClose={() => setLooking(null)}
        />
      )}
    </SideSection>
  );
}

/** Creates a document in a folder; null while the server is away, as each press would make another one later. */
function useCreate(
  unfold: (folderPath: string) => void,
  steps: DocumentSteps,
  onMade: (canvasId: BlockId | null) => void,
): ((folderPath: string) => void) | null {
  if (useIsAway()) return null;
  return (folderPath) => {
    unfold(folderPath);
    void steps.create(folderPath).then(onMade);
  };
}

function SectionActions(props: {
  readonly order: ListOrder;
  readonly onOrder: (order: ListOrder) => void;
  /** null: there is no folder on disk. */
  readonly onRefresh: (() => void) | null;
  /** null: the server is away. */
  readonly onCreate: (() => void) | null;
  readonly onOpen: (canvasId: BlockId) => void;
}) {
  return (
    <>
      <Menu
        label="Sort documents"
        className="icon-button"
        align="end"
        face={<Icon name="outline" size={15} />}
        items={listOrders.map((order) => ({
          label: orderWords[order],
          checked: order === props.order,
          run: () => props.onOrder(order),
        }))}
      />
      {props.onRefresh !== null && (
        <button
          type="button"
          className="icon-button"
          aria-label="Refresh the folder"
          title="Read the folder on disk again"
          onClick={props.onRefresh}
        >
          <Icon name="again" size={14} />
        </button>
      )}
      <ImportButton onOpen={props.onOpen} />
      <button
        type="button"
        className="icon-button"
        aria-label="New document"
        title={
          props.onCreate === null ? "Heddle is offline. New documents can be made when it answers." : "New document"
        }
        disabled={props.onCreate === null}
        onClick={() => props.onCreate?.()}
      >
        <Icon name="plus" size={15} />
      </button>
    </>
  );
}
