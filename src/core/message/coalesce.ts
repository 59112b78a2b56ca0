import { assert, must } from "../base/assert.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import { PrefixFold } from "../base/prefix-fold.ts";
import { joinedText, textBlocksOf } from "./text-content.ts";
import type { AssistantMessage, Message, TextBlock } from "./types.ts";

/**
 * Joins adjacent messages of one role (user or assistant) that hold only text. Their blocks stay separate; with a
 * `separator` they become one text, with the separator between messages. Messages with other blocks, and tool messages,
 * are never joined.
 */
export function coalesceTextOnlyAdjacent(messages: readonly Message[], separator?: string): readonly Message[] {
  return separator === undefined ? separate.of(messages).all : runsOf(messages).map((run) => joined(run, separator));
}

/** Messages that become one. */
type Run = NonEmptyArray<Message>;

interface Coalesced {
  readonly all: readonly Message[];
  /** The messages of which the last one is made: a further one may join them. */
  readonly last: readonly Message[];
}

const separate = new PrefixFold<Message, Coalesced>({ all: [], last: [] }, ({ all, last }, rest) => {
  const runs = runsOf([...last, ...rest]);
  return {
    all: all.slice(0, last.length === 0 ? undefined : -1).concat(runs.map((run) => joined(run, undefined))),
    last: runs.at(-1) ?? [],
  };
});

function runsOf(messages: readonly Message[]): readonly Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < messages.length;) {
    const end = endOfRun(messages, from);
    const run = messages.slice(from, end);
    assert(isNonEmpty(run), "a run has a message");
    runs.push(run);
    from = end;
  }
  return runs;
}

/** The end of the messages from an index on that become one: after that message, unless it joins the next. */
function endOfRun(messages: readonly Message[], from: number): number {
  const role = messages[from]?.role;
  let end = from + 1;
  if ((role !== "user" && role !== "assistant") || messages[end]?.role !== role) return end;
  if (!holdsOnlyText(messages[from])) return end;
  while (messages[end]?.role === role && holdsOnlyText(messages[end])) end += 1;
  return end;
}

function holdsOnlyText(message: Message | undefined): boolean {
  return message !== undefined && textBlocksOf(message) !== null;
}

/** Returns a message of a run that joins no other as the object that it is; the same object for the same run. */
function joined(run: Run, separator: string | undefined): Message {
  const [first, ...others] = run;
  const last = others.at(-1);
  if (last === undefined) return first;
  const known = separator === undefined ? joinedByLast.get(last) : undefined;
  if (known?.run.length === run.length && known.run.every((message, at) => message === run[at])) return known.message;
  const texts = run.map((message) => must(textBlocksOf(message), "a message that is joined holds only text"));
  const content: readonly TextBlock[] =
    separator === undefined ? texts.flat() : [{ type: "text", text: texts.map(joinedText).join(separator) }];
  assert(isNonEmpty(content), "each of the messages has a text");
  const message: Message =
    last.role === "assistant" ? { role: "assistant", content, ...endingOf(last) } : { role: "user", content };
  if (separator === undefined) joinedByLast.set(last, { run, message });
  return message;
}

/** What was made of runs, so that what was read of a message in a request is known in the next. */
const joinedByLast = new WeakMap<Message, { readonly run: Run; readonly message: Message }>();

/** The joined message is interrupted, and has the origin, as its last part. */
function endingOf({ interrupted, origin }: AssistantMessage): Pick<AssistantMessage, "interrupted" | "origin"> {
  return {
    ...(interrupted === undefined ? {} : { interrupted }),
    ...(origin === undefined ? {} : { origin }),
  };
}
