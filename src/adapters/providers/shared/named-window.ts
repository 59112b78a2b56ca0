import { numberAt, objectAt } from "./json-read.ts";

/** A smaller number in such a message is not a window. */
const windowMin = 128;

/** How providers name the window in words; the first group is the number. */
const named: readonly RegExp[] = [
  /maximum (?:context|prompt|model) length (?:is|of) (\d[\d,]*)/i,
  /available context size \((\d[\d,]*) tokens\)/i,
  /\d tokens > (\d[\d,]*) maximum/i,
  /maximum number of tokens(?: allowed)? \(?(\d[\d,]*)/i,
  /context (?:window|size|length)(?: limit)?(?: is| of|:| =)? \(?(\d[\d,]*)(?: tokens)?/i,
];

/** Returns the window in tokens that a refusal of a request names; undefined where it names none. */
export function namedWindow(body: unknown, message: string): number | undefined {
  const field = numberAt(objectAt(body, "error") ?? body, "n_ctx");
  const words = named.map((pattern) => pattern.exec(message)?.[1]).find((digits) => digits !== undefined);
  const tokens = field ?? (words === undefined ? undefined : Number(words.replaceAll(",", "")));
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= windowMin ? tokens : undefined;
}
