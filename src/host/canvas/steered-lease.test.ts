import { afterEach, expect, test } from "vitest";
import { accepted } from "../conversation/queue/conversation.test-support.ts";
import { ada, checkOut, inOrder, patches, Studio } from "./canvas.test-support.ts";

let studio: Studio | undefined;
afterEach(() => studio?.close());

test("K-53 a patch under way when a steer is sent is applied; the lease ends with the taking, and a new one works", async () => {
  const opened = await Studio.open("one\ntwo\n");
  studio = opened;
  const plan = inOrder(checkOut, patches(1, "one", "1"), patches(2, "two", "2"), checkOut, patches(2, "two", "2"));
  let asked = 0;
  opened.mind = async (request, leaseId) => {
    asked += 1;
    if (asked === 2) {
      const parentNodeId = (await opened.nodes()).at(-1)?.id ?? null;
      const wish = { rootId: opened.rootId, parentNodeId, text: "Both lines.", deliver: "steer" } as const;
      expect(accepted(await opened.workspace.conversations.messages.send(ada, wish)).queued).toBe(true);
      expect(opened.workspace.leases.isHeld(opened.canvasId)).toBe(true);
    }
    return plan(request, leaseId);
  };
  await opened.ask("edit");
  expect((await opened.told()).filter((line) => !/^(?:canvas:|assistant: $)/.test(line))).toEqual([
    "user: edit",
    "canvas_check_out: ok",
    "canvas_apply_patch: ok",
    "user: Both lines.",
    "canvas_apply_patch: error",
    "canvas_check_out: ok",
    "canvas_apply_patch: ok",
    "assistant: Done.",
  ]);
  expect(await opened.text()).toBe("1\n2\n");
});
