import { ok } from "../../core/base/result.ts";
import type { pushCommands } from "../../core/protocol/command/push.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performPush: Performs<keyof typeof pushCommands> = {
  "push.key": async ({ workspace }) => {
    const key = await workspace.pushes.publicKey();
    return key.ok ? ok({ publicKey: key.value }) : key;
  },
  "push.subscribe": async ({ workspace, asking, remember }, browser) =>
    nothing(
      await workspace.pushes.subscribe(
        { personId: asking.member?.id ?? null, sessionId: asking.member?.credential ?? null },
        browser,
        remember({}, null),
      ),
    ),
  "push.unsubscribe": async ({ workspace, asking, remember }, { endpoint }) =>
    nothing(await workspace.pushes.unsubscribe(asking.member?.id ?? null, endpoint, remember({}, null))),
};
