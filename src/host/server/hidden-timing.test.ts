import { afterAll, beforeAll, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { CommandName } from "../../core/protocol/commands.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// How long a refusal takes must not tell a stranger whether the object exists. What is tried is the server's own time:
// questions in a random order, and a guesser who has seen half of the times with their answers.

let team: TestTeam;
/** Asks of what there is and is hidden, or of what there is not. */
type Ask = (isForeign: boolean) => Promise<Response>;
const questions: (readonly [kind: string, ask: Ask])[] = [];

beforeAll(async () => {
  team = await startTestTeam({ store: "sqlite" });
  await team.add("nobody");
  const ada = team.connect("ada");
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Wages", text: "warp\n".repeat(200) }));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Pay" }));
  const { nodeId, runId } = accept(await ada.call("message.send", { rootId, parentNodeId: null, text: "Hello" }));
  const sent = await team.fetch("ada", "/api/blobs", { method: "POST", body: "wages: 12, 13, 17" });
  const { id: blobId } = (await sent.json()) as { readonly id: string };
  accept(await ada.call("message.add", { rootId, parentNodeId: nodeId, text: "", attachments: [{ blobId }] }));
  const { thread } = accept(await ada.call("comment.add", { blockId: canvasId, text: "Why?" }));
  ada.close();
  const pair = (kind: string, name: CommandName, key: string, id: string | null, rest: object = {}): void => {
    const missing = `${String(id).slice(0, -1)}${String(id).endsWith("7") ? "5" : "7"}`;
    const body = (isForeign: boolean) => JSON.stringify({ [key]: isForeign ? id : missing, ...rest });
    questions.push([
      kind,
      (isForeign) => team.fetch("nobody", `/api/commands/${name}`, { method: "POST", body: body(isForeign) }),
    ]);
  };
  pair("a document", "canvas.hashes", "canvasId", canvasId);
  pair("a conversation", "conversation.usage", "rootId", rootId);
  pair("a message", "message.label", "nodeId", nodeId, { tags: ["a"] });
  pair("a run", "run.cancel", "runId", runId);
  pair("a thread", "comment.reply", "threadId", thread.id, { text: "Because." });
  const noBlob = "ab".repeat(32);
  questions.push(["a picture", (isForeign) => team.fetch("nobody", `/api/blobs/${isForeign ? blobId : noBlob}`)]);
});
afterAll(() => team.server.close());

const pairs = scaled(300, 10_000);
const isLong = pairs > 1_000;
/** Of few guesses more are right by chance. */
const shareMax = isLong ? 0.55 : 0.6;
/** What is looked up in several steps is told most easily. */
const hardest: ReadonlySet<string> = new Set(["a message", "a run", "a picture"]);

test("A-02 A-08 nobody tells by the time of a refusal whether an object exists", async () => {
  const guesses: (readonly [string, number])[] = [];
  // One after the other: what else the server does would hide what is looked for.
  for (const [kind, ask] of isLong ? questions : questions.filter(([each]) => hardest.has(each))) {
    const share = rightGuesses(await timesOf(ask, pairs));
    // Of few guesses many may be right by chance, and of four times as many again only where there is something to tell.
    const isSuspect = !isLong && share > shareMax;
    guesses.push([kind, isSuspect ? rightGuesses(await timesOf(ask, 4 * pairs)) : share]);
  }
  expect(guesses.filter(([, share]) => share > shareMax)).toEqual([]);
}, 900_000);

async function timesOf(ask: Ask, count: number): Promise<readonly Timed[]> {
  const times: Timed[] = [];
  for (let at = 0; at < count; at += 1) {
    for (const isForeign of Math.random() < 0.5 ? [true, false] : [false, true]) {
      const begun = performance.now();
      const answer = await ask(isForeign);
      await answer.text();
      times.push({ ms: performance.now() - begun, isForeign });
      expect(answer.status).toBe(404);
    }
  }
  return times;
}

interface Timed {
  readonly ms: number;
  readonly isForeign: boolean;
}

/** The share of right guesses in the second half, by the border and the side that are best for the first half. */
function rightGuesses(times: readonly Timed[]): number {
  const known = times.slice(0, times.length / 2);
  const asked = times.slice(times.length / 2);
  const right = (on: readonly Timed[], border: number): number =>
    on.filter(({ ms, isForeign }) => ms > border === isForeign).length / on.length;
  const borders = known.map(({ ms }) => ms);
  const best = borders.reduce((one, other) =>
    Math.abs(right(known, other) - 0.5) > Math.abs(right(known, one) - 0.5) ? other : one,
  );
  const isLonger = right(known, best) >= 0.5;
  return isLonger ? right(asked, best) : 1 - right(asked, best);
}
