import { memo } from "react";
import type { BlockId } from "../../../../src/core/base/ids.ts";
import { Icon } from "../../ui/icons.tsx";
import { useList } from "../../ui/list/use-list.ts";
import { Menu } from "../../ui/menu/menu.tsx";

/** The document that the next message is about. */
export interface WorksOn {
  /** The canvas that the next question is about: the shown one, or null for none. */
  readonly worksOn: BlockId | null;
  /** The canvas that is shown. */
  readonly canvasId: BlockId | null;
  readonly canvasTitle: string | null;
  readonly onWorkOn: (canvasId: BlockId | null) => void;
}

/** How many documents the menu names; the tree has all. */
const namedMax = 10;

/** Says which document the agent works on, and changes it. */
export const WorksOnChip = memo(function WorksOnChip({ worksOn, canvasId, canvasTitle, onWorkOn }: WorksOn) {
  const recent = useList({ of: "canvases", filter: "", order: "updated", count: namedMax });
  if (worksOn === null) {
    if (canvasId === null || canvasTitle === null) return null;
    return (
      <button
        type="button"
        className="context-chip offered"
        title="The agent works on no document now"
        onClick={() => onWorkOn(canvasId)}
      >
        <Icon name="plus" size={13} /> Work on {canvasTitle}
      </button>
    );
  }
  const title = canvasTitle ?? "a document";
  return (
    <span className="context-chip" data-testid="works-on">
      <Menu
        label={`The agent works on ${title}. Choose another document`}
        title="The agent works on this document. Choose another, type @, or drop one here"
        className="context-name"
        face={
          <>
            <Icon name="document" size={13} />
            <span>{title}</span>
            <Icon name="chevron-down" size={12} />
          </>
        }
        items={[
          ...(recent?.entries ?? []).map(({ id, title: name }) => ({
            label: name,
            checked: id === worksOn,
            run: () => onWorkOn(id),
          })),
          { label: "No document", checked: false, run: () => onWorkOn(null) },
        ]}
      />
      <button
        type="button"
        className="icon-button"
        aria-label={`Don’t work on ${title}`}
        title="Ask without a document"
        onClick={() => onWorkOn(null)}
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  );
});
