import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { blockId, described, rootId } from "../../../core/protocol/base/parts.ts";
import type { SubscriptionEvent } from "../../tool/block-subscribe.ts";
import { streamSubscription } from "./block-stream.ts";
import { EventStream } from "../http/event-stream.ts";
import { wholeNumber } from "../http/read-query.ts";
import { refusedBody } from "../http/refusal-answer.ts";
import { bytesRoute, type BytesCall, type Route } from "../http/route.ts";

const section = "Events";
const afterMax = 999_999_999;
const after = v.exactOptional(
  wholeNumber(0, afterMax, "Only what came after this number; the header `Last-Event-ID`, where there is one, counts."),
);
const anyObject = v.record(v.string(), v.unknown());
const resuming = `Each event has an \`id\`, the number to continue after: send it as \`Last-Event-ID\` (as browsers and SSE libraries do
by themselves) or as \`after\`. Nothing is left out: a reader too far behind gets the whole state first, and one that reads too slowly is ended by
\`terminated\`, and continues.`;

/** What happens in a conversation, message by message and state by state. */
const conversationRoute = bytesRoute({
  method: "GET",
  path: "/api/roots/:id/events",
  section,
  description: "Streams what happens in a conversation.",
  details: `${resuming} The events are named by what happened: \`node-added\`, \`node-changed\`, \`nodes-removed\`, \`root-changed\`,
\`bookmark-changed\`, \`run-changed\`, \`waiting-changed\` and \`notice\`. Streamed text is not among them: a finished message is one event.`,
  params: { id: rootId },
  query: v.object({ after }),
  answer: {
    type: "events",
    description: "One event for each entry of the conversation's feed.",
    events: {
      snapshot: described(
        anyObject,
        "The whole conversation: its settings, messages, runs, waiting messages and bookmarks.",
      ),
      "node-added": described(
        anyObject,
        "An entry: `seq`, `at`, and what happened in `body`. The other names have this form too.",
      ),
      terminated: refusedBody,
    },
  },
  refusals: ["ROOT_NOT_FOUND"],
  scoped: true,
  access: ({ id }) => ["conversation.read", { type: "conversation", id }],
  async perform(call) {
    const from = startOf(call);
    if (!from.ok) return from.error;
    const { conversations, platform } = call.workspace;
    const stream = new EventStream(call, platform.clock);
    const joined = await conversations.watch(call.params.id, from.value ?? 0, {
      snapshot: ({ seq, ...view }) => stream.send("snapshot", { seq, ...view }, seq),
      deliver: (records) => {
        for (const { seq, at, body } of records) stream.send(body.type, { seq, at, body }, seq);
      },
      terminated: (reason) => stream.terminate(reason),
    });
    if (!joined.ok) return joined.error;
    stream.onEnd(joined.value);
    // Headers first: a reader that missed nothing learns that it is connected.
    stream.begin();
    return null;
  },
});

/** What is written in a document, change by change. */
const documentRoute = bytesRoute({
  method: "GET",
  path: "/api/blocks/:id/events",
  section,
  description: "Streams every change of a document or of another block.",
  details: `${resuming} The id is the block's version. With \`form=text\` (the default) changes hold the new text, with \`form=update\` the
update of the text engine.`,
  params: { id: blockId },
  query: v.object({
    after,
    form: v.exactOptional(described(v.picklist(["text", "update"]), "The form of the changes; `text` by default.")),
  }),
  answer: {
    type: "events",
    description: "One event for the block, where the reader has none, and for each change.",
    events: {
      "new-block": described(anyObject, "The block, as `block_sync` gives it."),
      patch: described(anyObject, "A change, as `block_sync` gives it."),
      "caught-up": v.object({}),
      terminated: refusedBody,
    },
  },
  refusals: ["BLOCK_NOT_FOUND"],
  scoped: true,
  access: ({ id }) => ["document.read", { type: "block", id }],
  perform: streamDocument,
});

async function streamDocument(
  call: BytesCall<{ readonly id: BlockId }, { readonly form?: "text" | "update"; readonly after?: number }>,
): Promise<Refusal | null> {
  const from = startOf(call);
  if (!from.ok) return from.error;
  const { params, query } = call;
  const parameters: JsonObject = {
    block_ids: [params.id],
    form: query.form ?? "text",
    ...(from.value === null ? {} : { from_versions: [[params.id, from.value]] }),
  };
  return streamSubscription(call, parameters, (stream, event) => {
    const { data, version } = dataOf(event);
    stream.send(event.type, data, version);
  });
}

function dataOf(event: SubscriptionEvent): { readonly data: JsonObject; readonly version?: number } {
  if (event.type === "caught-up") return { data: {} };
  const data = event.type === "patch" ? event.patch : event.block;
  const header = data["header"];
  const version = isJsonObject(header) ? header["version"] : data["version"];
  return typeof version === "number" ? { data, version } : { data };
}

/** Returns the number after which a reader continues; null at the beginning. */
function startOf({
  request,
  query,
}: Pick<BytesCall<unknown, { readonly after?: number }>, "request" | "query">): Result<number | null, Refusal> {
  const last = request.headers["last-event-id"];
  if (last === undefined || last === "") return ok(query.after ?? null);
  return typeof last === "string" && /^\d{1,9}$/.test(last)
    ? ok(Number(last))
    : err(refusal("INVALID_PARAMS", { header: "Last-Event-ID", expected: "the id of an event" }));
}

/** Streams to programs: a conversation and a document, each with a number to continue after. */
export const eventRoutes: readonly Route[] = [conversationRoute, documentRoute];
