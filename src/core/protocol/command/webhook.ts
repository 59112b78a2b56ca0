import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, idForm, nothing, shown } from "../base/parts.ts";

/** What a webhook can be called for. */
export const webhookEvents = ["conversation.ended", "approval.wanted", "document.changed"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
/** What a call may be named: an event, or a person's test. */
const sentEvents = [...webhookEvents, "test"] as const;
export type SentEvent = (typeof sentEvents)[number];

const webhookId = v.pipe(
  v.string(),
  v.regex(idForm, "an id"),
  v.description("Id of a webhook."),
  v.examples(["hook_01"]),
);
const url = v.pipe(v.string(), v.url(), v.maxLength(2_000), v.examples(["https://example.org/heddle"]));
const secret = v.pipe(
  v.string(),
  v.regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, "whsec_ and 24 to 64 bytes in base64"),
  v.examples([`whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`]),
);
const events = v.pipe(v.array(v.picklist(webhookEvents)), v.minLength(1), v.maxLength(webhookEvents.length));

export const webhookCommands = {
  "webhook.list": command({
    description: "Lists the webhooks, oldest first; no secret is shown.",
    params: nothing,
    access: onWorkspace("workspace.list-webhooks"),
    answer: v.object({
      webhooks: v.array(
        v.object({
          webhookId: shown("hook_01"),
          url: shown("https://example.org/heddle"),
          events,
          createdAt: v.number(),
          createdBy: shown("Ada"),
          off: v.nullable(
            described(
              v.picklist(["gone", "no-secret"]),
              "Why nothing is sent: its address answered 410, or its secret cannot be opened here.",
            ),
          ),
        }),
      ),
    }),
  }),
  "webhook.create": command({
    description:
      "Calls an address when something happens, signed as Standard Webhooks has it (`webhook-id`, `webhook-timestamp`, `webhook-signature`).",
    params: v.object({
      url: described(url, "An https address of the Internet; others must be named in the setting `webhookHosts`."),
      events: described(
        events,
        "`conversation.ended`, `approval.wanted` (a person must allow a call or answer), `document.changed`.",
      ),
      secret: described(secret, "Your own random secret, which signs every call. It is kept sealed and never shown."),
    }),
    access: onWorkspace("workspace.webhooks"),
    answer: v.object({ webhookId: shown("hook_01") }),
    refusals: ["INVALID_PARAMS"],
  }),
  "webhook.delete": command({
    description: "Deletes a webhook with its log; what waits is not sent.",
    params: v.object({ webhookId }),
    access: onWorkspace("workspace.webhooks"),
    answer: v.object({}),
    refusals: ["NOT_FOUND"],
  }),
  "webhook.log": command({
    description: "Lists the last calls of a webhook, newest first, with what came of each.",
    params: v.object({ webhookId }),
    access: onWorkspace("workspace.list-webhooks"),
    answer: v.object({
      calls: v.array(
        v.object({
          id: described(shown("evt_01"), "The `webhook-id`, the same in every attempt."),
          event: v.picklist(sentEvents),
          at: v.number(),
          state: described(v.picklist(["waiting", "delivered", "failed"]), "`waiting`: it is tried, or tried again."),
          attempts: v.number(),
          nextAt: described(v.nullable(v.number()), "When it is tried again."),
          status: described(v.nullable(v.number()), "The status of the last answer."),
          problem: described(v.nullable(v.string()), "Why the last attempt failed."),
        }),
      ),
    }),
    refusals: ["NOT_FOUND"],
  }),
  "webhook.send": command({
    description: "Sends a call of the log again at once; without its id, a call named `test`.",
    params: v.object({
      webhookId,
      id: v.exactOptional(
        v.pipe(v.string(), v.regex(idForm, "an id"), v.description("Id of the call."), v.examples(["evt_01"])),
      ),
    }),
    access: onWorkspace("workspace.webhooks"),
    answer: v.object({ id: described(shown("evt_01"), "The `webhook-id` of the call.") }),
    refusals: ["NOT_FOUND"],
  }),
};
