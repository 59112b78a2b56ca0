import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { described } from "../../../core/protocol/base/parts.ts";
import { blockSubscribe } from "../../../core/tool/block/block-tools.ts";
import { withoutRuns, withUnverifiedNames } from "../../access/team-authors.ts";
import type { SubscriptionEvent } from "../../tool/block-subscribe.ts";
import { EventStream } from "../http/event-stream.ts";
import { readJsonBody } from "../http/read-body.ts";
import { refusedBody } from "../http/refusal-answer.ts";
import { bytesRoute, type BytesCall, type Route } from "../http/route.ts";

/** `block_subscribe` over HTTP: server-sent events `new-block`, `patch`, `caught-up`, and `terminated` with the reason. */
export const blockStreamRoute: Route = bytesRoute({
  method: "POST",
  path: "/api/tools/block_subscribe",
  section: "Tools",
  description: "Streams every change of blocks, after what came since the versions given.",
  details: "Sends every change without gaps: a reader that was cut off continues with `from_versions`.",
  body: blockSubscribe.input,
  answer: {
    type: "events",
    description: "One event for each block and each change.",
    events: {
      "new-block": described(v.record(v.string(), v.unknown()), "A block, as `block_sync` gives it."),
      patch: described(v.record(v.string(), v.unknown()), "A change, as `block_sync` gives it."),
      "caught-up": v.object({}),
      terminated: refusedBody,
    },
  },
  refusals: ["BLOCK_NOT_FOUND"],
  access: () => ["document.read", { type: "tool", name: "block_subscribe" }],
  perform: streamBlocks,
});

async function streamBlocks(call: BytesCall<unknown, unknown>): Promise<Refusal | null> {
  const body = await readJsonBody(call.request);
  if (!body.ok) return body.error;
  if (!isJsonObject(body.value)) return refusal("INVALID_PARAMS", { expected: "an object" });
  return streamSubscription(call, body.value, (stream, event) => stream.send(event.type, dataOf(event)));
}

/** Answers with the events of `block_subscribe` until the reader leaves; with a refusal if the first block is refused. */
export async function streamSubscription(
  call: BytesCall<unknown, unknown>,
  parameters: JsonObject,
  send: (stream: EventStream, event: SubscriptionEvent) => void,
): Promise<Refusal | null> {
  const { workspace, actor, member } = call;
  const stream = new EventStream(call, workspace.platform.clock);
  const subscribed = workspace.subscribeToBlocks(actor, parameters, (event) => {
    send(stream, member === null ? event : forTeam(event));
    return stream.read();
  });
  if (!subscribed.ok) return subscribed.error;
  const { started, stop } = subscribed.value;
  stream.onEnd(stop);
  const caughtUp = await started;
  if (caughtUp.ok) return null;
  stop();
  // Nothing has been answered yet if the first block was refused.
  if (!stream.hasBegun) return caughtUp.error;
  stream.terminate(caughtUp.error);
  return null;
}

/** As people of a team get an event: who reads a document may not know of the conversation whose agent wrote in it. */
function forTeam(event: SubscriptionEvent): SubscriptionEvent {
  if (event.type !== "patch") return event;
  const { requestId: _request, ...patch } = event.patch;
  return { type: "patch", patch: withUnverifiedNames(withoutRuns(patch)) as JsonObject };
}

function dataOf(event: SubscriptionEvent): object {
  switch (event.type) {
    case "patch":
      return event.patch;
    case "new-block":
      return event.block;
    case "caught-up":
      return {};
  }
}
