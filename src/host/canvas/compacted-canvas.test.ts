import { expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { textOf } from "../../core/message/content.ts";
import { accepted, ada, checkOut, inOrder, Studio } from "./canvas.test-support.ts";

const words = "word after word ".repeat(60);

/** A conversation whose canvas was read, then edited by a person, and then summed up. */
async function summedUp(): Promise<{ readonly studio: Studio; readonly summary: ForestNode }> {
  const studio = await Studio.open("# Plan\n\none\ntwo\n");
  studio.mind = inOrder(checkOut, { say: `I read it. ${words}` });
  await studio.ask(`Read it. ${words}`);
  studio.mind = () => ({ say: words });
  await studio.ask(`More. ${words}`);
  await studio.write("# Plan\n\none\nbefore the summary\n");
  studio.mind = () => ({ say: "Goal: a plan." });
  const nodeId = must((await studio.nodes()).at(-1), "a message").id;
  accepted(await studio.workspace.conversations.branches.compact(ada, { nodeId }));
  await studio.rest();
  studio.mind = () => ({ say: "Well." });
  return { studio, summary: must((await studio.nodes()).at(-1), "a summary") };
}

test("K-63 a canvas that a person edits after a compaction is reported from the revision that the summary names", async () => {
  const { studio, summary } = await summedUp();
  try {
    const revision = must(summary.canvas, "the canvas that the summary names").revisionId;
    expect(textOf(summary.message)).toContain(`revision ${revision}`);
    expect(textOf(summary.message)).not.toContain("before the summary");
    // Nothing was changed since: nothing is reported.
    await studio.ask("Anything new?");
    expect(await studio.updates()).toEqual([]);

    await studio.write("# Plan\n\none\nbefore the summary\nafter the summary\n");
    await studio.ask("And now?");
    const path = await studio.path();
    const updates = path.flatMap(({ message }) => (message.role === "user" ? (message.update ?? []) : []));
    expect(updates).toMatchObject([{ from: revision, changedBy: ["Ada"] }]);
    const [update = ""] = await studio.updates();
    expect(update).toContain("+after the summary");
    expect(update).not.toContain("+before the summary");
    const sent = must(studio.requests.at(-1), "a request").messages.map(textOf).join("\n");
    expect(sent.indexOf("A model wrote this summary.")).toBeLessThan(sent.indexOf("+after the summary"));
  } finally {
    await studio.close();
  }
});

test("K-59 a model that gets the originals learns of the edits that only the summary had named", async () => {
  const { studio, summary } = await summedUp();
  try {
    accepted(await studio.workspace.conversations.branches.originals({ nodeId: summary.id }));
    await studio.ask("And with all of them?");
    const updates = await studio.updates();
    expect(updates).toHaveLength(1);
    expect(updates[0]).toContain("+before the summary");
  } finally {
    await studio.close();
  }
});
