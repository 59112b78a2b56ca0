import type { AnyMessage, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { isJsonObject } from "../../core/base/json.ts";

/** The updates of a session that Heddle reads or passes over; a name that is missing here does not compile. */
const known: Readonly<Record<SessionUpdate["sessionUpdate"], true>> = {
  user_message_chunk: true,
  agent_message_chunk: true,
  agent_thought_chunk: true,
  tool_call: true,
  tool_call_update: true,
  plan: true,
  plan_update: true,
  plan_removed: true,
  available_commands_update: true,
  current_mode_update: true,
  config_option_update: true,
  session_info_update: true,
  session_message: true,
  session_message_chunk: true,
  subagent_update: true,
  compaction_update: true,
  compaction_summary_chunk: true,
  usage_update: true,
  notice: true,
};

/** Drops updates that a later protocol has, before they cost more than their name: the package would report each as an error. */
export function knownUpdates(): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, controller) {
      if (!isUnknownUpdate(message)) controller.enqueue(message);
    },
  });
}

function isUnknownUpdate(message: unknown): boolean {
  if (!isJsonObject(message) || message["method"] !== "session/update") return false;
  const { params } = message;
  const update = isJsonObject(params) ? params["update"] : undefined;
  const name = isJsonObject(update) ? update["sessionUpdate"] : undefined;
  return typeof name === "string" && !Object.hasOwn(known, name);
}
