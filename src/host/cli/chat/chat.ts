import type { RootId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { columns } from "../base/columns.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { readReplyFlags, replyFlags, replyFlagsHelp, type ReplyFlags } from "../base/reply-flags.ts";
import { conversationValues, conversationWish } from "../start/begin-conversation.ts";
import { recognisedSyntax } from "../start/recognised-syntax.ts";
import { uploadBlob } from "../start/upload-blob.ts";
import { reachServer, serverValues, startingPlace } from "../start/reach-server.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { styled, type Terminal } from "../base/terminal.ts";
import { processConsole, type Console } from "./console.ts";
import { PipeFace } from "./pipe-face.ts";
import { safeLine } from "../base/safe-text.ts";
import { slashNames } from "./slash.ts";
import { ChatSession, type SessionPorts, type SessionStart } from "./session.ts";
import { TerminalFace } from "./terminal-face.ts";

export const chatForm: CommandForm = {
  name: "chat",
  values: ["conversation", "model", ...replyFlags, ...conversationValues, ...serverValues],
  switches: [],
  argument: "conversation",
};

export const chatHelp = `heddle chat: talk with a model in the terminal

Examples
  heddle chat                               a new conversation
  heddle chat weather-1a2b                  continue a conversation, by its slug or id
  heddle chat --model anthropic/claude-opus-4-8
  heddle chat --url http://127.0.0.1:7420/#token=…
  printf 'Hello\\n/usage\\n' | heddle chat    line by line, without a terminal

The conversation belongs to the workspace: the app shows it at the same time. Where a server runs on the data folder,
chat joins it: the folder's server.json has its address, its token file gives access. Otherwise chat starts a server of
its own, on this machine only, which runs until you leave.

Ctrl-C stops the agent; pressed again, it leaves. The agent reads a message sent while it works at its next step; after Alt-Enter, when
it has finished. /help describes the commands:
${columns(slashNames, 8)}
When a tool call needs your approval, its exact arguments are shown: y allows it once, c in this conversation, a always;
n denies it, with a reason.
Without a terminal, lines are read one after the other, each when the agent waits for one. Replies go to standard output,
everything else to standard error; at the end of the input, calls that need an approval are denied.

Flags
  --conversation ID  its id or its slug; default: a new one
  --model ID         provider/model, from the next message on    HEDDLE_MODEL
${replyFlagsHelp}
  --url URL          the address of the server
  --token T          its token; better HEDDLE_TOKEN, or the whole address in --url: every user can read flags
  --data DIR         the data folder, and the server on it       HEDDLE_DATA
  --store URL        a PostgreSQL database, as for "heddle serve" HEDDLE_DATABASE_URL
  --models FILE      the catalogue, as for "heddle serve"        HEDDLE_MODELS
  --context-window N, --when-full WHAT: as for "heddle serve"
  --workspace DIR    the folder to work in                       HEDDLE_WORKSPACE
  --tool-syntax NAME how the model writes tool calls here
  --approvals WHICH  all, writes, outward or none: the calls that need your approval here
  --compact-at SHARE 50 to 95 (percent of the model's window) or off: when earlier messages are summed up here

A new conversation works in the folder that the terminal is in. The first time, chat asks; the server then knows the folder, and a
conversation keeps its folder for good. What a server that runs already cannot honour (--models, --store) is refused.`;

/** A key press meant for something else may still be on its way when a call is shown. Milliseconds. */
const readingMs = 500;

/** Talks until the person leaves. Returns the exit code. */
export async function chat(line: CommandLine, terminal: Terminal): Promise<number> {
  const reached = await reachServer(line, terminal);
  const place = reached.ok ? await startingPlace(line, reached.value) : reached;
  if (!reached.ok || !place.ok) {
    const refused = reached.ok ? place : reached;
    if (reached.ok) await reached.value.close();
    if (refused.ok) return 0;
    return printRefusal(terminal, refused.error);
  }
  const { model } = line.values;
  if (place.value !== null && model !== undefined) {
    const set = await reached.value.client.call("conversation.set-model", { rootId: place.value, model });
    if (!set.ok) {
      await reached.value.close();
      return printRefusal(terminal, set.error);
    }
  }
  const wish = await conversationWish(line, terminal, { server: reached.value, rootId: place.value });
  if (!wish.ok) {
    await reached.value.close();
    return printRefusal(terminal, wish.error);
  }
  const { client, isOwn, url } = reached.value;
  const asked = await readReplyFlags(line, client);
  const settled = asked.ok && place.value !== null ? await settle(client, place.value, asked.value) : asked;
  if (!asked.ok || !settled.ok) {
    await reached.value.close();
    const refused = asked.ok ? settled : asked;
    if (refused.ok) return 0;
    return printRefusal(terminal, refused.error);
  }
  const recognised = await recognisedSyntax(client, {
    model,
    rootId: place.value,
    toolSyntax: line.values["tool-syntax"],
  });
  if (recognised !== null) terminal.note(styled(terminal, "dim", recognised));
  const console = processConsole(terminal.colours);
  const where = isOwn ? "" : ` · joined ${url}`;
  const code = await talk(
    console,
    {
      client,
      upload: (bytes) => uploadBlob(reached.value, bytes),
      readingMs: process.stdin.isTTY ? readingMs : 0,
      now: () => Date.now(),
      setTimer: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
    },
    {
      rootId: place.value,
      replies: asked.value,
      wish: wish.value,
      ...(model === undefined ? {} : { model }),
      whenLeft: isOwn
        ? "A turn that is still running continues at the next start."
        : "The agent continues its turn on the server. To stop it, press Ctrl-C before you leave.",
      greeting: `Heddle${where} · /help lists the commands`,
    },
  );
  await reached.value.close();
  return code;
}

/** Applies the flags to an existing conversation; a new one is created with them. */
async function settle(client: HeddleClient, rootId: RootId, flags: ReplyFlags): Promise<Result<unknown, Refusal>> {
  return Object.keys(flags).length === 0 ? ok(undefined) : client.call("conversation.settings", { rootId, ...flags });
}

/** Runs one session at a console, to its end. */
export async function talk(
  console: Console,
  ports: Omit<SessionPorts, "face">,
  start: SessionStart & { readonly greeting: string },
): Promise<number> {
  return console.isInteractive ? talkAtTerminal(console, ports, start) : talkOverPipes(console, ports, start);
}

async function talkAtTerminal(
  console: Console,
  ports: Parameters<typeof talk>[1],
  start: Parameters<typeof talk>[2],
): Promise<number> {
  let session: ChatSession | null = null;
  const face = new TerminalFace(console, {
    line: (text, how) => void session?.line(text, how),
    interrupt: (hadText) => session?.interrupt(hadText),
    end: () => session?.quit(0),
  });
  face.aside(safeLine(start.greeting));
  session = new ChatSession({ ...ports, face }, start);
  console.onInterrupt(() => session.quit(130));
  const code = await session.ended;
  face.close();
  console.close();
  return code;
}

async function talkOverPipes(
  console: Console,
  ports: Parameters<typeof talk>[1],
  start: Parameters<typeof talk>[2],
): Promise<number> {
  const face = new PipeFace(console);
  const session = new ChatSession({ ...ports, face }, start);
  // Leaving needs no confirmation.
  console.onInterrupt(() => (session.isWorking ? session.interrupt() : session.quit(130)));
  void feed(console, session);
  const code = await session.ended;
  console.close();
  return code;
}

async function feed(console: Console, session: ChatSession): Promise<void> {
  for await (const text of console.lines()) {
    await session.ready();
    await session.line(text);
  }
  await session.inputOver();
}
