import { unreachable } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { ToolServerFailure } from "../../core/port/tool-server.ts";

/** Returns what a person can do about a server that failed. */
export function whatToDo({ type, retryable }: Pick<ToolServerFailure, "type" | "retryable">): string {
  switch (type) {
    case "entry":
      return "Set the variable where Heddle is started, or correct the server's entry; then reload.";
    case "no-program":
      return 'Install the program, or correct "command" of the server\'s entry.';
    case "not-let-in":
      return 'Sign in there, or put a valid token into "headers" of the server\'s entry.';
    case "not-found":
      return 'Check "url" of the server\'s entry. Heddle tries again by itself, in case the server was only restarted.';
    case "unreachable":
    case "closed":
      return retryable
        ? "Heddle tries again by itself; the server's output may say why."
        : "Correct the server's entry, then reload.";
    case "timeout":
      return "The server may be starting slowly, or may not be an MCP server; its output may say why.";
    case "refused":
    case "garbled":
    case "too-large":
      return "It may not be an MCP server, or it speaks another version of the protocol.";
    case "cancelled":
      return "Reload the server.";
    default:
      return unreachable(type);
  }
}

/** Returns the refusal of a person's request to a server. */
export function askRefusal(server: string, { type, message }: ToolServerFailure): Refusal {
  const facts = { server, reason: type };
  return refusal("TOOL_FAILED", facts, `The server ${server} gave nothing: ${message}. Nothing was changed.`);
}

/** Returns the refusal of a call without a result, as a model reads it. */
export function callRefusal(server: string, { type, message }: ToolServerFailure): Refusal {
  const facts = { server, reason: type };
  switch (type) {
    case "refused":
      return refusal("TOOL_FAILED", facts, `The server ${server} did not run this call: ${message}.`);
    case "entry":
    case "no-program":
    case "not-let-in":
    case "unreachable":
    case "not-found":
      return refusal("TOOL_FAILED", facts, `The server ${server} cannot be reached now: ${message}.`);
    case "cancelled":
      return refusal("TOOL_FAILED", { ...facts, reason: "cancelled" }, "The call was stopped.");
    case "closed":
    case "timeout":
    case "garbled":
    case "too-large":
      return refusal(
        "TOOL_FAILED",
        facts,
        `The server ${server} gave no result: ${message}. Whether the call took effect is unknown.`,
      );
    default:
      return unreachable(type);
  }
}
