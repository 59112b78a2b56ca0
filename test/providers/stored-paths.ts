import fc from "fast-check";
import type { ToolCallId } from "../../src/core/base/ids.ts";
import type {
  AssistantContentBlock,
  AssistantMessage,
  Message,
  ToolMessage,
  ToolUseBlock,
  UserContentBlock,
} from "../../src/core/message/types.ts";
import { model } from "./wires.ts";

const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", " ", "\n", '"', "`"), maxLength: 12 });
const image: fc.Arbitrary<UserContentBlock> = fc.constantFrom(
  { type: "image", mediaType: "image/png", source: { type: "base64", data: "aGk=" } },
  { type: "image", mediaType: "image/*", source: { type: "url", url: "https://example.org/a.png" } },
  { type: "image", mediaType: "image/png", source: { type: "blob", id: "0f".repeat(32), size: 2 } },
  { type: "file", mediaType: "application/pdf", name: "a.pdf", source: { type: "base64", data: "aGk=" } },
);
const textBlock = text.map((said) => ({ type: "text" as const, text: said }));
const userBlock: fc.Arbitrary<UserContentBlock> = fc.oneof(
  { weight: 4, arbitrary: textBlock },
  { weight: 1, arbitrary: image },
);
const user: fc.Arbitrary<Message> = fc
  .tuple(userBlock, fc.array(userBlock, { maxLength: 2 }))
  .map(([first, rest]) => ({ role: "user", content: [first, ...rest] }));
const system: fc.Arbitrary<Message> = textBlock.map((block) => ({ role: "system", content: [block] }));

/** Ids as local servers make them: repeated between replies, in any form. */
const callId = fc.constantFrom("call_0", "call_1", "0", "functions.look:0", "toolu_01A", "x".repeat(80), "ünique");
const callExtras = fc.constantFrom(
  undefined,
  { api: "gemini", data: { thoughtSignature: "c2ln" } },
  { api: "gemini-interactions", data: { signature: "c3RlcA" } },
  { api: "openai-responses", data: { namespace: "eyes" } },
);
const call: fc.Arbitrary<ToolUseBlock> = fc
  .record({ id: callId, at: text, broken: fc.boolean(), native: callExtras })
  .map(({ id, at, broken, native }) =>
    broken
      ? {
          type: "tool-use",
          id: id as ToolCallId,
          name: "look",
          parameters: {},
          rawParameters: `{"at": ${at}`,
          argumentsError: "not JSON",
        }
      : {
          type: "tool-use",
          id: id as ToolCallId,
          name: "look",
          parameters: { at },
          rawParameters: JSON.stringify({ at }),
          ...(native === undefined ? {} : { native }),
        },
  );
const openingBlock: fc.Arbitrary<AssistantContentBlock> = fc.oneof(
  textBlock,
  text.map((said) => ({ type: "refusal" as const, text: said })),
  text.map((said) => ({ type: "notice" as const, text: `notice ${said}` })),
  text.map((said) => ({ type: "thinking" as const, text: said, signature: "c2ln" })),
  fc.constant({ type: "thinking" as const, text: "", redacted: "b3BhcXVl" }),
  fc.constant({
    type: "thinking" as const,
    text: "reasoned",
    native: { api: "openai-chat", data: { reasoning_details: [{ type: "reasoning.text", text: "reasoned" }] } },
  }),
  fc.constant({
    type: "thinking" as const,
    text: "one\n\ntwo",
    signature: "ZW5j",
    native: { api: "openai-responses", data: { summary: ["one", "two"] } },
  }),
  text.map((said) => ({
    type: "text" as const,
    text: said,
    native: { api: "gemini", data: { thoughtSignature: "c2ln" } },
  })),
  text.map((said) => ({
    type: "text" as const,
    text: said,
    native: { api: "openai-responses", data: { phase: "commentary" } },
  })),
  fc.constant({
    type: "tool-use" as const,
    id: "call_custom" as ToolCallId,
    name: "shell",
    parameters: { input: "ls" },
    native: { api: "openai-responses", data: { custom: true } },
  }),
  fc.constantFrom(
    {
      type: "opaque" as const,
      api: "openai-responses",
      raw: { type: "web_search_call", id: "ws_1", status: "completed" },
    },
    { type: "opaque" as const, api: "gemini", raw: { executableCode: { language: "PYTHON", code: "1" } } },
    {
      type: "opaque" as const,
      api: "gemini-interactions",
      raw: { type: "code_execution_call", id: "c1", arguments: { language: "python", code: "1" } },
    },
  ),
);
type Origin = NonNullable<AssistantMessage["origin"]> | undefined;
const anyOrigin: fc.Arbitrary<Origin> = fc.constantFrom(
  { api: "anthropic", provider: "anthropic", model },
  { api: "anthropic", provider: "anthropic", model: "claude-haiku-4-5" },
  { api: "openai-chat", provider: "openai", model },
  { api: "openai-responses", provider: "openai", model },
  { api: "gemini", provider: "google", model },
  { api: "gemini-interactions", provider: "google", model },
  undefined,
);

/** One reply with its answers. */
const exchange = (origin: fc.Arbitrary<Origin>): fc.Arbitrary<readonly Message[]> =>
  fc
    .record({
      openingBlocks: fc.uniqueArray(openingBlock, {
        maxLength: 3,
        selector: (block) => (block.type === "tool-use" ? block.id : block),
      }),
      calls: fc.uniqueArray(call, { maxLength: 3, selector: (block) => block.id }),
      ending: fc.option(
        openingBlock.filter((block) => block.type !== "tool-use"),
        { nil: undefined },
      ),
      outputs: fc.array(fc.oneof(textBlock, image), { minLength: 4, maxLength: 4 }),
      origin,
      interrupted: fc.boolean(),
      outcome: fc.constantFrom("ok", "error", "cancelled", "unknown"),
    })
    .map(({ openingBlocks, calls, ending, outputs, origin: from, interrupted, outcome }) => {
      const content = [...openingBlocks, ...calls, ...(ending === undefined ? [] : [ending])];
      const assistant: AssistantMessage = {
        role: "assistant",
        content: [{ type: "text", text: "Well:" }, ...content],
        ...(from === undefined ? {} : { origin: from }),
        ...(interrupted ? { interrupted } : {}),
      };
      const asked = content.filter((block) => block.type === "tool-use");
      const results = asked.map((block, at): ToolMessage => ({
        role: "tool",
        tool_call_id: block.id,
        tool_name: block.name,
        content: [outputs[at] ?? { type: "text", text: "" }],
        outcome: outcome === "ok" || outcome === "error" || outcome === "cancelled" ? outcome : "unknown",
      }));
      return [assistant, ...results];
    });

/**
 * Generates stored paths: every call has its result, in order, right after it; everything else is as odd as possible.
 */
const pathFrom = (origin: fc.Arbitrary<Origin>): fc.Arbitrary<readonly Message[]> =>
  fc.tuple(user, continuation(origin)).map(([first, rest]) => [first, ...rest]);

/** The messages that may follow on a path. */
const continuation = (origin: fc.Arbitrary<Origin>): fc.Arbitrary<readonly Message[]> =>
  fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: exchange(origin) },
        { weight: 2, arbitrary: user.map((message) => [message]) },
        { weight: 1, arbitrary: system.map((message) => [message]) },
      ),
      { maxLength: 6 },
    )
    .map((rest) => rest.flat());

export const path: fc.Arbitrary<readonly Message[]> = pathFrom(anyOrigin);

/** A forest whose replies are one model's: paths that share their beginning. */
export const forestFrom = (
  origin: Origin,
): fc.Arbitrary<{
  readonly trunk: readonly Message[];
  readonly branches: readonly (readonly Message[])[];
}> =>
  fc
    .tuple(pathFrom(fc.constant(origin)), fc.array(continuation(fc.constant(origin)), { minLength: 1, maxLength: 3 }))
    .map(([trunk, rests]) => ({ trunk, branches: rests.map((rest) => [...trunk, ...rest]) }));
