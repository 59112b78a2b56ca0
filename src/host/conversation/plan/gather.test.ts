import { expect, test } from "vitest";
import type { ActorId, BlockId, PersonId } from "../../../core/base/ids.ts";
import type { Actor } from "../../../core/base/actor.ts";
import { node, root } from "../../../testing/store/records.ts";
import { gather } from "./gather.ts";

type Given = Parameters<typeof gather>;

const ada: Actor = { type: "person", id: "ada" as ActorId, name: "Ada" };
const said = { role: "user", content: [{ type: "text", text: "And now?" }] } as const;
const changed = node("reply", {
  message: { role: "assistant", content: [{ type: "text", text: "Weft." }] },
  edited: { by: [ada], original: "Warp." },
});

/** Gathers for an event after a reply that Ada changed, in a turn that Bob began; returns also for whom the canvas is read. */
async function gathered(event: object, begins: boolean, more: object = {}) {
  const readFor: unknown[] = [];
  const ports = {
    store: {
      path: async () => [changed],
      node: async () => null,
      childByHash: async () => null,
      block: async () => null,
    },
    canvases: { afterTurn: async () => [], beforeMessage: async () => ({ updates: [], canvas: null }) },
    rights: { reach: async (_root: unknown, asked: unknown) => void readFor.push(asked) },
    askersOf: ({ id }: Actor) => ({ payer: id as string as PersonId }),
    ...more,
  };
  const first = { event, sender: ada, begins, ends: false, step: { saved: [], performed: [] } };
  const { untold } = await gather(
    ports as unknown as Given[0],
    root("a", { canvasId: "canvas" as BlockId }),
    { record: { turnId: "turn", settings: { payer: "bob" } }, head: changed } as unknown as Given[2],
    { type: "applied", first, queued: null, taken: [], waiting: [] } as unknown as Given[3],
  );
  return { readFor, untold };
}

test("a model is told of a canvas as who begins the turn may read it, and in its midst as who began it", async () => {
  const sent = { type: "message-sent", message: said };
  expect((await gathered(sent, true)).readFor).toEqual([{ payer: "ada" }]);
  expect((await gathered(sent, false)).readFor).toEqual([{ payer: "bob" }]);
});

test("a model is told that people changed its replies with a message and where it goes on, and not where it answers anew", async () => {
  expect((await gathered({ type: "message-sent", message: said }, true)).untold).toEqual([changed]);
  expect((await gathered({ type: "reply-requested", goOn: true }, true)).untold).toEqual([changed]);
  expect((await gathered({ type: "reply-requested" }, true)).untold).toEqual([]);
  // Where models are not told of such changes, that is no list of none.
  expect((await gathered({ type: "message-sent", message: said }, true, { tellsEdits: false })).untold).toBeNull();
});
