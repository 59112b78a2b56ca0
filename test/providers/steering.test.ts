import { expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import { textOf } from "../../src/core/message/content.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import type { MockProviderOptions } from "../../src/testing/mock-provider/server.ts";
import { until } from "../../src/testing/test-client.ts";
import { atBench, brain } from "../process/provider-bench.ts";
import { viewOf } from "../process/typist.ts";

const apis: readonly MockProviderOptions["api"][] = ["anthropic", "chat", "responses", "gemini", "interactions"];

test.each(apis)(
  "K-43 14.22 a steer to two calls over %s follows their results and what changed in the canvas",
  async (api) => {
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const seen: ModelRequest[] = [];
    const answer = brain(({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? [{ type: "text", text: "Both are done." }]
        : [
            { type: "tool-call", name: "canvas_check_out", parameters: {} },
            { type: "tool-call", name: "canvas_outline", parameters: {} },
          ],
    );
    const reply: MockProviderOptions["reply"] = async function* (request, signal) {
      seen.push(request);
      await held;
      yield* answer(request, signal);
    };
    await atBench({ api, reply }, async (bench) => {
      const { person, provider } = bench;
      await bench.ask("Look at it.");
      await until(person.conversation, () => viewOf(person).runs.some(({ state }) => state.type === "requesting"));
      await expect.poll(() => seen.length).toBe(1);
      const sent = await person.client.call("message.send", {
        rootId: viewOf(person).root.id,
        parentNodeId: bench.run().headNodeId,
        text: "Only the headings.",
        deliver: "steer",
      });
      expect(sent).toMatchObject({ ok: true, value: { queued: true } });
      person.text.edit([{ from: 0, to: 0, insert: "A line by a person.\n" }]);
      await until(person.text.unconfirmed, (count) => count === 0);
      goOn();
      await until(person.conversation, () => isSettled(bench.run().state) && !bench.run().queued);
      const said = [...viewOf(person).nodesById.values()].map(({ message }) => {
        if (message.role === "tool") return "result";
        if (message.role === "user" && message.update !== undefined) return "update";
        return message.role === "user" ? textOf(message) : message.role;
      });
      expect(said).toEqual([
        "Look at it.",
        "assistant",
        "result",
        "result",
        "update",
        "Only the headings.",
        "assistant",
      ]);
      const second = must(seen[1], "a second request");
      expect(second.messages.at(-1)?.role).toBe("user");
      expect(second.messages.slice(0, 1)).toEqual(must(seen[0], "a first request").messages);
      expect(provider.rejections).toEqual([]);
    });
  },
);
