import { isJsonObject, type JsonObject } from "../../../../src/core/base/json.ts";
import { excerpt } from "../words/words.ts";

/** A call in three tenses: under way, done, and as it was tried. */
export interface Phrase {
  readonly doing: string;
  readonly done: string;
  readonly attempted: string;
}

export interface CallWords {
  readonly input: JsonObject;
  /** What came back; empty before. */
  readonly answer: JsonObject;
  /** The canvas that it was done to, by name. */
  readonly canvas: string;
}

/** Says what a call does; of a tool that nobody here knows, its name and what it is about. */
export function phraseOf(name: string, words: CallWords): Phrase {
  return phrases.get(name)?.(words) ?? verbs("", "", "", unknownCall(name, words.input));
}

/** Whether a tool has words of its own. */
export function hasWords(name: string): boolean {
  return phrases.has(name);
}

type Speaker = (words: CallWords) => Phrase;

const onCanvas =
  (doing: string, done: string, attempted: string): Speaker =>
  ({ canvas }) =>
    verbs(doing, done, attempted, canvas);
const onBlock =
  (doing: string, done: string, attempted: string, fallback = "a block"): Speaker =>
  ({ input }) =>
    verbs(doing, done, attempted, named(input) ?? fallback);
const fixed = (doing: string, done: string, attempted: string): Speaker => {
  const phrase = { doing, done, attempted };
  return () => phrase;
};
const search: Speaker = ({ input, answer }) => {
  const query = sought(text(input, "query"));
  const what = query ?? "a pattern";
  return { doing: `searching for ${what}`, done: found(answer, query), attempted: `search for ${what}` };
};
const patch: Speaker = ({ answer }) => {
  const inDraft = typeof answer["draft"] === "string";
  const done = inDraft ? "draft changed" : answer["awaiting_review"] === true ? "patch suggested" : "patch applied";
  return { doing: "applying a patch", done, attempted: "patch" };
};

const phrases: ReadonlyMap<string, Speaker> = new Map<string, Speaker>([
  ["canvas_check_out", onCanvas("starting to edit", "started editing", "start editing")],
  ["canvas_check_in", onCanvas("finishing work on", "finished editing", "finish editing")],
  ["canvas_renew_lease", fixed("renewing its lease", "renewed its lease", "renew its lease")],
  ["canvas_grep", search],
  [
    "canvas_outline",
    ({ input, answer, canvas }) => {
      const section = text(input, "section");
      const what = section === null ? canvas : `section ${excerpt(section, 40)}`;
      const headings = count(answer, "headings");
      const listed = headings === null ? "" : `, ${headings} ${headings === 1 ? "heading" : "headings"}`;
      return {
        doing: `reading the outline of ${what}`,
        done: `read the outline of ${what}${listed}`,
        attempted: `read the outline of ${what}`,
      };
    },
  ],
  [
    "canvas_read_lines",
    ({ input }) => {
      const section = text(input, "section");
      const item = text(input, "list_item");
      const within = section === null ? "" : `section ${excerpt(section, 40)}`;
      const range = lineRange(input, "start_line", "end_line");
      const what = item === null ? within || range : `item ${item}${within === "" ? "" : ` of ${within}`}`;
      return verbs("reading", "read", "read", what);
    },
  ],
  ["canvas_read_all", onCanvas("reading all of", "read all of", "read all of")],
  [
    "canvas_edit",
    ({ answer, canvas }) => ({
      doing: `editing ${canvas}`,
      done:
        typeof answer["draft"] === "string"
          ? "draft changed"
          : answer["awaiting_review"] === true
            ? "edit suggested"
            : `edited ${canvas}`,
      attempted: `edit ${canvas}`,
    }),
  ],
  ["canvas_apply_patch", patch],
  ["comment_list", onCanvas("reading the comments on", "read the comments on", "read the comments on")],
  ["comment_add", onCanvas("commenting on", "commented on", "comment on")],
  ["comment_reply", fixed("answering a comment", "answered a comment", "answer a comment")],
  [
    "comment_resolve",
    ({ input }) =>
      input["reopen"] === true
        ? verbs("opening", "opened", "open", "a comment again")
        : verbs("resolving", "resolved", "resolve", "a comment"),
  ],
  ["block_create", onBlock("creating", "created", "create", "a block")],
  ["block_append", onBlock("appending to", "appended to", "append to")],
  ["block_splice", onBlock("changing", "changed", "change")],
  ["block_edit", onBlock("changing lines of", "changed lines of", "change lines of")],
  ["block_apply_patch", patch],
  ["block_read", onBlock("reading", "read", "read")],
  ["block_search", search],
  ["block_list", fixed("listing the blocks", "listed the blocks", "list the blocks")],
  [
    "block_status",
    ({ input }) => {
      const status = text(input, "status") ?? "another status";
      const target = named(input) ?? "a block";
      return {
        doing: `marking ${target} ${status}`,
        done: `marked ${target} ${status}`,
        attempted: `mark ${target} ${status}`,
      };
    },
  ],
  ["block_update", onBlock("updating metadata of", "updated metadata of", "update metadata of")],
  ["block_delete", onBlock("deleting", "deleted", "delete")],
  ["block_restore", onBlock("restoring", "restored", "restore")],
  ["block_undo", onBlock("undoing its edit of", "undid its edit of", "undo its edit of")],
  ["block_redo", onBlock("redoing its edit of", "redid its edit of", "redo its edit of")],
  ["block_history", onBlock("looking up the history of", "looked up the history of", "look up the history of")],
  ["block_subscribe", fixed("following blocks", "followed blocks", "follow blocks")],
  ["block_sync", fixed("catching up with blocks", "caught up with blocks", "catch up with blocks")],
  ["kernel_search", search],
  ["read_files", ({ input }) => verbs("reading", "read", "read", files(input))],
  [
    "keyword_search",
    ({ input, answer }) => {
      const keywords = Array.isArray(input["keywords"])
        ? input["keywords"].filter((word) => typeof word === "string")
        : [];
      const what = keywords.length === 0 ? "files" : `files with ${quoted(keywords.join(" "))}`;
      const words = verbs("looking for", "looked for", "look for", what);
      const files = count(answer, "files");
      const found = files === 1 ? `1 file${what.slice("files".length)}` : `${files === 0 ? "no" : files} ${what}`;
      return files === null ? words : { ...words, done: `found ${found}` };
    },
  ],
  ["list_files", fixed("listing files", "listed files", "list files")],
  [
    "web_search",
    ({ input }) =>
      verbs("searching the web for", "searched the web for", "search the web for", quoted(text(input, "query") ?? "")),
  ],
  ["web_fetch", ({ input }) => verbs("reading", "read", "read", excerpt(text(input, "url") ?? "a page", 60))],
  ["load_skill", ({ input }) => verbs("loading", "loaded", "load", named(input) ?? "a skill")],
  ["more_tools", fixed("asking for more tools", "got more tools", "ask for more tools")],
  ["write_file", onBlock("writing", "wrote", "write", "a file")],
  ["replace_in_file", onBlock("replacing in", "replaced in", "replace in", "a file")],
  [
    "move_file",
    ({ input }) => {
      const to = text(input, "to");
      const what = `${named(input) ?? "a file"}${to === null ? "" : ` to ${excerpt(to, 60)}`}`;
      return verbs("moving", "moved", "move", what);
    },
  ],
  ["delete_file", onBlock("deleting", "deleted", "delete", "a file")],
  ["patch", ({ input }) => verbs("patching", "patched", "patch", files(input))],
  [
    "bash",
    ({ input, answer }) => {
      const words = verbs("running", "ran", "run", code(text(input, "command")));
      return { ...words, done: `${words.done}${commandEnd(answer)}` };
    },
  ],
  ["think", fixed("thinking", "thought", "think")],
  ["ask_user", fixed("asking you", "asked you", "ask you")],
  ["agent_ask_person", fixed("asking you", "asked you", "ask you")],
  ["spawn_sub_agents", ({ input }) => verbs("starting", "started", "start", agents(count(input, "tasks")))],
  ["submit_result", fixed("submitting its result", "submitted its result", "submit its result")],
]);

function verbs(doing: string, done: string, attempted: string, object: string): Phrase {
  const said = (verb: string): string => (verb === "" ? object : `${verb} ${object}`);
  return { doing: said(doing), done: said(done), attempted: said(attempted) };
}

function unknownCall(name: string, input: JsonObject): string {
  const target = named(input) ?? text(input, "query");
  // A call of another program's agent has that agent's own words as its title.
  if (name.startsWith("agent_")) return target ?? name.slice("agent_".length).replaceAll("_", " ");
  return name.replaceAll("_", " ") + (target === null ? "" : ` ${excerpt(target, 60)}`);
}

/** What a call is about, as people would say it. */
function named(input: JsonObject): string | null {
  const metadata = isJsonObject(input["metadata"]) ? input["metadata"] : {};
  const name =
    text(input, "path") ??
    text(input, "title") ??
    text(metadata, "path") ??
    text(metadata, "title") ??
    text(input, "block_id");
  return name === null ? null : excerpt(name, 60);
}

function files(input: JsonObject): string {
  const listed = Array.isArray(input["files"]) ? input["files"] : [];
  const [first] = listed;
  if (listed.length === 1 && isJsonObject(first)) return named(first) ?? "a file";
  return listed.length === 0 ? "files" : `${listed.length} files`;
}

function agents(wanted: number | null): string {
  if (wanted === null) return "sub-agents";
  return wanted === 1 ? "a sub-agent" : `${wanted} sub-agents`;
}

function code(command: string | null): string {
  return command === null ? "a command" : excerpt(command, 60);
}

/** How a command ended, where that is not as one hopes. */
function commandEnd(answer: JsonObject): string {
  const exitCode = number(answer, "exit_code");
  switch (text(answer, "ended")) {
    case "exited":
      return exitCode === 0 ? "" : ` · exit code ${exitCode ?? "unknown"}`;
    case "signalled":
      return ` · killed by ${text(answer, "signal") ?? "a signal"}`;
    case "timed_out":
      return " · timed out";
    case "too_much_output":
      return " · stopped: too much output";
    case "out_of_memory":
      return " · stopped: too much memory";
    case null:
    default:
      return "";
  }
}

function found(answer: JsonObject, query: string | null): string {
  const { blocks } = answer;
  const matches = Array.isArray(blocks)
    ? blocks.reduce<number>((sum, block) => sum + (isJsonObject(block) ? (count(block, "matches") ?? 0) : 0), 0)
    : (count(answer, "matches") ?? 0);
  const lines = `${matches === 0 ? "no" : matches} matching ${matches === 1 ? "line" : "lines"}`;
  return query === null ? `found ${lines}` : `found ${lines} for ${query}`;
}

function count(object: JsonObject, key: string): number | null {
  const value = object[key];
  return Array.isArray(value) ? value.length : null;
}

function lineRange(input: JsonObject, fromKey: string, toKey: string): string {
  const from = number(input, fromKey);
  const to = number(input, toKey);
  if (from === null) return "lines";
  return to === null || to === from ? `line ${from}` : `lines ${from}–${to}`;
}

function text(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === "string" && value !== "" ? value : null;
}

function number(object: JsonObject, key: string): number | null {
  const value = object[key];
  return typeof value === "number" ? value : null;
}

/** The words that are looked for; null for a pattern between slashes, which says little to a person. */
function sought(query: string | null): string | null {
  return query !== null && /^\/.+\/[a-z]*$/su.test(query) ? null : quoted(query);
}

function quoted(value: string | null): string {
  return value === null ? "…" : `“${excerpt(value, 40)}”`;
}
