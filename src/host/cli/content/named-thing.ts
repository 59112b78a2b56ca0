import type { ConversationView, HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { TextReplica } from "../../../client/base/types.ts";
import { safeLine } from "../base/safe-text.ts";
import { viewOf } from "../start/conversation-view.ts";
import { readList } from "../chat/read-list.ts";

/** The flags that every command of this folder shares. */
export const workFlags = `  --json             machine-readable output
  --url URL, --token T, --data DIR, --store URL: the server, as for "heddle chat"`;

/** The most canvases that are looked through by title. */
const canvasesMax = 10_000;

/** Finds a document: by its id, by the title of a canvas, or by the path of a file in the default folder. */
export async function findDocument(client: HeddleClient, name: string | undefined): Promise<Result<BlockId, Refusal>> {
  if (name === undefined) {
    const message = "Which document? Give its id, the title of a canvas, or the path of a file.";
    return err(refusal("INVALID_PARAMS", {}, message));
  }
  if (/^[^/\s]+\/\d+\/\d+$/u.test(name)) return ok(name as BlockId);
  const listed = await readList(client, { of: "canvases", filter: "", count: canvasesMax });
  if (!listed.ok) {
    return err({
      ...listed.error,
      message: `${listed.error.message} A title cannot be looked up: give the document's id.`,
    });
  }
  const { entries } = listed.value;
  const named = entries.filter(({ title }) => title === name);
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(", ");
    return err(
      refusal("INVALID_PARAMS", { name }, `${named.length} canvases have this title. Give one of their ids: ${ids}.`),
    );
  }
  const [canvas] = named;
  if (canvas !== undefined) return ok(canvas.id);
  const opened = await client.call("file.open", { path: name });
  if (opened.ok) return ok(opened.value.blockId);
  const titles = new Map(entries.map(({ title }) => [title.toLowerCase(), title]));
  const near = nearestWord(name, [...titles.keys()]);
  const guess = near === undefined ? undefined : titles.get(near);
  const hint = guess === undefined ? "" : ` Did you mean the canvas "${safeLine(guess)}"?`;
  const message = `There is no document "${name}": no canvas has this title. ${whyNoFile(opened.error)}${hint}`;
  return err(refusal("NOT_FOUND", { name }, message));
}

/** Returns why a name is no file's. A server without a folder names the command for programs with which one is added. */
function whyNoFile({ code, message, details }: Refusal): string {
  const hasNoFolder = code === "FILE_NOT_FOUND" && Object.keys(details ?? {}).length === 0;
  return hasNoFolder
    ? "The server has no folder of files; add one in the app's settings, or start it with --workspace DIR."
    : message;
}

/** Finds a conversation by its id or slug, with all its messages. */
export async function findConversation(
  client: HeddleClient,
  name: string | undefined,
): Promise<Result<ConversationView, Refusal>> {
  if (name === undefined) {
    const message = 'Which conversation? Give its id or its slug; "heddle tree" lists them.';
    return err(refusal("INVALID_PARAMS", {}, message));
  }
  const found = await client.call("conversation.find", { name });
  if (!found.ok) return found;
  const view = await viewOf(client, found.value.id);
  return view === null ? err(refusal("ROOT_NOT_FOUND", { name })) : ok(view);
}

/** Opens a document's text, uses it once it has arrived, and closes it when its edits are stored. */
export async function withDocument<Value>(
  client: HeddleClient,
  blockId: BlockId,
  use: (text: TextReplica) => Promise<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  const text = client.openText(blockId);
  try {
    const refused = await new Promise<Refusal | null>((resolve) => {
      const stops: (() => void)[] = [];
      const look = (): void => {
        const problem = text.refused.get();
        if (!text.ready && problem === null) return;
        for (const stop of stops) stop();
        resolve(text.ready ? null : problem);
      };
      stops.push(text.header.subscribe(look), text.refused.subscribe(look));
      look();
    });
    return refused === null ? await use(text) : err(refused);
  } finally {
    text.close();
  }
}
