import type { Refusal } from "../../../core/base/errors.ts";
import { listKey } from "../../../core/forest/list.ts";
import type { Chain } from "../../../core/rights/object-key.ts";
import { chainOf } from "../../access/chains.ts";
import { hideTime } from "../../access/hide-time.ts";
import { whyNotAllowed, whyNotMessage } from "../../access/why-not-allowed.ts";
import { portsOf } from "../../command/base/questions.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Introduced, Message } from "./connection-state.ts";
import { accessOfMessage } from "./message-access.ts";

/** What was decided about a message, with all that a watched object lies in. */
interface JudgedMessage {
  readonly refused: Refusal | null;
  readonly chain: Chain | null;
}

/** What ends a watch needs nothing, nor what says that the client is there; a call decides by its own row. */
const free: ReadonlySet<Message["type"]> = new Set([
  "ping",
  "call",
  "unwatch-list",
  "unwatch-conversation",
  "unwatch-block",
]);

/** Decides a message of a person with an account by the rights of this moment. */
export async function judgeMessage(guest: Introduced, message: Message, workspace: Workspace): Promise<JudgedMessage> {
  if (free.has(message.type)) return { refused: null, chain: null };
  const access = accessOfMessage(message);
  const ports = portsOf(workspace);
  const lacksToken = guest.grant ? whyNotMessage(guest.grant, message.type, access) : null;
  const refused =
    lacksToken ?? (await hideTime(guest, workspace.platform.clock, () => whyNotAllowed(guest, access, ports)));
  if (refused !== null)
    return { refused: { ...refused, details: { ...refused.details, ...watched(message) } }, chain: null };
  const isWatch = message.type === "watch-block" || message.type === "watch-conversation";
  return { refused: null, chain: isWatch ? await chainOf(access[1], ports) : null };
}

/** Returns what the client knows a watch by. */
export function watched(message: Message): Readonly<Record<string, string>> {
  if (message.type === "watch-block") return { block_id: message.blockId };
  if (message.type === "watch-list") return { list: listKey(message.list) };
  if (message.type === "watch-workspace") return { watch: "workspace" };
  return message.type === "watch-conversation" ? { root_id: message.rootId } : {};
}
