import { afterEach, describe, expect, test } from "vitest";
import { accepted, ada, checkOut, inOrder, Studio } from "./canvas.test-support.ts";

let studio: Studio;
afterEach(() => studio.close());

describe("a workspace with documents in git only", () => {
  test("C-19 refuses a canvas tool call clearly, and offers no canvas tools", async () => {
    studio = await Studio.open("one\n");
    await studio.crash({ gitOnly: true });
    studio.mind = inOrder(checkOut, { say: "There is no canvas." });
    await studio.ask("edit");
    const path = await studio.path();
    const result = path.find(({ message }) => message.role === "tool")?.message;
    expect(JSON.stringify(result)).toMatch(/CANVAS_UNAVAILABLE.*files in git/);
    expect(path.at(-1)?.message.content).toEqual([{ type: "text", text: "There is no canvas." }]);
    const [request] = studio.requests;
    expect(request?.tools.map(({ name }) => name).filter((name) => name.startsWith("canvas"))).toEqual([]);
    expect(request?.tools.length).toBeGreaterThan(0);
  });

  test("has no canvases and creates none", async () => {
    studio = await Studio.open("one\n");
    await studio.crash({ gitOnly: true });
    const { workspace } = studio;
    expect(await workspace.canvases()).toEqual([]);
    const made = await workspace.createCanvas(await studio.author(ada), { title: "Plan" });
    expect(made.ok ? "ok" : made.error.code).toBe("CANVAS_UNAVAILABLE");
    await studio.ask("hello");
    expect(accepted(await workspace.conversations.view(studio.rootId)).nodes).toHaveLength(2);
    expect(await studio.revisions()).toEqual([]);
  });
});
