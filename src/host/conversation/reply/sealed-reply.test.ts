import { expect, test } from "vitest";
import type { ActorId, BlockId } from "../../../core/base/ids.ts";
import { person } from "../../document/world.test-support.ts";
import { wholeReply, type StreamedReply } from "./sealed-reply.ts";

const ada = person("ada");
const bot = { ...ada, id: "scribe" as ActorId, name: "scribe" };

/** A reply of one text, in which Ada wrote between the words of the model. */
function streamed(text: string): StreamedReply {
  const written = "Warp.\nWeft.\nShuttle.\n";
  const authors = [
    { from: 0, to: 6, by: bot },
    { from: 6, to: 12, by: ada },
    { from: 12, to: 21, by: bot },
  ];
  const edit = { original: text, authors, editors: [ada] };
  return {
    assembly: { blocks: [{ type: "text", index: 0, text, complete: true }], end: { type: "open" } },
    sealed: new Map([[0, { id: "live" as BlockId, text: written, streamed: text.length, edit }]]),
    author: bot,
    origin: { api: "openai-chat", provider: "test", model: "scribe" },
  };
}

test("a reply into which a person wrote names them at their words, and keeps what the model said", () => {
  expect(wholeReply(streamed("Warp.\nShuttle.\n"))).toMatchObject({
    message: { content: [{ type: "text", text: "Warp.\nWeft.\nShuttle.\n" }] },
    shown: [{ id: "live", block: 0 }],
    authors: [{ block: 0, from: 6, to: 12, actor: ada }],
    edited: { by: [ada], original: "Warp.\nShuttle.\n" },
  });
});
