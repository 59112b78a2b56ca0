import { expect, test } from "vitest";
import type { BlockId, NodeId, RequestId, RootId } from "../../../../src/core/base/ids.ts";
import { err, ok } from "../../../../src/core/base/result.ts";
import { refusal } from "../../../../src/core/base/errors.ts";
import { QuestionClient } from "./question-client.ts";

const [plan, notes] = ["plan", "notes"] as [BlockId, BlockId];
const rootId = "root" as RootId;

/** A client of a conversation that works on the plan, with what it is asked in order. */
function asking({ mayChoose = true } = {}) {
  const asked: string[] = [];
  const told: unknown[] = [];
  let canvasId: BlockId | null = plan;
  const client = {
    async call(command: string, params: { readonly canvasId?: BlockId | null }) {
      asked.push(command === "conversation.set-canvas" ? `works on ${params.canvasId ?? "none"}` : command);
      if (command !== "conversation.set-canvas") return ok({});
      if (!mayChoose) return err(refusal("FORBIDDEN"));
      canvasId = params.canvasId ?? null;
      return ok({});
    },
  };
  const tell = (message: unknown): void => void told.push(message);
  const question = new QuestionClient({ client: client as never, tell }, () => ({
    id: rootId,
    canvasId,
  }));
  const send = () => question.call("message.send", { rootId, parentNodeId: null, text: "Shorten it." });
  return { asked, told, question, send };
}

test("a question is about the document that the person looks at, also where others made the conversation's another one", async () => {
  const { asked, question, send } = asking();
  question.lookAt(notes);
  await send();
  await send();
  question.lookAt(null);
  await send();
  expect(asked).toEqual(["works on notes", "message.send", "message.send", "works on none", "message.send"]);
});

test("a question about the conversation's own document, or before any is shown, is sent at once", () => {
  const { asked, question, send } = asking();
  void send();
  question.lookAt(plan);
  void send();
  expect(asked).toEqual(["message.send", "message.send"]);
});

test("looking at a document changes nothing, and neither does what asks no model", async () => {
  const { asked, question } = asking();
  question.lookAt(notes);
  await question.call("message.label", { nodeId: "node" as NodeId, tags: [], clientRequestId: "r" as RequestId });
  expect(asked).toEqual(["message.label"]);
});

test("who may not choose the conversation's document is told so, and their question is sent", async () => {
  const { asked, told, question, send } = asking({ mayChoose: false });
  question.lookAt(notes);
  await send();
  expect(asked).toEqual(["works on notes", "message.send"]);
  expect(told).toMatchObject([{ code: "FORBIDDEN" }]);
});
