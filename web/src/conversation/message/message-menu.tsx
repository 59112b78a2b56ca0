import { canGoOn } from "../../../../src/core/forest/cut-reply.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import type { MenuItem } from "../../ui/menu/menu-items.tsx";
import { splittableText } from "../../view/branches/message-text.ts";
import { useMessageActions } from "./message-actions.ts";

/** Number of replies that "more" requests at once. */
const more = 3;

/** The menu of further actions on a message. */
export function MessageMenu({ node, align }: { readonly node: ForestNode; readonly align?: "start" | "end" }) {
  const actions = useMessageActions();
  if (actions === null) return null;
  const marks = actions.bookmarks.filter((bookmark) => bookmark.nodeId === node.id);
  const isReply = node.message.role === "assistant";
  const others = isReply ? actions.models.filter((model) => model.id !== node.request?.model) : [];
  const items: readonly MenuItem[] = [
    ...(isReply ? [{ label: `${more} more replies`, run: () => actions.askAgain(node, { n: more }) }] : []),
    ...(canGoOn(node) ? [{ label: "Continue from here", run: () => actions.goOn(node) }] : []),
    ...marks.map((bookmark) => ({
      label: "Remove the bookmark",
      note: bookmark.title,
      run: () => actions.unbookmark(bookmark.title),
    })),
    ...(marks.length === 0 ? [{ label: "Bookmark…", run: () => actions.ask(node, "bookmark") }] : []),
    { label: "Tags…", run: () => actions.ask(node, "tags") },
    {
      label: node.excluded === true ? "Include for the model again" : "Leave out for the model",
      ...(callsTools(node) ? { note: "with its calls and results" } : {}),
      run: () => actions.exclude(node, node.excluded !== true),
    },
    {
      label: node.collapsed === true ? "Unfold" : "Fold",
      run: () => actions.collapse(node, node.collapsed !== true),
    },
    { label: "Sum up to here", run: () => actions.compactThrough(node) },
    { label: "Copy the branch from here", run: () => actions.carry(node) },
    ...(actions.putBelow === null
      ? []
      : [{ label: "Put the copied branch below", run: () => actions.putBelow?.(node) }]),
    { label: "Split…", disabled: splittableText(node) === null, run: () => actions.ask(node, "split") },
    { label: "Delete…", run: () => actions.ask(node, "delete") },
    // Last, because the list may be long.
    ...others.map((model) => ({
      label: `Reply by ${model.name}`,
      ...(model.local ? { note: "local" } : {}),
      run: () => actions.askAgain(node, { model: model.id }),
    })),
  ];
  return (
    <Menu
      label="More actions for this message"
      className="icon-button"
      face={<Icon name="more" size={15} />}
      items={items}
      {...(align === undefined ? {} : { align })}
    />
  );
}

function callsTools({ message }: ForestNode): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "tool-use");
}

/** Says that models do not receive a message, and offers to include it again. */
export function LeftOutLine({ node }: { readonly node: ForestNode }) {
  const actions = useMessageActions();
  if (node.excluded !== true) return null;
  return (
    <p className="left-out-line">
      <Icon name="eye-off" size={13} /> Left out of what the model sees
      <button type="button" className="link-button" onClick={() => actions?.exclude(node, false)}>
        Include again
      </button>
    </p>
  );
}

/** A folded message: its beginning on one line, which unfolds it. */
export function FoldedLine({ node, words }: { readonly node: ForestNode; readonly words: string }) {
  const actions = useMessageActions();
  return (
    <button type="button" className="folded-line" aria-expanded={false} onClick={() => actions?.collapse(node, false)}>
      <Icon name="chevron-right" size={14} /> {words === "" ? "Folded message" : words}
    </button>
  );
}

/** A message's labels and its number of equal variants. */
export function MessageLabels({ node }: { readonly node: ForestNode }) {
  const actions = useMessageActions();
  const marks = actions?.bookmarks.filter((bookmark) => bookmark.nodeId === node.id) ?? [];
  const said = 1 + (node.variants?.length ?? 0);
  return (
    <>
      {marks.map((bookmark) => (
        <span key={bookmark.title} className="label" title={`Bookmark: ${bookmark.title}`}>
          <Icon name="bookmark" size={12} /> {bookmark.title}
        </span>
      ))}
      {(node.tags ?? []).map((tag) => (
        <span key={tag} className="label">
          {tag}
        </span>
      ))}
      {said > 1 && (
        <span className="label" title={`${said} replies said exactly this`}>
          ×{said}
        </span>
      )}
    </>
  );
}
