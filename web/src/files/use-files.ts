import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { BlockId } from "../../../src/core/base/ids.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { readText, Stored } from "../browser/stored.ts";

/** The shown file. */
export interface OpenFile {
  readonly path: string;
  readonly blockId: BlockId;
}

/** The files of the workspace folder and the shown file. */
export interface Files {
  /** null until it is loaded; empty without a folder. */
  readonly listing: CommandAnswer<"file.list"> | null;
  /** Letters that the listed paths contain. */
  readonly containing: string;
  readonly setContaining: (letters: string) => void;
  readonly refresh: () => void;
  readonly shown: OpenFile | null;
  readonly open: (path: string) => void;
  readonly close: () => void;
}

const lastFile = new Stored("file", readText, "");
/** Delay after the last key before the folder is searched. Milliseconds. */
const restMs = 150;

/** Returns the files; reads them again when the page connects, becomes visible or opens a file. */
export function useFiles(live: boolean): Files {
  const { client, tell } = useApp();
  const [listing, setListing] = useState<Files["listing"]>(null);
  const [containing, setContaining] = useState("");
  const [asked, setAsked] = useState(0);
  const [shown, setShown] = useState<OpenFile | null>(null);
  const refresh = useCallback(() => setAsked((count) => count + 1), []);

  const first = useRef(true);
  useEffect(() => {
    if (!live) return undefined;
    let stale = false;
    const read = async (): Promise<void> => {
      const answer = await client.call("file.list", containing === "" ? {} : { containing });
      if (!stale && answer.ok) setListing(answer.value);
    };
    const timer = setTimeout(() => void read(), first.current ? 0 : restMs);
    first.current = false;
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [client, live, containing, asked]);

  // Files change outside, so the list is read again when the page becomes visible.
  useEffect(() => {
    window.addEventListener("focus", refresh);
    return () => window.removeEventListener("focus", refresh);
  }, [refresh]);

  const latest = useRef(0);
  const actions = useMemo(() => {
    const show = async (path: string, quiet: boolean): Promise<void> => {
      const turn = (latest.current += 1);
      const opened = await client.call("file.open", { path });
      // The person may have opened something else meanwhile.
      if (turn !== latest.current) return;
      if (!opened.ok) {
        if (quiet) lastFile.clear();
        else tell(opened.error);
        return;
      }
      lastFile.set(path);
      setShown({ path, blockId: opened.value.blockId });
      refresh();
    };
    return {
      open: (path: string) => void show(path, false),
      /** Opens the file that was shown when the page was left. */
      reopen: () => {
        const path = lastFile.get();
        if (path !== "") void show(path, true);
      },
      close: () => {
        latest.current += 1;
        lastFile.clear();
        setShown(null);
      },
    };
  }, [client, tell, refresh]);
  const reopened = useRef(false);
  useEffect(() => {
    if (!live || reopened.current) return;
    reopened.current = true;
    actions.reopen();
  }, [live, actions]);

  return useMemo(
    () => ({ listing, containing, setContaining, refresh, shown, open: actions.open, close: actions.close }),
    [listing, containing, refresh, shown, actions],
  );
}
