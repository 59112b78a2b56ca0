import type { Actor } from "../../../core/base/actor.ts";
import { listedNames } from "../../../core/base/listed-names.ts";
import { withActor } from "../../../core/forest/authorship.ts";
import type { EditedReply, TextAuthor } from "../../../core/forest/types.ts";
import { withNotice } from "../../../core/message/content.ts";
import { wordsOfBlock, wordsOfReply } from "../../../core/message/reply-words.ts";
import type { AssistantMessage } from "../../../core/message/types.ts";
import {
  assembledReply,
  partialReply,
  type AssembledReply,
  type Assembly,
  type AssemblyBlock,
} from "../../../core/model/assemble.ts";
import { withEdits, type PartEdit } from "../../../core/model/edited-reply.ts";
import type { SealedBlock } from "../base/ports.ts";
import type { ReplyRecord } from "../base/reply-record.ts";

type Origin = NonNullable<AssistantMessage["origin"]>;

/** The end of a reply's stream: its parts, and the live blocks that showed them. */
export interface StreamedReply {
  readonly assembly: Assembly;
  /** By the index of their part. A part whose block was lost has none. */
  readonly sealed: ReadonlyMap<number, SealedBlock>;
  readonly author: Actor;
  readonly origin: Origin;
}

/** Returns the message of a whole reply, merged with what people changed while it streamed; null when it is empty. */
export function wholeReply(streamed: StreamedReply): ReplyRecord | null {
  const record = merged(streamed, assembledReply);
  const says = record?.message.content.some(
    (block) => block.type !== "thinking" && !(block.type === "text" && block.text.trim() === ""),
  );
  return says === true ? record : null;
}

/** Returns what can be kept of a broken reply, merged in the same way; null when nothing can. */
export function brokenReply(streamed: StreamedReply): ReplyRecord | null {
  return merged(streamed, partialReply);
}

/** Returns a broken attempt with a line that says whose edits it holds. */
export function withEditorsNamed(record: ReplyRecord): ReplyRecord {
  if (record.edited === undefined) return record;
  const names = listedNames(record.edited.by.map(({ name }) => name));
  const message = withNotice(
    record.message,
    `${names} changed this reply while it streamed. The changes are kept here.`,
  );
  return { ...record, message };
}

function merged(
  { assembly, sealed, author, origin }: StreamedReply,
  build: (assembly: Assembly, origin: Origin) => AssembledReply | null,
): ReplyRecord | null {
  const edits = new Map<number, PartEdit>();
  for (const block of assembly.blocks) {
    const text = editedText(block, sealed.get(block.index));
    if (text !== null) edits.set(block.index, text);
  }
  const built = build(withEdits(assembly, edits, origin.api), origin);
  if (built === null) return null;
  const { message, parts } = built;
  const shown = parts.flatMap((part, block) => {
    const id = sealed.get(part)?.id;
    return id === undefined ? [] : [{ id, block }];
  });
  const authors = parts.flatMap((part, block) => authorsOf(message, block, sealed.get(part), author));
  const edited = editedReply(message, { original: build(assembly, origin)?.message ?? null, sealed });
  return {
    message,
    shown,
    ...(authors.length === 0 ? {} : { authors }),
    ...(edited === null ? {} : { edited }),
  };
}

/** Returns a part's text with people's changes; null where they changed nothing. */
function editedText(part: AssemblyBlock, sealed: SealedBlock | undefined): PartEdit | null {
  const streamed = textOfPart(part);
  if (streamed === null || sealed === undefined || sealed.edit === null) return null;
  // Where the disk refused the last words of the stream, they follow what it accepted.
  const text = sealed.text + streamed.slice(sealed.streamed);
  return text === streamed ? null : { text, by: listedNames(sealed.edit.editors.map(({ name }) => name)) };
}

function textOfPart(part: AssemblyBlock): string | null {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text;
    case "tool-call":
      return part.json;
    case "thinking":
    case "opaque":
      return null;
  }
}

function authorsOf(
  { content }: AssistantMessage,
  block: number,
  sealed: SealedBlock | undefined,
  author: Actor,
): readonly TextAuthor[] {
  const of = content[block];
  const length = of === undefined ? 0 : (wordsOfBlock(of)?.length ?? 0);
  return (sealed?.edit?.authors ?? []).flatMap(({ from, to, by }) => {
    const end = Math.min(to, length);
    return by.id === author.id || from >= end ? [] : [{ block, from, to: end, actor: by }];
  });
}

function editedReply(
  message: AssistantMessage,
  { original, sealed }: { readonly original: AssistantMessage | null; readonly sealed: StreamedReply["sealed"] },
): EditedReply | null {
  const before = original === null ? "" : wordsOfReply(original);
  if (before === wordsOfReply(message)) return null;
  const by = [...sealed.values()].flatMap(({ edit }) => edit?.editors ?? []).reduce<readonly Actor[]>(withActor, []);
  return { by, original: before };
}
