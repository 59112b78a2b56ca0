import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ConnectionState, HeddleClient } from "../../../src/client/base/types.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import { AuthorHues } from "../view/words/author-hue.ts";
import { refusalWords } from "../view/words/refusal-words.ts";
import { AppContext, type ActivityThing, type AppServices, type ToastAction } from "../ui/app-context.ts";
import { Icon, Mark } from "../ui/icons.tsx";
import { rememberToken, signedInMember } from "../browser/session.ts";
import type { TeamState } from "../browser/account/sign-in-api.ts";
import { ActivityDialog } from "../settings/team/lazy-activity-dialog.tsx";
import { RefusedScreen } from "../shell/screens.tsx";
import { useObservable } from "../ui/use-observable.ts";
import { Workspace } from "./workspace.tsx";

/** Display time of a notice at the foot of the page. Milliseconds. */
const toastMs = 7_000;
/** The same for a notice that offers to undo something. */
const toastWithActionMs = 10_000;

/** A notice over the page. */
interface Toast {
  readonly message: string | Refusal;
  readonly action: ToastAction | null;
}

interface AppProps {
  readonly client: HeddleClient;
  readonly name: string;
  /** Sends what closed pages of this browser had not sent, and shows what became of it. */
  readonly sendKept: (tell: AppServices["tell"]) => void;
  /** Keeps what was typed in documents for the next page; returns whether that is all that the server does not have. */
  readonly keepNow: () => boolean;
}

/** The page of one connection. */
export function App({ client, name, sendKept, keepNow }: AppProps) {
  const state = useObservable(client.state);
  const workspace = useObservable(client.workspace);
  const [toast, setToast] = useState<Toast | null>(null);
  const [spoken, setSpoken] = useState({ sentence: "", turn: 0 });
  const [activityOn, setActivityOn] = useState<ActivityThing | null>(null);
  const hues = useRef(new AuthorHues());

  const announce = useCallback((sentence: string) => setSpoken((before) => ({ sentence, turn: before.turn + 1 })), []);
  const tell = useCallback(
    (message: string | Refusal, action?: ToastAction) => setToast({ message, action: action ?? null }),
    [],
  );
  const withdraw = useCallback(
    (about: string) => setToast((shown) => (shown?.action?.about === about ? null : shown)),
    [],
  );
  const services = useMemo(
    (): AppServices => ({ client, hues: hues.current, announce, tell, withdraw, showActivity: setActivityOn }),
    [client, announce, tell, withdraw],
  );
  const refused = state.type === "refused" ? state.refusal : (workspace?.refused ?? null);
  const signedOut = useSignedOut(state.type, workspace === null);
  useEffect(() => sendKept(tell), [sendKept, tell]);
  useEffect(() => {
    if (toast === null) return undefined;
    const timer = setTimeout(() => setToast(null), toast.action === null ? toastMs : toastWithActionMs);
    return () => clearTimeout(timer);
  }, [toast]);
  useAskBeforeLeaving({ client, keepNow });

  return (
    <AppContext value={services}>
      {refused !== null || signedOut ? (
        <RefusedScreen
          refusal={refused ?? { code: "UNAUTHENTICATED", message: "", details: {} }}
          unsent={client.unsentWords()}
          isKept={keepNow()}
        />
      ) : workspace === null ? (
        <main className="screen waits" aria-busy="true">
          <div>
            <Mark size={36} />
            <h1>
              {state.type === "connecting" || state.type === "live"
                ? "Opening the workspace…"
                : "Heddle can’t reach the server"}
            </h1>
            {state.type !== "connecting" && state.type !== "live" && (
              <>
                <p>Check that Heddle is still running. This page continues as soon as the server answers.</p>
                <button type="button" className="button primary" onClick={() => client.reconnectNow()}>
                  Try now
                </button>
              </>
            )}
          </div>
        </main>
      ) : (
        <Workspace workspace={workspace} name={name} />
      )}
      {/* Two alternating live regions, so that a repeated sentence is announced again. */}
      <p className="visually-hidden" role="status">
        {spoken.turn % 2 === 0 ? spoken.sentence : ""}
      </p>
      <p className="visually-hidden" role="status">
        {spoken.turn % 2 === 1 ? spoken.sentence : ""}
      </p>
      {activityOn !== null && <ActivityDialog on={activityOn} onClose={() => setActivityOn(null)} />}
      {toast !== null && <ShownToast toast={toast} onClose={() => setToast(null)} />}
    </AppContext>
  );
}

/** Closing the page would lose unsent edits, so the browser asks first. */
function useAskBeforeLeaving({ client, keepNow }: Pick<AppProps, "client" | "keepNow">): void {
  useEffect(() => {
    const onBeforeUnload = (event: BeforeUnloadEvent): void => {
      const now = client.state.get();
      const isAway = now.type === "reconnecting" || now.type === "offline";
      // A page that is refused can only be loaded again, and the next one sends what is kept.
      if (now.type === "refused" && keepNow()) return;
      if ((isAway && now.unsent > 0) || client.unsentWords() !== "") event.preventDefault();
    };
    addEventListener("beforeunload", onBeforeUnload);
    return () => removeEventListener("beforeunload", onBeforeUnload);
  }, [client, keepNow]);
}

/**
 * Whether this page's person is signed out, or its token is of no use to a team. A browser does not say why a connection was
 * refused, so the server is asked when there is none; a page that its token opened need not ask.
 */
function useSignedOut(connection: ConnectionState["type"], neverOpen: boolean): boolean {
  const [signedOut, setSignedOut] = useState(false);
  const isAway = connection === "reconnecting" || connection === "offline";
  const isAsked = isAway && (neverOpen || signedInMember() !== null);
  useEffect(() => {
    if (!isAsked) return;
    const answered = (state: TeamState): void => {
      if (state === null || state.person !== null) return;
      if (signedInMember() !== null) return setSignedOut(true);
      // A token of before, when this address had no team: the page has never been open.
      rememberToken("");
      location.reload();
    };
    // Without the server nothing is known; the page asks again when the server answers again.
    askTeamState().then(answered, () => undefined);
  }, [isAsked]);
  return signedOut;
}

/** Fetched when it is needed: most pages never ask. */
async function askTeamState(): Promise<TeamState> {
  const { teamState } = await import("../browser/account/sign-in-api.ts");
  return teamState();
}

function ShownToast({ toast, onClose }: { readonly toast: Toast; readonly onClose: () => void }) {
  const { message, action } = toast;
  return (
    <div className="toast" role="alert">
      {typeof message === "string" ? <p>{message}</p> : <RefusalWords refusal={message} />}
      {action !== null && (
        <button
          type="button"
          className="button"
          onClick={() => {
            action.run();
            onClose();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={onClose}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}

function RefusalWords({ refusal }: { readonly refusal: Refusal }) {
  return (
    <p>
      {refusalWords(refusal)} <code>{refusal.code}</code>
    </p>
  );
}
