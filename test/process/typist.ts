import { must } from "../../src/core/base/assert.ts";
import type { BlockId, RootId } from "../../src/core/base/ids.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import { connectHeddle } from "../../src/client/connect.ts";
import type { ConversationView, HeddleClient, Observable, TextReplica } from "../../src/client/base/types.ts";
import { openNodeSocket } from "../../src/host/base/node-socket.ts";
import { until } from "../../src/testing/test-client.ts";

/** A person at a page who types words that nobody else types, and knows which of them the server has confirmed. */
export interface Typist {
  readonly name: string;
  readonly client: HeddleClient;
  readonly text: TextReplica;
  readonly conversation: Observable<ConversationView | null>;
  /** Every word typed, in order. */
  readonly typed: readonly string[];
  /** The words that are confirmed. */
  readonly acknowledged: ReadonlySet<string>;
  /** Types a new word after the first occurrence of `after`, or at the text's end if there is none. */
  typeAfter(after: string): void;
  /** Types a new line with one word below a line; lines count from 0, a number beyond the end means the last. */
  typeBelowLine(line: number): void;
  /** Called right after every frame that this page sends; one listener at a time, null for none. */
  onSent: ((frame: string) => void) | null;
  close(): void;
}

export interface TypistOptions {
  readonly server: { readonly url: string; readonly token: string };
  readonly number: number;
  readonly canvasId: BlockId;
  readonly rootId: RootId;
  /** How long it may take until both are loaded. */
  readonly boundMs?: number;
}

/** Opens a canvas and a conversation, and resolves when both are loaded. */
export async function openTypist({ server, number, canvasId, rootId, boundMs }: TypistOptions): Promise<Typist> {
  const name = `Person ${number}`;
  const client = connectHeddle({
    url: new URL(server.url).origin,
    token: server.token,
    clientId: `typist-of-a-test-${number}`,
    name,
    platform: {
      openSocket(url, listener) {
        const socket = openNodeSocket(url, listener);
        return {
          close: () => socket.close(),
          send(frame) {
            socket.send(frame);
            typist.onSent?.(frame);
          },
        };
      },
    },
  });
  const text = client.openText(canvasId);
  const conversation = client.conversation(rootId);
  conversation.subscribe(() => {});
  const typed: string[] = [];
  const acknowledged = new Set<string>();
  let confirmed = 0;
  text.unconfirmed.subscribe(() => {
    if (text.unconfirmed.get() > 0) return;
    for (const word of typed.slice(confirmed)) acknowledged.add(word);
    confirmed = typed.length;
  });
  const typeAt = (at: number, before: " " | "\n"): void => {
    const word = `p${number}w${typed.length}q`;
    text.edit([{ from: at, to: at, insert: `${before}${word}` }]);
    typed.push(word);
  };
  const typist: Typist = {
    name,
    client,
    text,
    conversation,
    typed,
    acknowledged,
    typeAfter(after) {
      const found = text.text().indexOf(after);
      typeAt(found === -1 ? text.length : found + after.length, " ");
    },
    typeBelowLine(line) {
      const lines = text
        .text()
        .split("\n")
        .slice(0, line + 1);
      typeAt(lines.join("\n").length, "\n");
    },
    onSent: null,
    close: () => client.close(),
  };
  try {
    await until(conversation, (view) => view !== null, boundMs);
    await until(text.header, () => text.ready, boundMs);
  } catch (problem) {
    client.close();
    throw problem;
  }
  return typist;
}

/** The page's view of its conversation. */
export function viewOf({ conversation }: Pick<Typist, "conversation">): ConversationView {
  return must(conversation.get(), "a conversation is shown");
}

/** Returns whether no run of the conversation works or waits. */
export function isResting(view: ConversationView | null): boolean {
  return view !== null && view.runs.every((run) => isSettled(run.state) && !run.queued);
}

/** Returns the text without the words that typists added to its lines. */
export function withoutTypedWords(text: string): string {
  return text.replaceAll(/ p\d+w\d+q/g, "");
}

/** Counts the occurrences of a word in a text. */
export function timesIn(text: string, word: string): number {
  return text.split(new RegExp(`\\b${word}\\b`)).length - 1;
}
