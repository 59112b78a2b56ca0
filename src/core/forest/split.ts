import { refusal, type Refusal } from "../base/errors.ts";
import type { NodeId } from "../base/ids.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isWrittenByHeddle } from "../message/canvas-update.ts";
import { isGraphemeBoundary } from "../message/graphemes.ts";
import { cutBlocks, joinedText, textBlocksOf } from "../message/text-content.ts";
import { normalizeForComparison } from "../message/normalize.ts";
import type { AssistantMessage, TextBlock, UserMessage } from "../message/types.ts";
import { authorshipOfHalves } from "./authorship.ts";
import { twinOf, type ForestChange, type NodeSurroundings } from "./forest-change.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** Where to split, and the id of the new node. */
export interface SplitWish {
  /** In UTF-16 units of the message's whole text, blocks joined without separator: 1 to length - 1. */
  readonly at: number;
  readonly newId: NodeId;
  readonly now: number;
}

export interface SplitPlan extends ForestChange {
  /** The new node, with the first half. */
  readonly left: ForestNode;
  /** The old node, with the second half. */
  readonly right: ForestNode;
}

/**
 * Splits a node in two. The new node takes the first half, the place below the parent, and a copy of the author,
 * request, tags and custom data; each half keeps the authors of its words; usage and variants stay with the node, which keeps its id, the second half
 * and its children. Refused unless the message is only text by a person or a model, both halves are non-empty, no
 * grapheme is
 * cut, and the first half does not exist already.
 */
export function planSplit(around: NodeSurroundings, wish: SplitWish): Result<SplitPlan, Refusal> {
  const { node, parent } = around;
  const splittable = splittableBlocks(node);
  if (splittable === null) {
    return err(
      refusal(
        "MESSAGE_INVALID",
        { node_id: node.id },
        "Only a message of a person or a model that holds only text can be split.",
      ),
    );
  }
  const text = joinedText(splittable.content);
  if (!Number.isSafeInteger(wish.at) || wish.at < 1 || wish.at >= text.length) {
    return err(refusal("OFFSET_OUT_OF_RANGE", { node_id: node.id, requested: wish.at, min: 1, max: text.length - 1 }));
  }
  if (!isGraphemeBoundary(text, wish.at)) {
    return err(refusal("OFFSET_OUT_OF_RANGE", { node_id: node.id, requested: wish.at, inside_character: true }));
  }
  const halves = halvesOf(splittable, wish.at);
  if (halves === null) {
    return err(refusal("MESSAGE_INVALID", { node_id: node.id, at: wish.at }, "Each half must hold more than blanks."));
  }
  const leftHash = prefixHash(parent?.prefixHash ?? null, halves.first);
  const twin = twinOf(around, leftHash);
  if (twin !== null) return err(refusal("SIBLING_EXISTS", { node_id: node.id, sibling_id: twin.id }));
  const authorship = authorshipOfHalves(node, halves);
  const left: ForestNode = {
    id: wish.newId,
    rootId: node.rootId,
    parentId: node.parentId,
    prefixHash: leftHash,
    message: halves.first,
    actor: node.actor,
    runId: node.runId,
    turnId: node.turnId,
    usage: null,
    createdAt: wish.now,
    ...(node.tags === undefined ? {} : { tags: node.tags }),
    ...(node.customData === undefined ? {} : { customData: node.customData }),
    ...(node.request === undefined ? {} : { request: node.request }),
    ...(node.taint === undefined ? {} : { taint: node.taint }),
    ...authorship.first,
    ...(node.excluded === undefined ? {} : { excluded: node.excluded }),
    ...(node.collapsed === undefined ? {} : { collapsed: node.collapsed }),
    ...(node.draft === undefined ? {} : { draft: node.draft }),
    splitFrom: node.id,
  };
  const { authors: _whole, edited: _both, ...kept } = node;
  const right: ForestNode = {
    ...kept,
    parentId: left.id,
    message: halves.second,
    prefixHash: prefixHash(leftHash, halves.second),
    ...authorship.second,
  };
  return ok({ added: [left], changed: [right], removed: [], rehashedBelow: [right.id], left, right });
}

/** A message that can be split: its role, the fields that both halves keep, and its text. */
type Splittable =
  | { readonly message: UserMessage; readonly content: NonEmptyArray<TextBlock> }
  | { readonly message: AssistantMessage; readonly content: NonEmptyArray<TextBlock> };

function splittableBlocks({ message }: ForestNode): Splittable | null {
  const content = textBlocksOf(message);
  if (content === null || isWrittenByHeddle(message)) return null;
  if (message.role === "user") return { message, content };
  return message.role === "assistant" ? { message, content } : null;
}

interface Halves {
  readonly first: UserMessage | AssistantMessage;
  readonly second: UserMessage | AssistantMessage;
}

/** Returns null when a half would be empty. Only the second half keeps `interrupted`. */
function halvesOf({ message, content }: Splittable, at: number): Halves | null {
  const { before, after } = cutBlocks(content, at);
  if (!isNonEmpty(before) || !isNonEmpty(after)) return null;
  const second = { ...message, content: after };
  const first =
    message.role === "user"
      ? { ...message, content: before }
      : {
          role: message.role,
          content: before,
          ...(message.origin === undefined ? {} : { origin: message.origin }),
        };
  const says = normalizeForComparison(first) !== null && normalizeForComparison(second) !== null;
  return says ? { first, second } : null;
}
