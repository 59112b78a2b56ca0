import * as v from "valibot";
import { refusal, type Refusal } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
import { factsOfIssues } from "./base/issues.ts";
import type { UpMessage } from "./base/messages.ts";
import { readPush } from "./read-push.ts";
import { callMessage } from "./up/call.ts";
import { helloMessage } from "./up/hello.ts";
import { lookMessage } from "./up/look.ts";
import { pingMessage } from "./up/ping.ts";
import { presenceMessage } from "./up/presence.ts";
import { pushMessage } from "./up/push.ts";
import { unwatchBlockMessage, watchBlockMessage } from "./up/watch-block.ts";
import { unwatchConversationMessage, watchConversationMessage } from "./up/watch-conversation.ts";
import { unwatchListMessage, watchListMessage } from "./up/watch-list.ts";
import { watchWorkspaceMessage } from "./up/watch-workspace.ts";

/** The schema of every message that a client may send. */
export const upMessage = v.variant("type", [
  helloMessage,
  watchWorkspaceMessage,
  watchListMessage,
  unwatchListMessage,
  watchConversationMessage,
  unwatchConversationMessage,
  watchBlockMessage,
  unwatchBlockMessage,
  pushMessage,
  callMessage,
  presenceMessage,
  lookMessage,
  pingMessage,
]);

/** Reads one frame's JSON as a message; drops keys that no schema names. */
export function readUpMessage(json: unknown): Result<UpMessage, Refusal> {
  const push = readPush(json);
  if (push !== undefined) return ok(push);
  const read = v.safeParse(upMessage, json);
  return read.success ? ok(read.output) : err(refusal("FRAME_MALFORMED", factsOfIssues(read.issues)));
}
