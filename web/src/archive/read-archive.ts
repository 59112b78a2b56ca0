import { type ArchivedConversation, type Fields, fieldsOf, listOf } from "./archived.ts";
import { readChatGpt } from "./chatgpt.ts";
import { readClaude } from "./claude.ts";
import { readLibreChat } from "./librechat.ts";
import { readOpenWebUi } from "./open-webui.ts";

/** What an archive holds. */
export interface Archive {
  readonly program: string;
  readonly conversations: readonly ArchivedConversation[];
  /** Entries that are no conversations. */
  readonly damaged: number;
}

interface Program {
  readonly name: string;
  readonly isOne: (entry: Fields) => boolean;
  readonly read: (entry: Fields) => ArchivedConversation;
}

const programs: readonly Program[] = [
  { name: "ChatGPT", isOne: (entry) => fieldsOf(entry["mapping"]) !== null, read: readChatGpt },
  { name: "Claude", isOne: (entry) => Array.isArray(entry["chat_messages"]), read: readClaude },
  {
    name: "Open WebUI",
    isOne: (entry) => fieldsOf(fieldsOf(entry["chat"])?.["history"]) !== null,
    read: readOpenWebUi,
  },
  {
    name: "LibreChat",
    isOne: (entry) =>
      "conversationId" in entry && (Array.isArray(entry["messages"]) || Array.isArray(entry["messagesTree"])),
    read: readLibreChat,
  },
];

/** Reads an archive, told apart by its shape; null where it is of no program that is known. */
export function readArchive(data: unknown): Archive | null {
  const entries = Array.isArray(data) ? listOf(data) : [data];
  for (const { name, isOne, read } of programs) {
    const own = entries.flatMap((entry) => {
      const fields = fieldsOf(entry);
      return fields !== null && isOne(fields) ? [fields] : [];
    });
    if (own.length > 0) return { program: name, conversations: own.map(read), damaged: entries.length - own.length };
  }
  return null;
}
