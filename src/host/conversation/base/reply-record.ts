import type { BlockId } from "../../../core/base/ids.ts";
import type { Authorship } from "../../../core/forest/authorship.ts";
import type { AssistantMessage } from "../../../core/message/types.ts";

/** What is known of a reply beside its message: who wrote what, and the live blocks that showed it. */
export interface ReplyRecord extends Authorship {
  /** The message as the event brings it; `block` numbers count in its content. */
  readonly message: AssistantMessage;
  readonly shown: readonly ShownBlock[];
}

/** A live block, and the content block that it became. */
interface ShownBlock {
  readonly id: BlockId;
  readonly block: number;
}

/**
 * Returns the record for the message that the turn saved: it may lack calls that never ran, and have notices more. Its
 * content blocks are those of the reply.
 */
export function recordFor(record: ReplyRecord, saved: AssistantMessage): ReplyRecord {
  const moved = (block: number): number => {
    const content = record.message.content[block];
    return content === undefined ? -1 : saved.content.indexOf(content);
  };
  const kept = <Placed extends { readonly block: number }>(placed: Placed): readonly Placed[] => {
    const block = moved(placed.block);
    return block === -1 ? [] : [{ ...placed, block }];
  };
  const authors = record.authors?.flatMap(kept) ?? [];
  return {
    message: saved,
    shown: record.shown.flatMap(kept),
    ...(authors.length === 0 ? {} : { authors }),
    ...(record.edited === undefined ? {} : { edited: record.edited }),
  };
}
