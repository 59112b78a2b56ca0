import { useCallback, useMemo, useState } from "react";
import { readText, Stored } from "../../browser/stored.ts";

/** Words that a person is writing. */
export interface Unsaved {
  readonly text: string;
  readonly write: (text: string) => void;
  /** Forgets the words: they were saved or discarded. */
  readonly forget: () => void;
}

/**
 * Keeps what is written under this key until it is saved or discarded, also when its field leaves the page, or the page closes.
 * `saved` is the text that it begins with.
 */
export function useUnsaved(key: string, saved = ""): Unsaved {
  const kept = useMemo(() => unsavedText(key), [key]);
  const [text, setText] = useState(() => kept.get() || saved);
  const write = useCallback(
    (next: string) => {
      setText(next);
      if (next === "" || next === saved) kept.clear();
      else kept.set(next);
    },
    [kept, saved],
  );
  const forget = useCallback(() => {
    kept.clear();
    setText(saved);
  }, [kept, saved]);
  return { text, write, forget };
}

/** The words that are kept under a key; "" for none. */
export function unsavedText(key: string): Stored<string> {
  return new Stored(key, readText, "");
}
