import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { NodeId, RequestId } from "../../src/core/base/ids.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import { welcomeText } from "../../src/host/workspace/welcome.ts";
import { until } from "../../src/testing/test-client.ts";
import { spokenOf, toolResultsOf, wordsOf } from "./history.ts";
import { isResting, timesIn, viewOf, withoutTypedWords, type Typist } from "./typist.ts";

/** The main job, step by step, on a canvas that begins with the welcome text. */

const ours = "This part is yours.";

/** Checks that steps appear, the canvas changes only as requested, and a person's words typed meanwhile survive. */
export async function theTurn(person: Typist): Promise<void> {
  const steps = new Set<string>();
  const watch = person.conversation.subscribe(() => {
    for (const { state } of viewOf(person).runs) {
      if (state.type === "running-tools") steps.add(state.pending[0].name);
    }
  });
  const typing = setInterval(() => person.typeAfter(ours), 30);
  await send(person, null, "Add a section on testing, then tighten the introduction");
  await atRest(person);
  clearInterval(typing);
  watch();
  expect(person.typed.length).toBeGreaterThan(5);
  expect([...steps]).toEqual(expect.arrayContaining(["canvas_check_out", "canvas_apply_patch", "canvas_check_in"]));

  await allSaved(person);
  const before = welcomeText.split("\n");
  const after = withoutTypedWords(person.text.text()).split("\n");
  const introduction = must(before[4], "the introduction's one paragraph");
  const tightened = must(after[4], "the introduction's one paragraph");
  expect(tightened.length).toBeLessThan(introduction.length);
  const section = after.indexOf("## Testing");
  expect(section).toBeGreaterThan(0);
  expect(after.with(4, introduction).slice(0, section).join("\n").trimEnd()).toBe(welcomeText.trimEnd());
  expect(after.slice(section).join("\n")).toMatch(/^## Testing\n\n\S/);
  expect(wordsOf(must(spokenOf(nodesOf(person)).at(-1), "a reply").message)).toMatch(
    /added the section .*and tightened/s,
  );
}

/** Checks that the turn is undone as a whole, without the words a person typed during it. */
export async function theUndo(person: Typist): Promise<void> {
  const { blockId } = person.text;
  const listed = await person.client.call("block.turns", { blockId });
  const turn = must(listed.ok ? listed.value.turns[0] : undefined, "the agent's turn");
  expect(await person.client.call("turn.undo", { turnId: turn.turnId })).toMatchObject({ ok: true });
  await until(person.text.header, () => withoutTypedWords(person.text.text()) === welcomeText, 3000);
  expect(person.typed.filter((word) => timesIn(person.text.text(), word) !== 1)).toEqual([]);
}

/** Checks that editing the question makes a branch beside the first. */
export async function theBranches(person: Typist): Promise<void> {
  const before = nodesOf(person);
  const question = must(before[0], "a question");
  const edit = { nodeId: question.id, text: "Add a section on rivers", clientRequestId: requestId() };
  expect(await person.client.call("message.edit", edit)).toMatchObject({ ok: true });
  await atRest(person);
  const view = viewOf(person);
  expect(view.childrenByParent.get(null)).toHaveLength(2);
  expect(nodesOf(person).slice(0, before.length)).toEqual(before);
  expect(person.text.text()).toContain("## Rivers");
}

/** Checks that Take control stops the agent at once: it writes nothing more. */
export async function takeControl(person: Typist): Promise<void> {
  await send(person, lastNode(person), "Add a section on mountains, then tighten the document");
  await until(person.text.lease, (lease) => lease.held !== null);
  const run = must(
    viewOf(person).runs.find(({ state }) => !isSettled(state)),
    "a run at work",
  );
  const taken = await person.client.call("canvas.take-control", { canvasId: person.text.blockId });
  expect(taken).toMatchObject({ ok: true, value: { cancelledRunId: run.runId } });
  const text = person.text.text();
  await atRest(person);
  expect(person.text.lease.get().held).toBeNull();
  await delay(200);
  expect(person.text.text()).toBe(text);
  expect(text).not.toContain("## Mountains");
}

/** K-56: a message that is refused ends the lease at once: the running agent reads STALE_EPOCH and stops. */
export async function staleEpoch(person: Typist): Promise<void> {
  const known = new Set(nodesOf(person).map(({ id }) => id));
  await send(person, lastNode(person), "Add a section on lakes");
  await until(person.text.lease, (lease) => lease.held !== null);
  const refused = await person.client.call("message.send", {
    rootId: viewOf(person).root.id,
    parentNodeId: lastNode(person),
    text: "What is in the document?",
  });
  expect(refused).toMatchObject({ ok: false, error: { code: "AGENT_BUSY" } });
  await until(person.text.lease, (lease) => lease.held === null);
  await atRest(person);
  const added = nodesOf(person).filter(({ id }) => !known.has(id));
  const stale = toolResultsOf(added).filter(({ outcome }) => outcome === "error");
  expect(stale.map(wordsOf)).toEqual([expect.stringContaining("STALE_EPOCH")]);
  expect(added.map(({ message }) => wordsOf(message)).join("\n")).toMatch(/took control/);
  expect(person.text.text()).not.toContain("## Lakes");
}

let requests = 0;
function requestId(): RequestId {
  requests += 1;
  return `request-of-a-test-${requests}` as RequestId;
}

async function send(person: Typist, parentNodeId: NodeId | null, text: string, queue = false): Promise<void> {
  const { root } = viewOf(person);
  const sent = await person.client.call("message.send", {
    rootId: root.id,
    parentNodeId,
    text,
    queue,
    clientRequestId: requestId(),
  });
  expect(sent).toMatchObject({ ok: true, value: { queued: queue } });
}

/** Waits for the end of the last request; its answer may arrive before the feed shows the run. */
async function atRest(person: Typist): Promise<void> {
  await until(
    person.conversation,
    (view) => isResting(view) && spokenOf(nodesOf(person)).at(-1)?.message.role !== "user",
    20_000,
  );
}

async function allSaved(person: Typist): Promise<void> {
  await until(person.text.unconfirmed, (count) => count === 0);
}

export function nodesOf(person: Typist): readonly ForestNode[] {
  return [...viewOf(person).nodesById.values()];
}

/** Returns the end of the branch written last. */
function lastNode(person: Typist): NodeId {
  return must(nodesOf(person).at(-1), "a message").id;
}
