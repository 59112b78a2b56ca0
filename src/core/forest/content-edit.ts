import type { Actor } from "../base/actor.ts";
import type { Refusal } from "../base/errors.ts";
import type { NodeId } from "../base/ids.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import { ok, type Result } from "../base/result.ts";
import { graphemeFloor } from "../message/graphemes.ts";
import { normalizeForComparison } from "../message/normalize.ts";
import { cutBlocks, joinedText, textBlocksOf } from "../message/text-content.ts";
import type { Message, TextBlock } from "../message/types.ts";
import { authorshipAfterEdit } from "./authorship.ts";
import { editedMessage, type EditableMessage } from "./edit.ts";
import { noChange, twinOf, type ForestChange, type NodeSurroundings } from "./forest-change.ts";
import { prefixHash } from "./prefix-hash.ts";
import { planSplit, type SplitPlan } from "./split.ts";
import type { ForestNode } from "./types.ts";

/** The new text of a node, its editor, and ids for nodes it may create. */
export interface ContentEdit {
  readonly content: NonEmptyArray<TextBlock>;
  readonly editor: Actor;
  readonly now: number;
  readonly newIds: { readonly half: NodeId; readonly branch: NodeId };
}

export interface ContentEditPlan extends ForestChange {
  /** The node whose path says the new text: the target of readers, and of bookmarks on the edited node. */
  readonly nodeId: NodeId;
}

/**
 * Plans a new text for a node without losing anything below the old one. A leaf changes in place and belongs to the
 * editor from then on. A node with children is split where the old and the new text diverge, at a grapheme boundary: the
 * old rest
 * keeps the id and the children, the new rest becomes its sibling. A text that begins with the whole old one continues
 * below
 * the node; one without a common prefix, or with halves that would be empty, becomes a sibling of the node. Existing
 * nodes with
 * the same message are reused.
 */
export function planContentEdit(around: NodeSurroundings, edit: ContentEdit): Result<ContentEditPlan, Refusal> {
  const { node, parent, children } = around;
  const edited = editedMessage(node, edit.content);
  if (!edited.ok) return edited;
  if (edited.value === null) return ok({ ...noChange, nodeId: node.id });
  const message = edited.value;
  const hash = prefixHash(parent?.prefixHash ?? null, message);
  const twin = twinOf(around, hash);
  if (twin !== null) return ok({ ...noChange, nodeId: twin.id });
  if (children.length === 0) return ok({ ...noChange, changed: [inPlace(node, message, hash, edit)], nodeId: node.id });

  const divergence = divergenceOf(node, message);
  if (divergence?.type === "extension") {
    const next = prefixHash(node.prefixHash, divergence.rest);
    const existing = children.find((each) => each.prefixHash === next);
    return ok(
      existing === undefined
        ? branch({ instead: saidNothing(node) }, divergence.rest, node, edit)
        : { ...noChange, nodeId: existing.id },
    );
  }
  const split = divergence === null ? null : splitAt(around, divergence.at, edit);
  if (divergence === null || split === null) return ok(branch({ instead: node }, message, parent, edit));
  if (divergence.type === "shortening") return ok({ ...split, nodeId: split.left.id });
  const { added, nodeId } = branch({ instead: split.right }, divergence.rest, split.left, edit);
  return ok({ ...split, added: [...split.added, ...added], nodeId });
}

/** Where the old text and the new one diverge, in UTF-16 units of both. */
type Divergence =
  /** The new text is the beginning of the old one. */
  | { readonly type: "shortening"; readonly at: number }
  /** The old text is the beginning of the new one. */
  | { readonly type: "extension"; readonly rest: Message }
  | { readonly type: "fork"; readonly at: number; readonly rest: Message };

/** Returns null when a split would not help: no common prefix, more than text, or an empty new rest. */
function divergenceOf(node: ForestNode, edited: EditableMessage): Divergence | null {
  const before = textBlocksOf(node.message);
  const after = textBlocksOf(edited);
  if (before === null || after === null) return null;
  const from = joinedText(before);
  const to = joinedText(after);
  const at = commonBeginning(from, to);
  if (at === 0) return null;
  if (at === to.length) return { type: "shortening", at };
  const content = cutBlocks(after, at).after;
  const rest: EditableMessage | null = isNonEmpty(content) ? { role: edited.role, content } : null;
  if (rest === null || normalizeForComparison(rest) === null) return null;
  return at === from.length ? { type: "extension", rest } : { type: "fork", at, rest };
}

/** Returns the length of the common prefix in UTF-16 units, without cutting a grapheme of either text. */
function commonBeginning(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  for (;;) {
    const floor = Math.min(graphemeFloor(one, at), graphemeFloor(other, at));
    if (floor === at) return at;
    at = floor;
  }
}

function splitAt(around: NodeSurroundings, at: number, { newIds, now }: ContentEdit): SplitPlan | null {
  const split = planSplit(around, { at, newId: newIds.half, now });
  return split.ok ? split.value : null;
}

function inPlace(node: ForestNode, message: Message, hash: string, { editor }: ContentEdit): ForestNode {
  const { splitFrom: _half, request: _request, variants: _variants, authors: _old, edited: before, ...kept } = node;
  const authorship = authorshipAfterEdit(node, message, editor);
  const model = before === undefined || authorship.edited !== undefined ? null : modelOf(node);
  // What the model had said is the model's again.
  if (model !== null) {
    return { ...kept, message, prefixHash: hash, actor: model, runId: null, turnId: null, usage: null };
  }
  return { ...kept, message, prefixHash: hash, actor: editor, runId: null, turnId: null, usage: null, ...authorship };
}

/** The model that wrote words of an edited reply which are still there; null for none. */
function modelOf({ authors = [] }: ForestNode): Actor | null {
  return authors.find(({ actor }) => actor.type === "model")?.actor ?? null;
}

function branch(
  { instead }: { readonly instead: ForestNode },
  message: Message,
  parent: ForestNode | null,
  edit: ContentEdit,
): ContentEditPlan {
  const added: ForestNode = {
    id: edit.newIds.branch,
    rootId: instead.rootId,
    parentId: parent?.id ?? null,
    prefixHash: prefixHash(parent?.prefixHash ?? null, message),
    message,
    actor: edit.editor,
    runId: null,
    turnId: null,
    usage: null,
    createdAt: edit.now,
    ...authorshipAfterEdit(instead, message, edit.editor),
  };
  return { ...noChange, added: [added], nodeId: added.id };
}

/** The node as if its author had said nothing: what continues it is all the editor's. */
function saidNothing({ authors: _authors, edited: _edited, ...node }: ForestNode): ForestNode {
  const content = [{ type: "text", text: "" }] as const;
  return {
    ...node,
    message: node.message.role === "user" ? { role: "user", content } : { role: "assistant", content },
  };
}
