import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { searchLimitMax } from "../../../core/protocol/base/limits.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import { styled, type Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";
import { workFlags } from "./named-thing.ts";

/** What `--in` takes, and the kind of find that it means. */
const kindsByName: ReadonlyMap<string, Find["kind"]> = new Map([
  ["messages", "message"],
  ["documents", "document"],
  ["files", "file"],
  ["comments", "comment"],
  ["tools", "tool"],
]);
const searchKindNames = [...kindsByName.keys()];

type Find = CommandAnswer<"search.all">["finds"][number];

interface Wanted {
  readonly words: string;
  /** Null for every kind. */
  readonly kind: Find["kind"] | null;
  /** The conversation whose messages alone are searched, as a person names it; null for everything. */
  readonly conversation: string | null;
  readonly limit: number;
}

async function findsOf(
  client: HeddleClient,
  { words, kind, conversation, limit }: Wanted,
): Promise<Result<readonly Find[], Refusal>> {
  if (conversation === null) {
    const found = await client.call("search.all", { words, limit, ...(kind === null ? {} : { kinds: [kind] }) });
    return found.ok ? ok(found.value.finds) : found;
  }
  const root = await client.call("conversation.find", { name: conversation });
  if (!root.ok) return root;
  const found = await client.call("search.words", { words, in: "messages", limit, rootId: root.value.id });
  return found.ok
    ? ok(found.value.matches.map((match) => ({ ...match, kind: "message", path: null, threadId: null })))
    : found;
}

export const searchForm: CommandForm = {
  name: "search",
  values: [...serverValues, "words", "in", "conversation", "limit"],
  switches: ["json"],
  argument: "words",
};

export const searchHelp = `heddle search: find messages, documents, files and comments by their words

Examples
  heddle search "quick swallow"               everything; messages first, results of tools last
  heddle search swallow --in documents
  heddle search swallow --conversation weather-1a2b
  heddle search swallow --json | jq -r .id

Every word must occur; the last one may be incomplete. Exit code 1 where nothing was found.

Flags
  --in WHAT          ${searchKindNames.join(", ")}; default: all of them
  --conversation ID  only its messages
  --limit N          how many at most, 1 to ${searchLimitMax}; default: 30
${workFlags}`;

/** Searches. */
export async function searchCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  let finds = 0;
  const code = await atServer(line, terminal, async ({ client }) => {
    const { words = "", in: where, conversation, limit = "30" } = line.values;
    const kind = where === undefined ? null : kindsByName.get(where);
    const isCounted = /^\d{1,3}$/u.test(limit) && Number(limit) >= 1 && Number(limit) <= searchLimitMax;
    if (kind === undefined || words.trim() === "" || !isCounted) {
      const message = `Give the words, as in heddle search "quick swallow"; --in takes ${searchKindNames.join(", ")}, --limit a number from 1 to ${searchLimitMax}.`;
      return err(refusal("INVALID_PARAMS", { in: where, limit }, message));
    }
    if (conversation !== undefined && kind !== null && kind !== "message") {
      const message =
        "--conversation searches its messages alone. Leave --in out, or search everything without --conversation.";
      return err(refusal("INVALID_PARAMS", { in: where }, message));
    }
    const found = await findsOf(client, { words, kind, conversation: conversation ?? null, limit: Number(limit) });
    if (!found.ok) return found;
    finds = found.value.length;
    for (const { kind: what, id, title, path, excerpt: around } of found.value) {
      if (line.switches.has("json")) {
        terminal.print(JSON.stringify({ kind: what, id, title, path, excerpt: around }));
        continue;
      }
      const name = title === null || title === "" ? "untitled" : title;
      terminal.print(`${styled(terminal, "bold", safeLine(name))}  ${what}  ${id}\n  ${safeLine(around)}`);
    }
    terminal.note(counted(finds, "result"));
    return ok(undefined);
  });
  return code === 0 && finds === 0 ? 1 : code;
}
