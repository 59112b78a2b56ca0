import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nothing, shown } from "../base/parts.ts";

const point = v.pipe(
  v.string(),
  v.regex(/^B[A-Za-z0-9_-]{86}$/, "an uncompressed point of P-256 in base64url"),
  v.examples(["BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"]),
);
const secret = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{22}$/, "16 bytes in base64url"),
  v.examples(["BTBZMqHH6r4Tts7J_aSIgg"]),
);
const endpoint = v.pipe(
  v.string(),
  v.url(),
  v.maxLength(1_000),
  v.description("The address of the browser's push service for this browser."),
  v.examples(["https://push.example.org/send/1"]),
);

export const pushCommands = {
  "push.key": command({
    description: "Returns the public key by which push services know this server, for `PushManager.subscribe`.",
    params: nothing,
    access: onWorkspace("workspace.list"),
    answer: v.object({
      publicKey: shown("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"),
    }),
  }),
  "push.subscribe": command({
    description:
      "Has the caller told, through the push service of a browser, when an agent waits for them, failed or has finished while no page of theirs is seen.",
    params: v.object({
      endpoint,
      p256dh: described(point, "The browser's public key."),
      auth: described(secret, "The browser's secret."),
      page: described(
        v.pipe(v.string(), v.url(), v.maxLength(1_000), v.examples(["https://heddle.example.org"])),
        "The address of the page. Where it is https, push services learn it as the one to turn to.",
      ),
    }),
    access: onWorkspace("workspace.notify"),
    answer: nothing,
    refusals: ["INVALID_PARAMS"],
  }),
  "push.unsubscribe": command({
    description: "Tells a browser nothing more; harmless for one that is not known.",
    params: v.object({ endpoint }),
    access: onWorkspace("workspace.notify"),
    answer: nothing,
  }),
};
