import { act, createElement } from "react";
import { expect, test } from "vitest";
import { node, rootId } from "../../../../src/client/watch/conversation.test-support.ts";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { AppContext, type AppServices } from "../../ui/app-context.ts";
import { mountHook } from "../../ui/render-hook.test-support.ts";
import { useSelected } from "../../ui/use-selected.ts";
import { AuthorHues } from "../../view/words/author-hue.ts";
import { handServer, viewOf, writing } from "./conversation.test-support.ts";
import { useConversation } from "./use-conversation.ts";

const otherId = "root_2" as RootId;

/** Mounts the hook with its services; it reads the part of the state that the shell shows. */
async function mounted() {
  const server = handServer();
  const { client, announce, tell } = server.ports;
  const services: AppServices = {
    client,
    announce,
    tell,
    withdraw: () => {},
    showActivity: () => {},
    hues: new AuthorHues(),
  };
  const hook = await mountHook(
    (id: RootId | null) => {
      const conversation = useConversation(id);
      const part = useSelected(conversation.state, ({ path, run }) => ({ path, run }));
      return { conversation, part };
    },
    (child) => createElement(AppContext, { value: services }, child),
  );
  return { ...server, ...hook };
}

test("useConversation returns the same object at each render and visit", async () => {
  const { render, results, unmount } = await mounted();
  for (const id of [rootId, rootId, otherId, rootId]) await render(id);
  const [first, second, other, again] = results.map(({ conversation }) => conversation);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
  expect(again).toBe(first);
  await unmount();
});

test("typing in the composer and streamed tokens do not render a reader of path and run", async () => {
  const { render, results, setView, unmount } = await mounted();
  const view = viewOf([node(1, null)]);
  const question = node(1, null).id;
  await act(async () => setView(rootId, { ...view, runs: [writing(question, "Hel")] }));
  await render(rootId);
  const before = results.length;
  await act(async () => results[0]?.conversation.draft.setText("typed"));
  await act(async () => setView(rootId, { ...view, runs: [writing(question, "Hello")] }));
  expect(results.length).toBe(before);
  expect(results.at(-1)?.part.path).toHaveLength(1);
  await unmount();
});

test("a new message renders a reader of the path", async () => {
  const { render, results, setView, unmount } = await mounted();
  await act(async () => setView(rootId, viewOf([node(1, null)])));
  await render(rootId);
  await act(async () => {
    setView(rootId, viewOf([node(1, null), node(2, 1)]));
    await new Promise((resolve) => setTimeout(resolve, 60));
  });
  expect(results.at(-1)?.part.path.map(({ id }) => id)).toEqual(["node_1", "node_2"]);
  await unmount();
});
