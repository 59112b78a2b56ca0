import { assert } from "../../src/core/base/assert.ts";
import type { ConversationView, HeddleClient, Observable, TextReplica } from "../../src/client/base/types.ts";

export interface Person {
  readonly number: number;
  readonly client: HeddleClient;
  readonly conversation: Observable<ConversationView | null>;
  text: TextReplica | null;
  /** Words that this person typed and has not deleted. */
  readonly words: Set<string>;
  shared: TextReplica | null;
  online: boolean;
}

/** Everybody sees who is there, where they are in the canvas, and that no agent holds it. */
export function judgeRoom(people: readonly Person[], placedOnes: ReadonlySet<Person>): void {
  for (const { number, client, text } of people) {
    const there = (client.workspace.get()?.people ?? []).map(({ clientId }) => clientId).toSorted();
    const all = people.map((other) => nameOf(other.number)).toSorted();
    assert(there.join() === all.join(), `person ${number} sees everybody once: ${there.join()}`);
    assert(text?.lease.get().held === null, `person ${number} sees that no agent has the canvas`);
    const placed = [...placedOnes].filter((other) => other.number !== number).map((other) => nameOf(other.number));
    const shown = (text?.presence.get() ?? []).filter(({ selection }) => selection !== null);
    const seen = shown.map(({ clientId }) => clientId).toSorted();
    assert(seen.join() === placed.toSorted().join(), `person ${number} sees where the others are: ${seen.join()}`);
  }
}

export function nameOf(number: number): string {
  return `simulated-client-${number}`;
}

/** The next offset outside a word, so that other people's words stay whole. */
export function between(text: string, from: number): number {
  let at = from;
  while (at > 0 && at < text.length && /\S/.test(text.charAt(at)) && /\S/.test(text.charAt(at - 1))) at += 1;
  return at;
}
