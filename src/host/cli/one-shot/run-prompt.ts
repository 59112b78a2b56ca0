import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { unsendable } from "../../../core/protocol/base/sendable.ts";
import { BranchPrinter } from "../chat/teller.ts";
import { expectedWords, printRefusal } from "../base/print-refusal.ts";
import { exactJson, safeLine, safeText } from "../base/safe-text.ts";
import { cutWords, failureWords, filteredWords, isFailureClass, stateLabel } from "../chat/words.ts";
import type { Face } from "../chat/face.ts";
import type { BranchEvent } from "../chat/follow-run.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { readReplyFlags, replyFlags, replyFlagsHelp } from "../base/reply-flags.ts";
import { conversationValues, conversationWish } from "../start/begin-conversation.ts";
import { recognisedSyntax } from "../start/recognised-syntax.ts";
import { reachServer, serverValues, startingPlace } from "../start/reach-server.ts";
import { styled, type Terminal } from "../base/terminal.ts";
import { approveModes, type ApproveMode, type Shot } from "./one-shot.ts";
import { runEvent, type RunEvent } from "./run-events.ts";
import { readSchemaFile, structuredShot } from "./structured-shot.ts";

export const runForm: CommandForm = {
  name: "run",
  values: [
    "prompt",
    "conversation",
    "model",
    "approve",
    "schema",
    ...replyFlags,
    ...conversationValues,
    ...serverValues,
  ],
  switches: ["json", "quiet"],
  argument: "prompt",
};

export const askHelp = `heddle ask: ask a conversation, and print the answer

Examples
  heddle ask "Name three looms"
  heddle ask --conversation weather-1a2b "And tomorrow?"

The same as "heddle run", whose help has the flags, the exit codes and the form of --json.`;

export const runHelp = `heddle run: ask once and print the answer, for scripts

Examples
  heddle run "Name three looms"
  git diff | heddle run "Write a commit message for this"
  heddle run --json "…" | jq -r 'select(.type == "end") | .text'
  heddle run --conversation weather-1a2b "And tomorrow?"
  heddle run --schema city.json "Where is the Rijksmuseum?"

Only the answer goes to standard output; everything else goes to standard error. Standard input is added below the
prompt, or is the prompt where none is given. The conversation is kept, like any other; the server is found or started
as by "heddle chat".

No person can answer. A call that needs an approval is denied, and the model continues with the reason; a question of the
model is declined. --approve changes that:
  none    deny (the default)
  writes  allow calls that write in this workspace, deny calls that reach outside; for a new conversation
  all     allow everything except calls that text from outside may have caused (private data is in the context, and the
          call reaches outside): those are always denied here

Exit codes: 0 answered · 1 failed · 2 the command line was wrong · 3 the data is in use
            4 answered, but cut off at the token limit or by the provider's filter · 5 the answer does not fit --schema
            130 cancelled (Ctrl-C, a signal)

--json prints one JSON object a line, in the order of events; ignore types that you do not know:
  started {conversation, run, model} · state {state, label, attempt?} · text, thinking {text}: new words
  broken-off: the reply so far does not count, it is requested again
  tool-call {id, name, arguments, place, of} · tool-output {id, text} · tool-result {id, name, outcome, text}
  approval {id, name, reason, decision} · question {id, questions} · sub-agent {place, of, outcome, text}
  notice {text} · connection {state}
  end {outcome: ok|failed|cancelled, text: the whole answer, value?, exit, cut?: true, filtered?: true, usage, dollars?,
  error?: {code, message}}:
  last, always; cut: the answer ended at its token limit; filtered: the provider's filter stopped it; dollars: of the turn, where all prices are known; value: with --schema, the answer as JSON

--schema FILE asks for a JSON object that fits the JSON Schema in the file. The provider is asked for it where it can be, and
the answer is checked here; one that does not fit is sent back twice with the reason. Then the command fails with code 5.

Flags
  --prompt TEXT      or without the flag
  --conversation ID  continue a conversation, by its id or its slug
  --model ID         provider/model                              HEDDLE_MODEL
${replyFlagsHelp}
  --approve WHAT     none, writes or all
  --schema FILE      a JSON Schema (type object) that the answer must fit
  --json             print events instead of the answer
  --quiet            print only problems to standard error
  --url URL, --token T, --data DIR, --store URL, --models FILE, --workspace DIR, --tool-syntax NAME, --approvals WHICH,
  --compact-at SHARE, --context-window N, --when-full WHAT: as for "heddle chat"; a folder that the server does not know is added by --workspace
  alone`;

interface Asked {
  readonly prompt: string;
  readonly approve: ApproveMode;
  readonly schema: JsonObject | null;
}

/** Asks once. Returns the exit code. */
export async function runPrompt(line: CommandLine, terminal: Terminal): Promise<number> {
  const isJson = line.switches.has("json");
  const print = (event: RunEvent): void => terminal.print(exactJson(event));
  const asked = await readAsked(line, terminal);
  const reached = asked.ok ? await reachServer(line, terminal) : asked;
  if (!asked.ok || !reached.ok) {
    const refused = asked.ok ? reached : asked;
    return refused.ok ? 0 : failedBefore(refused.error, { isJson, terminal });
  }
  const stop = new AbortController();
  let signals = 0;
  const onSignal = (): void => {
    signals += 1;
    stop.abort();
    if (signals > 1) process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  try {
    const replies = await readReplyFlags(line, reached.value.client);
    if (!replies.ok) return failedBefore(replies.error, { isJson, terminal });
    const rootId = await startingPlace(line, reached.value);
    const progress = line.switches.has("quiet") || isJson ? null : new Progress(terminal);
    const wish = rootId.ok
      ? await conversationWish(line, unasked(terminal, progress === null), {
          server: reached.value,
          rootId: rootId.value,
        })
      : rootId;
    if (!wish.ok) return failedBefore(wish.error, { isJson, terminal });
    const { model } = line.values;
    if (progress !== null && rootId.ok) {
      const toolSyntax = line.values["tool-syntax"];
      const said = await recognisedSyntax(reached.value.client, { model, rootId: rootId.value, toolSyntax });
      if (said !== null) terminal.note(styled(terminal, "dim", said));
    }
    let conversation = "";
    const shot = rootId.ok
      ? await structuredShot({
          client: reached.value.client,
          prompt: asked.value.prompt,
          rootId: rootId.value,
          replies: replies.value,
          wish: wish.value,
          ...(model === undefined ? {} : { model }),
          approve: asked.value.approve,
          ...(asked.value.schema === null ? {} : { schema: asked.value.schema }),
          signal: stop.signal,
          onBranchEvent(branchEvent) {
            const event = isJson ? runEvent(branchEvent) : null;
            if (event !== null) print(event);
            progress?.print(branchEvent);
          },
          onEvent(event) {
            if (event.type === "started") ({ conversation } = event);
            if (isJson) print(event);
            else progress?.printEvent(event);
          },
        })
      : rootId;
    if (!shot.ok) return failedBefore(shot.error, { isJson, terminal });
    if (isJson) print({ type: "end", ...shot.value });
    else answered(shot.value, conversation, terminal);
    return shot.value.exit;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
    await reached.value.close();
  }
}

async function readAsked({ values, switches }: CommandLine, terminal: Terminal): Promise<Result<Asked, Refusal>> {
  const { prompt: given = "", approve = "none", conversation } = values;
  const mode = approveModes.find((each) => each === approve);
  if (mode === undefined) {
    return err(refusal("INVALID_PARAMS", { approve }, `--approve takes ${approveModes.join(", ")}, not ${approve}.`));
  }
  if (mode === "writes" && values["approvals"] !== undefined) {
    const message =
      "--approve writes sets the approvals of the conversation, and so does --approvals. Leave one of them out.";
    return err(refusal("INVALID_PARAMS", { approve, approvals: values["approvals"] }, message));
  }
  if (mode === "writes" && conversation !== undefined) {
    const message =
      "--approve writes is for a new conversation: an existing one has rules of its own. Leave one of the two out.";
    return err(refusal("INVALID_PARAMS", { approve, conversation }, message));
  }
  const schema = await readSchemaFile(values["schema"]);
  if (!schema.ok) return schema;
  const piped = terminal.isInputTerminal === true ? "" : (await terminal.input()).trim();
  const prompt = [given.trim(), piped].filter((part) => part !== "").join("\n\n");
  const tooLarge = unsendable(prompt);
  if (tooLarge !== null) return err(tooLarge);
  if (prompt !== "") return ok({ prompt, approve: mode, schema: schema.value });
  const isJson = switches.has("json");
  const message = `There is nothing to ask: heddle run ${isJson ? "--json " : ""}"What is a loom?", or a prompt on standard input.`;
  return err(refusal("INVALID_PARAMS", {}, message));
}

/** Returns the terminal as one where nobody can answer: a single run asks no person. `quiet`: it prints no hints. */
function unasked(terminal: Terminal, quiet: boolean): Terminal {
  const { env, isInteractive, colours } = terminal;
  return {
    print: (said) => terminal.print(said),
    note: (said) => (quiet ? undefined : terminal.note(said)),
    input: () => terminal.input(),
    env,
    isInteractive,
    colours,
  };
}

function failedBefore(
  refused: Refusal,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): number {
  const { code } = refused;
  const message = `${refused.message}${expectedWords(refused)}`;
  const exit = printRefusal(terminal, refused);
  if (isJson)
    terminal.print(JSON.stringify({ type: "end", outcome: "failed", text: "", exit, error: { code, message } }));
  return exit;
}

function answered(
  { text: said, value, outcome, cut, filtered, error }: Shot,
  conversation: string,
  terminal: Terminal,
): void {
  const text = value === undefined ? said : exactJson(value);
  if (text !== "") terminal.print(terminal.isInteractive ? safeText(text) : text);
  if (cut === true) {
    const how = conversation === "" ? "" : ` heddle chat ${conversation}, then /continue, goes on from it.`;
    terminal.note(styled(terminal, "yellow", `heddle: ${cutWords}${how}`));
  }
  if (filtered === true) terminal.note(styled(terminal, "yellow", `heddle: ${filteredWords}`));
  if (outcome === "cancelled") terminal.note(styled(terminal, "yellow", "heddle: cancelled."));
  if (error !== undefined) {
    const words = isFailureClass(error.code) ? failureWords[error.code] : null;
    const happened = words === null ? error.message : `${words.happened} (${safeLine(error.message)})`;
    terminal.note(styled(terminal, "red", `heddle: ${happened}`));
  }
  if (outcome !== "ok" && conversation !== "") {
    const todo = error !== undefined && isFailureClass(error.code) ? ` There: ${failureWords[error.code].todo}` : "";
    terminal.note(`Everything is kept: heddle chat ${conversation} continues the conversation.${todo}`);
  }
}

/** Shows progress to a person on standard error, line by line. */
class Progress {
  readonly #printer: BranchPrinter;
  readonly #terminal: Terminal;
  #last = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#printer = new BranchPrinter(asideFace(terminal), () => Date.now());
  }

  print(branchEvent: BranchEvent): void {
    // The end says it once, also where progress is not shown.
    const shown = branchEvent.type === "reply" ? { ...branchEvent, cut: false, filtered: false } : branchEvent;
    if (branchEvent.type === "state") {
      const label = stateLabel(branchEvent.run, branchEvent.run.since);
      if (label !== this.#last && label !== "Ready") this.#terminal.note(styled(this.#terminal, "dim", `[${label}]`));
      this.#last = label;
    } else if (branchEvent.type !== "text") {
      this.#printer.print(shown);
    }
  }

  printEvent(event: RunEvent): void {
    if (event.type === "approval") {
      const how = event.decision === "allow" ? "allowed (--approve all)" : "denied: nobody can answer (--approve)";
      this.#terminal.note(styled(this.#terminal, "yellow", `⚠ ${safeLine(event.name)} needs an approval: ${how}`));
    }
    if (event.type === "question") {
      this.#terminal.note(
        styled(this.#terminal, "yellow", "? The model asked a person; nobody can answer, so it continues by itself."),
      );
    }
    if (event.type === "connection") {
      this.#terminal.note(
        event.state === "lost" ? "↯ The connection is lost; waiting for the server." : "✓ Connected again.",
      );
    }
  }
}

/** A face that shows only what happens beside the answer. */
function asideFace(terminal: Terminal): Face {
  const looks = { plain: null, bold: "bold", dim: "dim", good: "green", bad: "red", warning: "yellow" } as const;
  const note: Face["aside"] = (text, look = "dim") => {
    const style = looks[look];
    terminal.note(style === null ? text : styled(terminal, style, text));
  };
  return {
    columns: () => process.stderr.columns ?? 100,
    words: () => {},
    endWords: () => {},
    line: note,
    aside: note,
    status: () => {},
    prompt: () => {},
    giveBack: () => {},
  };
}
