// Messages of the earlier form (one string, calls beside it) become content blocks, and back again.
import {
  clampMaxTokens,
  coalesceTextOnlyAdjacent,
  estimateInputTokens,
  isMessageV2,
  isToolUseBlock,
  normalizeMessage,
  stableDeepEqual,
  ToolArgumentParseError,
  v2ToLegacyMessage,
  type LegacyMessage,
} from "heddle/message";

const earlier: LegacyMessage = {
  role: "assistant",
  content: "Let me look.",
  tool_calls: [{ id: "call-1", type: "function", function: { name: "look", arguments: '{"path":"notes.md"}' } }],
};

const message = normalizeMessage(earlier);
console.log(message.content.map((block) => (isToolUseBlock(block) ? `call of ${block.name}` : block.type)).join(", "));
console.log(isMessageV2(message) && stableDeepEqual(v2ToLegacyMessage(message), earlier) ? "It goes back." : "Lost!");

// Broken arguments are an error with the facts for an answer to the model.
try {
  normalizeMessage({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call-2", type: "function", function: { name: "look", arguments: "{path" } }],
  });
} catch (error) {
  if (!(error instanceof ToolArgumentParseError)) throw error;
  console.log(`${error.toolName} got ${error.raw}`);
}

// Two questions in a row become one message, as providers require.
const asked = ["Is it there?", "What does it say?"].map((content) => normalizeMessage({ role: "user", content }));
const sent = coalesceTextOnlyAdjacent([...asked, message]);
console.log(sent.map(({ role, content }) => `${role} (${content.length})`).join(", "));

// The maximum length of the reply, in tokens, for a model with a window of 8,192.
const input = estimateInputTokens(sent, "You are brief.");
console.log(clampMaxTokens(100_000, { inputTokensMax: 8_192, outputTokensMax: 8_192 }, input) + input);
