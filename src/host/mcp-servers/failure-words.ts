import { unreachable } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { ToolServerFailure } from "../../core/port/tool-server.ts";

/** What a person can do about a server that is not there. */
export function whatToDo({ type, retryable }: Pick<ToolServerFailure, "type" | "retryable">): string {
  switch (type) {
    case "entry":
      return "Set the variable where Heddle is started, or correct its entry; then reload.";
    case "no-program":
      return 'Install it, or correct "command" of its entry.';
    case "not-let-in":
      return 'Put a valid token into "headers" of its entry.';
    case "unreachable":
    case "closed":
    case "lost-session":
      return retryable ? "It is tried again by itself; what it wrote may say why." : "Correct its entry, then reload.";
    case "timeout":
      return "It may be starting slowly, or it is no MCP server; what it wrote may say why.";
    case "refused":
    case "garbled":
    case "too-large":
      return "It may be no MCP server, or one of another version.";
    case "cancelled":
      return "Reload it.";
    default:
      return unreachable(type);
  }
}

/** A call that came to no result, as a model reads it. */
export function callRefusal(server: string, { type, message }: ToolServerFailure): Refusal {
  const facts = { server, reason: type };
  switch (type) {
    case "refused":
      return refusal("TOOL_FAILED", facts, `The server ${server} did not run this: ${message}.`);
    case "entry":
    case "no-program":
    case "not-let-in":
    case "unreachable":
    case "lost-session":
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
        `The server ${server} gave no result: ${message}. Whether the call had its effect is not known.`,
      );
    default:
      return unreachable(type);
  }
}
