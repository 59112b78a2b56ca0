import {
  type ArchivedConversation,
  type ArchivedMessage,
  type Fields,
  fieldsOf,
  LeftOut,
  listOf,
  textOf,
} from "./archived.ts";

/** Reads a chat of an Open WebUI export: messages by id, thinking and calls written into their words as `<details>`. */
export function readOpenWebUi(entry: Fields): ArchivedConversation {
  const chat = fieldsOf(entry["chat"]) ?? {};
  const byId = fieldsOf(fieldsOf(chat["history"])?.["messages"]) ?? {};
  const leftOut = new LeftOut();
  const messages: ArchivedMessage[] = [];
  for (const [id, each] of Object.entries(byId)) {
    const message = fieldsOf(each);
    const role = textOf(message?.["role"]);
    for (const _ of listOf(message?.["files"])) leftOut.add("pictures and files");
    const parentId = textOf(message?.["parentId"]) || null;
    if (role !== "user" && role !== "assistant") {
      leftOut.add(role === "system" ? "system prompts" : "results of tools");
      messages.push({ id, parentId, role: "assistant", text: "" });
      continue;
    }
    const text = textOf(message?.["content"])
      .replaceAll(/<details type="(reasoning|tool_calls)"[^>]*>.*?<\/details>\s*/gsu, (_, type) => {
        leftOut.add(type === "reasoning" ? "thinking" : "calls of tools");
        return "";
      })
      .trim();
    messages.push({ id, parentId, role, text });
  }
  return { title: textOf(entry["title"]) || textOf(chat["title"]), messages, leftOut: leftOut.counts };
}
