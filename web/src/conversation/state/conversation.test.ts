import { beforeEach, expect, test } from "vitest";
import { node, runIn } from "../../../../src/client/watch/conversation.test-support.ts";
import type { ConversationView } from "../../../../src/client/base/types.ts";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import { busy, handServer, sent, viewOf, writing } from "./conversation.test-support.ts";
import { createConversation } from "./conversation.ts";
import { keptView } from "../kept/kept-view.ts";

let roots = 0;
let rootId: RootId;
beforeEach(() => {
  rootId = `root_conversation_${(roots += 1)}` as RootId;
});

const question = node(1, null);
const answered = [question, { ...node(2, 1), message: { role: "assistant", content: [] } } as never];

/** Opens a conversation with the server's view. */
function opened(view: ConversationView | null = viewOf(answered)) {
  const server = handServer();
  const conversation = createConversation(rootId, server.ports);
  if (view !== null) server.setView(rootId, view);
  conversation.open();
  conversation.state.subscribe(() => {});
  return { ...server, conversation };
}

test("send empties the composer at once and shows the message until the server has it", async () => {
  const { conversation, asked, accept } = opened();
  conversation.draft.setText(" What now? ");
  conversation.send();
  expect(conversation.draft.get().text).toBe("");
  expect(conversation.state.get().sending).toBe("What now?");
  expect(keptView(rootId).outgoing.get()).toBe("What now?");
  expect(asked).toEqual([
    { name: "message.send", params: { rootId, parentNodeId: "node_2", text: "What now?", deliver: "steer" } },
  ]);
  await accept(sent);
  expect(conversation.state.get().sending).toBeNull();
  expect(keptView(rootId).outgoing.get()).toBe("");
});

test("send sends one message at a time, and says so", () => {
  const { conversation, asked, reported } = opened();
  conversation.draft.setText("one");
  conversation.send();
  conversation.draft.setText("two");
  conversation.send();
  expect(asked).toHaveLength(1);
  expect(conversation.draft.get().text).toBe("two");
  expect(reported).toEqual(["Your last message is still being sent. This one is kept; send it after that."]);
  // Enter pressed twice says nothing.
  conversation.draft.setText("");
  conversation.send();
  expect(reported).toHaveLength(1);
});

test("F-47 a message sent before the conversation has loaded is shown, and goes below the end that was seen", async () => {
  keptView(rootId).selection.set({ tipId: "node_2" as NodeId, childByParent: {} });
  const { conversation, asked, setView, accept, reported } = opened(null);
  conversation.draft.setText("What now?");
  conversation.send();
  expect(conversation.draft.get().text).toBe("");
  expect(conversation.state.get().sending).toBe("What now?");
  expect(keptView(rootId).outgoing.get()).toBe("What now?");
  expect(asked).toEqual([]);
  setView(rootId, viewOf(answered));
  await expect
    .poll(() => asked)
    .toEqual([
      { name: "message.send", params: { rootId, parentNodeId: "node_2", text: "What now?", deliver: "steer" } },
    ]);
  await accept(sent);
  expect(conversation.state.get().sending).toBeNull();
  expect(keptView(rootId).outgoing.get()).toBe("");
  expect(reported).toEqual([]);
});

test("F-47 a message sent before the conversation has loaded does not go below messages that nobody has read here", async () => {
  const { conversation, asked, setView, reported } = opened(null);
  conversation.draft.setText("I am.");
  conversation.send();
  setView(rootId, viewOf(answered));
  await expect.poll(() => conversation.draft.get().text).toBe("I am.");
  expect(reported).toEqual(["Here are messages that you have not read. Yours is kept; send it after that."]);
  expect(asked).toEqual([]);
  conversation.send();
  expect(asked).toHaveLength(1);
});

test("F-47 a message that turns out not to be wanted below the branch returns before the words typed since", async () => {
  const { conversation, asked, setView, reported } = opened(null);
  conversation.draft.setText("Only kept");
  conversation.send({ ask: false });
  conversation.draft.setText("typed since");
  setView(rootId, viewOf([question], [writing(question.id, "Hel")]));
  await expect.poll(() => conversation.draft.get().text).toBe("Only kept\n\ntyped since");
  expect(conversation.state.get().sending).toBeNull();
  expect(keptView(rootId).outgoing.get()).toBe("");
  expect(reported).toEqual(["An agent is answering here. Your message is kept; add it when the agent has finished."]);
  expect(asked).toEqual([]);
});

test("a refused message returns before the words typed since, and typing clears the busy sign", async () => {
  const { conversation, refuse, reported } = opened();
  conversation.draft.setText("refused");
  conversation.send();
  conversation.draft.setText("typed since");
  await refuse(busy);
  expect(conversation.draft.get().text).toBe("refused\n\ntyped since");
  expect(conversation.state.get().busy).toBe(true);
  expect(reported).toEqual([]);
  conversation.draft.setText("typed again");
  expect(conversation.state.get().busy).toBe(false);
});

test("a refusal other than busy is reported", async () => {
  const { conversation, refuse, reported } = opened();
  conversation.draft.setText("refused");
  conversation.send();
  const full = { ...busy, code: "STORE_FULL" } as const;
  await refuse(full);
  expect(reported).toEqual([full]);
  expect(conversation.state.get().busy).toBe(false);
});

test("14.22 a message sent while an agent works steers it, unless it is to wait or to interrupt", async () => {
  const { conversation, asked, accept } = opened(viewOf([question], [writing(question.id, "Hel")]));
  conversation.draft.setText("next");
  conversation.send();
  expect(asked[0]?.params).toMatchObject({ deliver: "steer", text: "next" });
  await accept({ ...sent, queued: true });
  for (const deliver of ["queue", "interrupt"] as const) {
    conversation.draft.setText("next");
    conversation.send({ deliver });
    expect(asked.at(-1)?.params).toMatchObject({ deliver, text: "next" });
    await accept({ ...sent, queued: true });
  }
});

test("send without words requests the chosen number of replies to the unanswered question, once", async () => {
  const { conversation, asked, accept, ports } = opened(viewOf([question]));
  ports.replyCount.set(3);
  conversation.send();
  conversation.send();
  expect(asked).toEqual([{ name: "message.regenerate", params: { n: 3, nodeId: "node_1" } }]);
  await accept(sent);
});

test("several replies are requested once: after sending, the count is the usual one again", async () => {
  const { conversation, asked, accept, ports } = opened();
  ports.replyCount.set(3);
  conversation.draft.setText("Three of them");
  conversation.send();
  expect(asked[0]?.params).toMatchObject({ n: 3 });
  expect(ports.replyCount.get()).toBeNull();
  await accept(sent);
  conversation.draft.setText("One of them");
  conversation.send();
  expect(asked[1]?.params).not.toHaveProperty("n");
});

test("a message that is refused returns with its number of replies", async () => {
  const { conversation, refuse, ports } = opened();
  ports.replyCount.set(3);
  conversation.draft.setText("Three of them");
  conversation.send();
  await refuse(busy);
  expect(ports.replyCount.get()).toBe(3);
});

test("a message refused while another conversation is open returns to its own composer", async () => {
  const server = handServer();
  const conversation = createConversation(rootId, server.ports);
  server.setView(rootId, viewOf(answered));
  conversation.open();
  const leave = conversation.state.subscribe(() => {});
  conversation.draft.setText("on its way");
  conversation.send();
  leave();
  await server.refuse(busy);
  conversation.open();
  expect(conversation.draft.get().text).toBe("on its way");
  expect(conversation.state.get()).toMatchObject({ sending: null, busy: false });
});

test("a visit during a send does not restore the message as one of an earlier page", () => {
  const { conversation } = opened();
  conversation.draft.setText("on its way");
  conversation.send();
  conversation.open();
  expect(conversation.draft.get().text).toBe("");
  expect(conversation.state.get().sending).toBe("on its way");
});

test("cancel acts only on an active run", () => {
  const atRest = opened(viewOf([question], [runIn({ type: "idle" }, { headNodeId: question.id })]));
  atRest.conversation.cancel();
  expect(atRest.asked).toEqual([]);
  const atWork = opened(viewOf([question], [writing(question.id, "Hel")]));
  atWork.conversation.cancel();
  expect(atWork.asked).toEqual([{ name: "run.cancel", params: { runId: "run_1" } }]);
});
