import type { JsonObject } from "../../src/core/base/json.ts";
import { textOf } from "../../src/core/message/content.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import type { Sleep } from "../../src/adapters/providers/scribe/scribe.ts";

/** The works that people ask the clerk for, each with the tool that does it. Every entry is asked for once. */
export const works = {
  Record: "ledger_record",
  Add: "ledger_add",
  "Look up": "ledger_look",
  Write: "write_file",
  Guard: "write_file",
} as const;
export type Work = keyof typeof works;

/** The words by which a person asks. */
export function wordsFor(work: Work, entry: string): string {
  return `${work} entry ${entry}`;
}

/** Where the clerk puts an entry that it writes or guards. */
export function fileFor(work: "Write" | "Guard", entry: string): string {
  // Programs run what is in the second folder by themselves.
  return work === "Write" ? `notes/${entry}.md` : `.husky/${entry}`;
}

/**
 * A model that does one work for one message, by one call, and then says that it is done. It leaves every other message to
 * `other`.
 */
export function clerkBeside(other: LanguageModel, sleep: Sleep): LanguageModel {
  return {
    ...other,
    stream(request, signal, ...rest) {
      const asked = askedIn(request);
      return asked === null ? other.stream(request, signal, ...rest) : work(request, asked, { signal, sleep });
    },
  };
}

interface Asked {
  readonly work: Work;
  readonly entry: string;
}

function askedIn({ messages }: ModelRequest): Asked | null {
  const last = messages.findLast(({ role }) => role === "user");
  // A message that nobody answered is joined with the next one, and only that one asks.
  const found = last === undefined ? null : /(Record|Add|Look up|Write|Guard) entry (e\d+z)$/.exec(textOf(last));
  return found === null ? null : { work: found[1] as Work, entry: found[2] ?? "" };
}

async function* work(
  { messages }: ModelRequest,
  { work: kind, entry }: Asked,
  { signal, sleep }: { readonly signal: AbortSignal; readonly sleep: Sleep },
): AsyncGenerator<StreamPart> {
  const from = messages.findLastIndex(({ role }) => role === "user");
  const isDone = messages.slice(from).some(({ role }) => role === "tool");
  const said = isDone ? `That was ${entry}.` : `I do ${entry}.`;
  yield { type: "response-started", model: "clerk" };
  yield { type: "text-start", index: 0 };
  for (const text of said.match(/.{1,6}/gu) ?? []) {
    await sleep(25, signal);
    if (signal.aborted) return yield { type: "failed", failure: stopped };
    yield { type: "text-delta", index: 0, text };
  }
  yield { type: "text-end", index: 0 };
  if (!isDone) {
    yield { type: "tool-call-start", index: 1, id: `call_${entry}_${messages.length}`, name: works[kind] };
    for (const text of JSON.stringify(parametersOf(kind, entry)).match(/.{1,24}/gu) ?? []) {
      await sleep(10, signal);
      if (signal.aborted) return yield { type: "failed", failure: stopped };
      yield { type: "tool-call-delta", index: 1, text };
    }
    yield { type: "tool-call-end", index: 1 };
  }
  yield { type: "finished", reason: isDone ? "end-turn" : "tool-use", usage: { ...noUsage, outputTokens: 9 } };
}

const stopped = { class: "cancelled", message: "Stopped.", retryable: false } as const;

function parametersOf(kind: Work, entry: string): JsonObject {
  if (kind !== "Write" && kind !== "Guard") return { entry };
  return { path: fileFor(kind, entry), content: contentOf(entry) };
}

export function contentOf(entry: string): string {
  return `entry ${entry}\n`;
}
