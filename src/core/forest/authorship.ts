import type { Actor } from "../base/actor.ts";
import { diffChanges } from "../block/change/diff-changes.ts";
import { joinedText } from "../message/text-content.ts";
import type { ContentBlock, Message } from "../message/types.ts";
import type { EditedReply, ForestNode, TextAuthor } from "./types.ts";

/** Who wrote what in a message, beside it. */
export type Authorship = Pick<ForestNode, "authors" | "edited">;

/** A stretch of the joined texts of a message, and who wrote it. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly actor: Actor;
}

/**
 * Returns who wrote what after an editor replaced the text of a node: kept words stay with their authors, new ones are the
 * editor's, to whom the node with the new message belongs.
 */
export function authorshipAfterEdit(node: ForestNode, message: Message, editor: Actor): Authorship {
  const before = textOfMessage(node.message);
  const after = textOfMessage(message);
  const stretches: Stretch[] = [];
  let [at, shift] = [0, 0];
  const keep = (to: number): void => {
    for (const { from, to: end, actor } of stretchesOf(node)) {
      const [low, high] = [Math.max(from, at), Math.min(end, to)];
      if (low < high) stretches.push({ from: low + shift, to: high + shift, actor });
    }
  };
  for (const { from, to, insert } of diffChanges(before, after)) {
    keep(from);
    shift += insert.length - (to - from);
    at = to;
  }
  keep(before.length);
  return { ...authorsIn(message, stretches, editor), ...editedAfter(node, after, editor) };
}

/** Returns who wrote what in the two halves of a node that is split at an offset of its joined texts. */
export function authorshipOfHalves(
  node: ForestNode,
  halves: { readonly first: Message; readonly second: Message },
): { readonly first: Authorship; readonly second: Authorship } {
  const at = textOfMessage(halves.first).length;
  const stretches = stretchesOf(node);
  const [first, second] = halvesOfEdit(node, at);
  const cut = stretches.map(({ from, to, actor }) => ({ from, to: Math.min(to, at), actor }));
  const rest = stretches.map(({ from, to, actor }) => ({ from: Math.max(from, at) - at, to: to - at, actor }));
  return {
    first: { ...authorsIn(halves.first, cut, node.actor), ...first },
    second: { ...authorsIn(halves.second, rest, node.actor), ...second },
  };
}

/** Returns the stretches of a text that others than its owner wrote, as the node stores them. */
function authorsIn(message: Message, stretches: readonly Stretch[], owner: Actor): Pick<ForestNode, "authors"> {
  const authors: TextAuthor[] = [];
  for (const { block, start, text } of textsOf(message)) {
    for (const { from, to, actor } of stretches) {
      const [low, high] = [Math.max(from - start, 0), Math.min(to - start, text.length)];
      if (low >= high || actor.id === owner.id) continue;
      const last = authors.at(-1);
      const continues = last?.block === block && last.to === low && last.actor.id === actor.id;
      if (continues) authors[authors.length - 1] = { ...last, to: high };
      else authors.push({ block, from: low, to: high, actor });
    }
  }
  return authors.length === 0 ? {} : { authors };
}

/** Returns the joined texts of a message; `TextAuthor` offsets of a message of texts count in their pieces. */
function textOfMessage(message: Message): string {
  const content: readonly ContentBlock[] = message.content;
  return joinedText(content.filter((block) => block.type === "text"));
}

function textsOf(
  message: Message,
): readonly { readonly block: number; readonly start: number; readonly text: string }[] {
  let start = 0;
  return message.content.flatMap((block, index) => {
    if (block.type !== "text") return [];
    const { text } = block;
    const entry = { block: index, start, text };
    start += text.length;
    return [entry];
  });
}

/** Returns who wrote every stretch of a node's joined texts. */
function stretchesOf(node: ForestNode): readonly Stretch[] {
  return textsOf(node.message).flatMap(({ block, start, text }) => {
    const found: Stretch[] = [];
    let at = 0;
    const own = (to: number): void => {
      if (at < to) found.push({ from: start + at, to: start + to, actor: node.actor });
      at = to;
    };
    for (const author of node.authors ?? []) {
      if (author.block !== block) continue;
      own(author.from);
      found.push({ from: start + author.from, to: start + author.to, actor: author.actor });
      at = author.to;
    }
    own(text.length);
    return found;
  });
}

/** Nothing is edited where the reply says again what the model had said. */
function editedAfter(node: ForestNode, after: string, editor: Actor): Pick<ForestNode, "edited"> {
  if (node.message.role !== "assistant") return {};
  const said = node.edited ?? (node.actor.type === "model" ? { by: [], original: textOfMessage(node.message) } : null);
  return said === null || said.original === after ? {} : { edited: { ...said, by: withActor(said.by, editor) } };
}

/** Returns the actors with one more, each once. */
export function withActor(actors: readonly Actor[], actor: Actor): readonly Actor[] {
  return actors.some(({ id }) => id === actor.id) ? actors : [...actors, actor];
}

function halvesOfEdit(
  { edited, message }: ForestNode,
  at: number,
): readonly [Pick<ForestNode, "edited">, Pick<ForestNode, "edited">] {
  if (edited === undefined) return [{}, {}];
  const now = textOfMessage(message);
  const cut = placeBefore(edited.original, now, at);
  const half = (original: string, text: string): Pick<ForestNode, "edited"> =>
    original === text ? {} : { edited: { ...edited, original } satisfies EditedReply };
  return [half(edited.original.slice(0, cut), now.slice(0, at)), half(edited.original.slice(cut), now.slice(at))];
}

/** Returns the offset in the old text where an offset of the new text was. */
function placeBefore(before: string, after: string, at: number): number {
  let shift = 0;
  for (const { from, to, insert } of diffChanges(before, after)) {
    const start = from + shift;
    if (at <= start) break;
    if (at < start + insert.length) return from;
    shift += insert.length - (to - from);
  }
  return Math.min(Math.max(at - shift, 0), before.length);
}
