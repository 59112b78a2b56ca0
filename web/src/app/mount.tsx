import { createRoot } from "react-dom/client";
import { createClient } from "../../../src/client/client.ts";
import { must } from "../../../src/core/base/assert.ts";
import "../styles/tokens.css";
import "../styles/page.css";
import "../styles/people.css";
import "../styles/screens.css";
import "../styles/controls.css";
import "../styles/dialogs.css";
import "../styles/forest.css";
import "../styles/conversation.css";
import "../styles/calls.css";
import "../styles/conversation-foot.css";
import "../styles/markdown.css";
import "../styles/canvas.css";
import "../styles/diff.css";
import "../styles/history.css";
import "../styles/review.css";
import "../styles/drafts.css";
import "../styles/comments.css";
import "../styles/turn.css";
import "../shell/phone.css";
import "../styles/print.css";
import { App } from "./app.tsx";
import { DefectBoundary } from "../shell/defect-screen.tsx";
import type { HeddleClient } from "../../../src/client/base/types.ts";
import { keepEdits, keptWhole, sendKeptWhileLive, type EditKeeper, type Tell } from "../browser/kept-edits.ts";
import { loadCode } from "../browser/load-code.ts";
import { editStorage, claimClosed, type Session } from "../browser/session.ts";
import { keptView } from "../conversation/kept/kept-view.ts";
import { noteKeys } from "../ui/paced/after-keys.ts";

// Loaded beside the page: what is typed in a document needs it, the page and its conversation do not.
const engine = loadCode(() => import("../../../src/client/text-engine.ts")).then(({ textEngine }) => textEngine);

/** What is loaded of a large conversation at once: some screens full, in a fraction of a second over a slow line. */
const segmentSize = { messages: 200, bytes: 400_000 };

/** When the page has what it shows first, and the network is free. Milliseconds. */
const keepShellMs = 4_000;

/** Renders the page of who has a token, or came with a session. */
export function mount({ token, clientId, name }: Session & { readonly token: string }): void {
  noteKeys(globalThis);
  const root = createRoot(must(document.getElementById("app"), "the page has a place for the app"));
  let keeper: EditKeeper | null = null;
  let begun = false;
  const client = createClient(
    {
      url: location.origin,
      token,
      clientId,
      name,
      editsWait: (madeAgain) => (madeAgain ? keeper?.store() : keeper?.changed()),
      segment: { ...segmentSize, startAt: (rootId) => keptView(rootId).selection.get().tipId },
    },
    engine,
  );
  const storage = editStorage();
  const heard: { tell: Tell } = { tell: () => {} };
  const tell: Tell = (...said) => heard.tell(...said);
  if (storage !== null) {
    keeper = keepEdits({ storage, clientId, name, waiting: () => client.waitingEdits(), tell });
    addEventListener("pagehide", () => keeper?.store());
    document.addEventListener("visibilitychange", () => keeper?.store());
  }
  const sendKept = (shown: Tell): void => {
    heard.tell = shown;
    if (storage === null || begun) return;
    begun = true;
    const connect = (closedId: string, closedName: string): HeddleClient =>
      createClient({ url: location.origin, token, clientId: closedId, name: closedName }, engine);
    const copy = async (text: string): Promise<void> => navigator.clipboard.writeText(text);
    sendKeptWhileLive(client.state, { storage, ownId: clientId, claim: claimClosed, connect, copy, tell });
  };
  const keepNow = (): boolean => keeper?.store() === true && keptWhole(client.unsentWords(), client.waitingEdits());
  keepShellSoon(client, keepShellMs);
  root.render(
    <DefectBoundary>
      <App client={client} name={name} sendKept={sendKept} keepNow={keepNow} />
    </DefectBoundary>,
  );
}

/** Has the shell kept, by code that the server sends; while the server is away, it is tried again later. */
function keepShellSoon(client: HeddleClient, waitMs: number): void {
  setTimeout(() => {
    const again = (): void => keepShellSoon(client, 2 * waitMs);
    if (client.state.get().type !== "live") return again();
    import("../browser/keep-shell.ts").then(({ keepShell }) => keepShell()).catch(again);
  }, waitMs);
}
