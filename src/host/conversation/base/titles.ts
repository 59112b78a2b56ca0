import type { RootId } from "../../../core/base/ids.ts";
import { textOf } from "../../../core/message/content.ts";
import type { UserMessage } from "../../../core/message/types.ts";

const titleCharactersMax = 60;

/** Returns the title of a conversation that nobody named: the beginning of its first message, on one line. */
export function titleFrom(message: UserMessage): string {
  const line = textOf(message).trim().replaceAll(/\s+/g, " ");
  const characters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment);
  if (characters.length <= titleCharactersMax) return line;
  return `${characters
    .slice(0, titleCharactersMax - 1)
    .join("")
    .trimEnd()}…`;
}

/** Returns a name for addresses, made unique by the end of the id. */
export function slugFrom(title: string, id: RootId): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return [...(words ?? ["conversation"]).slice(0, 6), id.slice(-8)].join("-");
}
