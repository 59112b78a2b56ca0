import { useEffect, useRef, useState } from "react";
import { readVisit, type Opener, type Visit } from "./visit-api.ts";

/** What a visitor sees: nothing yet, that a password is needed, the thing as it is now, or that the link has ended. */
export type Seen =
  | { readonly type: "opening" }
  | { readonly type: "locked"; readonly message: string }
  | { readonly type: "shown"; readonly visit: Visit; readonly problem: string | null }
  | { readonly type: "ended"; readonly message: string };

const retryMs = 3_000;
/** The longest wait of a timer. Milliseconds. */
const timerMax = 2 ** 31 - 1;
const over = "This link has ended, or what it showed is gone. Ask the person who sent it for a new one.";

/** Follows what a link shows, until it ends: by the server's word, or by its own time where the server is away. */
export function useVisit(opener: Opener, documentId: string | null): Seen {
  const [seen, setSeen] = useState<Seen>({ type: "opening" });
  /** What the server gave for the proof: it is of the link, whichever of its documents is shown. */
  const given = useRef<{ readonly opener: Opener; readonly pass: string } | null>(null);
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pass = given.current?.opener === opener ? { pass: given.current.pass } : {};
    let place = { ...opener, ...pass, ...(documentId === null ? {} : { documentId }) };
    const end = (message: string): void => setSeen({ type: "ended", message });
    const follow = async (have?: string): Promise<void> => {
      const answer = await readVisit(place, have);
      if (isGone) return;
      if (answer.ok) {
        const visit = answer.value;
        if (visit.pass !== null) {
          given.current = { opener, pass: visit.pass };
          place = { ...place, pass: visit.pass };
        }
        clearTimeout(timer);
        timer = setTimeout(() => end(over), Math.min(timerMax, Math.max(0, visit.expiresAt - Date.now())));
        setSeen({ type: "shown", visit, problem: null });
        return follow(visit.have);
      }
      if (answer.code === "NOT_FOUND") return end(answer.message);
      const isGuess = opener.proof !== undefined && place.pass === undefined && answer.code !== undefined;
      if (answer.code === "UNAUTHENTICATED" || isGuess) return setSeen({ type: "locked", message: answer.message });
      setSeen((before) =>
        before.type === "shown" ? { ...before, problem: answer.message } : { type: "ended", message: answer.message },
      );
      await new Promise((resolve) => void setTimeout(resolve, retryMs));
      // While the server was away something may have changed: what it shows now is asked for anew.
      return isGone ? undefined : follow();
    };
    setSeen((before) => (before.type === "locked" ? before : { type: "opening" }));
    void follow();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [opener, documentId]);
  return seen;
}
