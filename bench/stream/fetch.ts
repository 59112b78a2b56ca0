import { must } from "../../src/core/base/assert.ts";
import { serveBench } from "../sync/child.ts";
import { agents, tokens } from "./load.ts";

// The least that a reader of replies does: fetches them, parses each event's JSON, and keeps the text.

const origin = must(process.argv[2], "the address of the model server");

interface Chunk {
  readonly choices: readonly [{ readonly delta: { readonly content?: string } }];
}

async function read(): Promise<string> {
  const response = await fetch(`${origin}/v1/chat/completions`, { method: "POST", body: "{}" });
  const decoder = new TextDecoder();
  let unread = "";
  let text = "";
  for await (const bytes of must(response.body, "a reply has a body")) {
    unread += decoder.decode(bytes, { stream: true });
    for (let end = unread.indexOf("\n\n"); end >= 0; end = unread.indexOf("\n\n")) {
      const data = unread.slice("data: ".length, end);
      unread = unread.slice(end + 2);
      if (data !== "[DONE]") text += (JSON.parse(data) as Chunk).choices[0].delta.content ?? "";
    }
  }
  return text;
}

process.on("message", (question: { readonly ask: string }) => {
  if (question.ask !== "go") return;
  void Promise.all(Array.from({ length: agents }, read)).then((texts) => {
    if (texts.some((text) => text.length !== 5 * tokens)) throw new Error("a reply lacks tokens");
    process.send?.("read");
  });
});
serveBench({ port: 0, rooms: [], token: "" }, () => Promise.resolve());
