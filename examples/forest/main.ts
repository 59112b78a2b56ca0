// Reads and checks an exported conversation, and writes it for people. `heddle export` makes such files.
import { exportJson, prefixHash, readableExport, readExport } from "heddle/forest";

const file = JSON.stringify({
  format: "heddle-forest",
  version: 1,
  root: { title: "Looms", systemPrompt: "", model: "scripted/scribe" },
  nodes: [
    node("question", null, "user", "What does a heddle do?"),
    node("short", "question", "assistant", "It lifts the warp."),
    node("long", "question", "assistant", "It lifts every second thread of the warp, so that the weft can pass."),
  ],
  bookmarks: [],
});

const read = readExport(file);
if (!read.ok) throw new Error(read.error.message);
console.log(readableExport(read.value, "text"));

// A prefix hash identifies a conversation so far: the same messages have the same hash in every workspace.
const [question, answer] = read.value.nodes;
if (question === undefined || answer === undefined) throw new Error("There are three nodes.");
const first = prefixHash(null, question.message);
console.log(prefixHash(first, answer.message).slice(0, 16));

// An export can be written again without loss.
const again = readExport(exportJson(read.value));
console.log(again.ok && again.value.nodes.length === 3 ? "It reads back." : "It does not!");

// A damaged file is refused as a whole, with the place.
const damaged = readExport(file.replace('"role":"user"', '"role":"usher"'));
console.log(damaged.ok ? "It was read." : `${damaged.error.code} at ${String(damaged.error.details?.["at"])}`);

function node(id: string, parentId: string | null, role: "user" | "assistant", text: string): object {
  return {
    id,
    parentId,
    message: { role, content: [{ type: "text", text }] },
    actor:
      role === "user"
        ? { type: "person", id: "ann", name: "Ann" }
        : { type: "model", id: "scribe", name: "Scribe", model: "scripted/scribe", runId: "run-1", turnId: "turn-1" },
    usage: null,
    createdAt: 1_700_000_000_000,
  };
}
