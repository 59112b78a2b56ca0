import { afterEach, expect, test } from "vitest";
import { conversationRoundsMax } from "../../core/turn/state/context.ts";
import { checkOut, patches, Studio, type Move } from "./canvas.test-support.ts";

let studio: Studio;
afterEach(() => studio.close());

test("C-30 CR4 an agent that calls tools without end is asked for its last words without tools, and its changes are reported", async () => {
  studio = await Studio.open("one\n");
  studio.mind = ({ toolChoice }, leaseId): Move => {
    if (toolChoice === "none") return { say: "That is all." };
    if (studio.requests.length === 1) return checkOut;
    if (studio.requests.length === 2) return patches(1, "one", "1")(leaseId);
    return { call: "canvas_renew_lease", with: { lease_id: leaseId } };
  };
  await studio.ask("edit");
  const transcript = await studio.told();
  expect(transcript.filter((each) => each.startsWith("canvas_"))).toHaveLength(conversationRoundsMax);
  expect(transcript.slice(-2)).toEqual(["assistant: That is all.", "canvas: Editor"]);
  await expect.poll(() => studio.workspace.leases.isHeld(studio.canvasId)).toBe(false);
});
