import { errorTable, type ErrorCode } from "../base/errors.ts";
import type { ContentBlock, Message, ToolUseBlock } from "../message/types.ts";
import type { Fragment, FragmentBody } from "./base/fragment.ts";
import type { SyntaxTool } from "./base/tools.ts";
import { ToolTable } from "./base/tools.ts";

/**
 * Returns a stored message as fragments, for display: the same as while it streamed, in any syntax, with the
 * values as they were read: `TRUE` is true, and a repeated parameter is one list. Only an assistant's calls are
 * calls; text of people and tools is text, whatever it looks like.
 */
export function messageFragments(message: Message, tools: readonly SyntaxTool[]): readonly FragmentBody[] {
  const table = new ToolTable(tools);
  const content: readonly ContentBlock[] = message.content;
  const fragments: FragmentBody[] = [];
  let calls = 0;
  for (const block of content) {
    if (block.type === "text" || block.type === "refusal") fragments.push({ type: "text", text: block.text });
    else if (block.type === "thinking") fragments.push({ type: "reasoning", text: block.text });
    else if (block.type === "tool-use" && message.role === "assistant") {
      const { name, parameters, argumentsError } = block;
      const call = calls;
      calls += 1;
      if (argumentsError !== undefined) {
        fragments.push({ type: "call-start", call, name });
        fragments.push({ type: "call-error", call, name, code: codeOf(block), message: argumentsError });
      } else if (table.find(name)?.hidden === true) {
        fragments.push({ type: "hidden-call", call, name, parameters, warnings: [] });
      } else {
        fragments.push({ type: "call-start", call, name });
        for (const [key, value] of Object.entries(parameters)) {
          const text = typeof value === "string" ? value : JSON.stringify(value);
          fragments.push({ type: "parameter-start", call, name: key });
          if (text !== "") fragments.push({ type: "parameter", call, name: key, text });
          fragments.push({ type: "parameter-end", call, name: key });
        }
        fragments.push({ type: "call-end", call, name, parameters, warnings: [] });
      }
    }
  }
  return fragments;
}

/** Returns why a call was malformed, if the syntax recorded that. */
function codeOf(block: ToolUseBlock): ErrorCode {
  const code = block.native?.data["code"];
  return typeof code === "string" && isErrorCode(code) ? code : "TOOL_ARGUMENTS_INVALID";
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** Returns fragments without offsets and hidden parts, to compare a stream with its stored message. */
export function shownFragments(fragments: readonly Fragment[]): readonly FragmentBody[] {
  return fragments.flatMap((fragment): readonly FragmentBody[] => {
    switch (fragment.type) {
      case "markup":
      case "dropped":
      case "stop":
      case "call-refused":
      case "quoted-call":
        return [];
      case "call-end":
      case "hidden-call": {
        const { type, call, name, parameters } = fragment;
        return [{ type, call, name, parameters, warnings: [] }];
      }
      case "call-start":
        return [{ type: "call-start", call: fragment.call, name: fragment.name }];
      case "parameter-start":
        return [{ type: "parameter-start", call: fragment.call, name: fragment.name }];
      case "text":
      case "reasoning":
      case "parameter":
      case "parameter-end":
      case "call-error": {
        const { start, end, ...body } = fragment;
        return start === end && body.type === "text" ? [] : [body];
      }
    }
  });
}
