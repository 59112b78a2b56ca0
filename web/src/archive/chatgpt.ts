import {
  type ArchivedConversation,
  type ArchivedMessage,
  type Fields,
  fieldsOf,
  LeftOut,
  listOf,
  textOf,
} from "./archived.ts";

/** Reads a conversation of a ChatGPT export: nodes by id, of which many hold nothing that a person saw. */
export function readChatGpt(conversation: Fields): ArchivedConversation {
  const mapping = fieldsOf(conversation["mapping"]) ?? {};
  const leftOut = new LeftOut();
  const messages: ArchivedMessage[] = [];
  for (const [id, each] of Object.entries(mapping)) {
    const node = fieldsOf(each);
    const message = fieldsOf(node?.["message"]);
    const parentId = textOf(node?.["parent"]) || null;
    messages.push({ id, parentId, ...(message === null ? nothing : messageOf(message, leftOut)) });
  }
  return { title: textOf(conversation["title"]), messages, leftOut: leftOut.counts };
}

const nothing = { role: "user", text: "" } as const;

function messageOf(message: Fields, leftOut: LeftOut): Pick<ArchivedMessage, "role" | "text"> {
  const role = textOf(fieldsOf(message["author"])?.["role"]);
  const content = fieldsOf(message["content"]) ?? {};
  const type = textOf(content["content_type"]);
  if (role === "system" || fieldsOf(message["metadata"])?.["is_visually_hidden_from_conversation"] === true)
    return nothing;
  if (role !== "user" && role !== "assistant") {
    leftOut.add("results of tools");
    return nothing;
  }
  const recipient = textOf(message["recipient"]);
  if (role === "assistant" && recipient !== "" && recipient !== "all") {
    leftOut.add("calls of tools");
    return nothing;
  }
  return { role, text: contentText(content, type, leftOut) };
}

function contentText(content: Fields, type: string, leftOut: LeftOut): string {
  if (type === "code") return `\`\`\`${textOf(content["language"])}\n${textOf(content["text"])}\n\`\`\``;
  if (type !== "text" && type !== "multimodal_text") {
    leftOut.add(type === "thoughts" || type === "reasoning_recap" ? "thinking" : `content of the kind ${type}`);
    return "";
  }
  const words: string[] = [];
  for (const part of listOf(content["parts"])) {
    if (typeof part === "string") words.push(part);
    else leftOut.add("pictures and files");
  }
  return words.join("\n\n").trim();
}
