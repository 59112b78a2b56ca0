import {
  type ArchivedConversation,
  type ArchivedMessage,
  type Fields,
  fieldsOf,
  LeftOut,
  listOf,
  textOf,
} from "./archived.ts";

/** Reads a conversation of a Claude export. Branches are told by `parent_message_uuid`; older exports are one line. */
export function readClaude(conversation: Fields): ArchivedConversation {
  const leftOut = new LeftOut();
  const messages: ArchivedMessage[] = [];
  let above: string | null = null;
  for (const [index, each] of listOf(conversation["chat_messages"]).entries()) {
    const message = fieldsOf(each);
    if (message === null) continue;
    const id = textOf(message["uuid"]) || `message-${index}`;
    const given = textOf(message["parent_message_uuid"]);
    const text = wordsOf(message, leftOut);
    const role = textOf(message["sender"]) === "human" ? "user" : "assistant";
    messages.push({ id, parentId: given === "" ? above : given, role, text });
    above = id;
  }
  return { title: textOf(conversation["name"]), messages, leftOut: leftOut.counts };
}

const namesByType: Readonly<Record<string, string>> = {
  thinking: "thinking",
  tool_use: "calls of tools",
  tool_result: "results of tools",
};

function wordsOf(message: Fields, leftOut: LeftOut): string {
  const words: string[] = [];
  const content = listOf(message["content"]);
  for (const each of content) {
    const block = fieldsOf(each);
    const type = textOf(block?.["type"]);
    if (type === "text") words.push(textOf(block?.["text"]));
    else if (type !== "token_budget") leftOut.add(namesByType[type] ?? `content of the kind ${type}`);
  }
  if (content.length === 0) words.push(textOf(message["text"]));
  for (const each of listOf(message["attachments"])) {
    const attachment = fieldsOf(each);
    const extracted = textOf(attachment?.["extracted_content"]);
    if (extracted === "") leftOut.add("pictures and files");
    else words.push(`${textOf(attachment?.["file_name"]) || "Attachment"}:\n\n${extracted}`);
  }
  for (const _ of listOf(message["files"])) leftOut.add("pictures and files");
  return words.join("\n\n").trim();
}
