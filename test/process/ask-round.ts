import { expect } from "vitest";
import type { RequestId } from "../../src/core/base/ids.ts";
import { until } from "../../src/testing/test-client.ts";
import { viewOf, type Typist } from "./typist.ts";

/** Sends the next request at the end of the branch; resolves when the question is on disk. */
export async function askRound(person: Typist, round: number, seed: number): Promise<void> {
  const { root, runs, nodesById } = viewOf(person);
  const asked = await person.client.call("message.send", {
    rootId: root.id,
    parentNodeId: runs[0]?.headNodeId ?? null,
    text: `Round ${round}: leave your marks`,
    clientRequestId: `round-${round}-${seed}` as RequestId,
  });
  expect(asked).toMatchObject({ ok: true });
  await until(person.conversation, (view) => (view?.nodesById.size ?? 0) > nodesById.size);
}
