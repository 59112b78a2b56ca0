// A model without native tool calls writes them into its text. Heddle reads calls from its stream, however it is cut.
import { encodeRequestFor, findSyntax, syntaxes, syntaxReader, type SyntaxTool } from "heddle/syntax";

const found = findSyntax(syntaxes, "xml");
if (!found.ok) throw new Error(found.error.message);
const syntax = found.value;
const look: SyntaxTool = {
  name: "look",
  description: "Shows a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

// The request: the tools are described in the system prompt, and sent nowhere else.
const request = encodeRequestFor(
  syntax,
  {
    model: "local",
    system: "You are brief.",
    messages: [{ role: "user", content: [{ type: "text", text: "What is in notes.md?" }] }],
    tools: [look],
    maxTokens: 1_000,
    thinking: "off",
  },
  [look],
  "serial-all",
);
console.log(request.system.includes("<tool:look>"), request.tools.length);

// The reply, as it streams in.
const reader = syntaxReader(syntax, { tools: [look], policy: "serial-all", callIdPrefix: "example" });
const reply = "I look.\n<tool:look>\n<param:path>notes.md</param:path>\n</tool:look>\n";
const pieces = reply.match(/.{1,7}/gs) ?? [];
let spoken = "";
let call = "";
for (const text of pieces) {
  for (const part of reader.read({ type: "text-delta", index: 0, text })) {
    if (part.type === "text-delta") spoken += part.text;
    if (part.type === "tool-call-start") call += `${part.id} ${part.name} `;
    if (part.type === "tool-call-delta") call += part.text;
  }
}
console.log(spoken.trim());
console.log(call);
