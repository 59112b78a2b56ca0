import {
  type ArchivedConversation,
  type ArchivedMessage,
  type Fields,
  fieldsOf,
  LeftOut,
  listOf,
  textOf,
} from "./archived.ts";

/** Reads a LibreChat export: a list of messages, or a tree of them under `children`. */
export function readLibreChat(conversation: Fields): ArchivedConversation {
  const leftOut = new LeftOut();
  const messages: ArchivedMessage[] = [];
  // A list of what is still to be read: trees of archives may be deeper than a stack.
  const open = [...listOf(conversation["messages"]), ...listOf(conversation["messagesTree"])];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const message = fieldsOf(each);
    if (message === null) continue;
    open.push(...listOf(message["children"]));
    const text = wordsOf(message, leftOut);
    const isPerson = message["isCreatedByUser"] === true || textOf(message["sender"]).toLowerCase() === "user";
    messages.push({
      id: textOf(message["messageId"]),
      parentId: textOf(message["parentMessageId"]) || null,
      role: isPerson ? "user" : "assistant",
      text,
    });
  }
  return { title: textOf(conversation["title"]), messages: messages.toReversed(), leftOut: leftOut.counts };
}

function wordsOf(message: Fields, leftOut: LeftOut): string {
  for (const _ of listOf(message["files"])) leftOut.add("pictures and files");
  const words: string[] = [];
  for (const each of listOf(message["content"])) {
    const block = fieldsOf(each);
    const type = textOf(block?.["type"]);
    const text = block?.["text"];
    if (type === "text") words.push(textOf(text) || textOf(fieldsOf(text)?.["value"]));
    else leftOut.add(type === "think" ? "thinking" : type === "tool_call" ? "calls of tools" : "other content");
  }
  return (words.length === 0 ? textOf(message["text"]) : words.join("\n\n")).trim();
}
