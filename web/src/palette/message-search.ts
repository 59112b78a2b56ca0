import type { HeddleClient } from "../../../src/client/base/types.ts";
import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import { conversationTitle } from "../../../src/core/forest/list.ts";
import type { WordFind } from "../../../src/core/protocol/commands.ts";
import type { PaletteItem } from "./palette-match.ts";

/** Minimum length of a query; fewer letters are in nearly every message. */
const lettersMin = 2;
const findsMax = 20;

/** Searches the messages of all conversations for the palette. */
export async function searchMessages(
  client: Pick<HeddleClient, "call">,
  words: string,
  onNode: (rootId: RootId, nodeId: NodeId) => void,
): Promise<readonly PaletteItem[]> {
  if (words.trim().length < lettersMin) return [];
  const found = await client.call("search.words", { words: words.slice(0, 400), in: "messages", limit: findsMax });
  return found.ok ? found.value.matches.flatMap((match) => itemOf(match, words, onNode)) : [];
}

function itemOf(
  { id, rootId, title, excerpt }: WordFind,
  words: string,
  onNode: (rootId: RootId, nodeId: NodeId) => void,
): readonly PaletteItem[] {
  if (rootId === null || title === null) return [];
  return [
    {
      key: `message ${id}`,
      icon: "search",
      label: labelOf(excerpt, words),
      group: conversationTitle({ title }),
      keys: null,
      // Results of messages have only message ids.
      run: () => onNode(rootId, id as NodeId),
    },
  ];
}

/** Maximum number of characters before the word; more would push it out of the row. */
const lettersBefore = 28;

/** Returns the excerpt on one line, beginning shortly before the first match. */
function labelOf(excerpt: string, words: string): string {
  const line = excerpt.replaceAll(/\s+/gu, " ").trim();
  const places = words
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => (word === "" ? -1 : line.toLowerCase().indexOf(word)))
    .filter((place) => place !== -1);
  const place = Math.min(...places);
  if (places.length === 0 || place <= lettersBefore) return line;
  const space = line.indexOf(" ", place - lettersBefore);
  return `…${line.slice(space === -1 || space >= place ? place : space + 1)}`;
}
