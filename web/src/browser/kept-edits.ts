import type { HeddleClient, WaitingEdits } from "../../../src/client/base/types.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import { isRecord } from "./stored.ts";

/** Shows a sentence, with something to do about it. */
export type Tell = (sentence: string, action?: { readonly label: string; readonly run: () => void }) => void;

/** What the browser stores of a page: edits that the server had not confirmed. */
interface KeptPage {
  /** The name that the page connected with: the server knows a page by its id and its person. */
  readonly name: string;
  readonly edits: readonly WaitingEdits[];
}

const prefix = "heddle.edits.";
/** The most that one page keeps, in UTF-16 units: a part of the 5 million that browsers store for a server. */
export const keptUnitsMax = 1_000_000;
const writeAfterMs = 300;
const lookAgainMs = 60_000;

/** Keeps the edits of one page that wait for the server, so that they outlive the page. */
export interface EditKeeper {
  /** The edits that wait have changed; stored soon. */
  changed(): void;
  /** Stores them now: the page may be closed, or earlier ones were made again in another form. Returns whether all are stored. */
  store(): boolean;
}

export interface KeeperOptions {
  readonly storage: Storage;
  readonly clientId: string;
  readonly name: string;
  readonly waiting: () => readonly WaitingEdits[];
  tell: Tell;
}

export function keepEdits({ storage, clientId, name, waiting, tell }: KeeperOptions): EditKeeper {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isStored = false;
  let isTold = false;
  const store = (): boolean => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const edits = waiting();
    if (edits.length === 0) {
      if (isStored) storage.removeItem(prefix + clientId);
      isStored = false;
      isTold = false;
      return true;
    }
    const isKept = writePage(storage, clientId, { name, edits });
    if (isKept) isStored = true;
    else if (!isTold) {
      isTold = true;
      tell(
        "This browser has no room to keep your unsent words. Leave this page open until Heddle is back, or copy them.",
      );
    }
    return isKept;
  };
  return {
    changed: () => {
      timer ??= setTimeout(store, writeAfterMs);
    },
    store,
  };
}

/** Whether edits hold all words that the server does not have: those that it refused are in none. */
export function keptWhole(unsent: string, edits: readonly WaitingEdits[]): boolean {
  const plain = (text: string): string => text.replaceAll(/\s/gu, "");
  return plain(unsent) === plain(edits.map(({ words }) => words).join(""));
}

/** Whether the browser stores edits of this page. */
export function hasKeptEdits(storage: Storage, clientId: string): boolean {
  return readPage(storage, clientId) !== null;
}

export interface SendOptions {
  readonly storage: Storage;
  /** The page that sends; its own edits are none of these. */
  readonly ownId: string;
  /** Whether a page is closed: from then on its id is this page's. */
  readonly claim: (clientId: string) => Promise<boolean>;
  /** Connects as a page that is closed. */
  readonly connect: (clientId: string, name: string) => Pick<HeddleClient, "sendWaiting" | "close">;
  copy(text: string): Promise<void>;
  tell: Tell;
}

/** Sends what closed pages kept each time the connection is live again, and every minute while it is: any page may be closed at any time. */
export function sendKeptWhileLive(state: HeddleClient["state"], options: SendOptions): void {
  const refusedIds = new Set<string>();
  let isSending = false;
  const look = (): void => {
    if (isSending || state.get().type !== "live") return;
    isSending = true;
    void sendKeptEdits(options, refusedIds).finally(() => {
      isSending = false;
    });
  };
  state.subscribe(look);
  setInterval(look, lookAgainMs);
  look();
}

/**
 * Sends what closed pages of this browser had not sent, as these pages and under the same request ids. Pages whose edits are
 * refused are added to `refusedIds`, and those in it are left alone: the person has been told.
 */
export async function sendKeptEdits(options: SendOptions, refusedIds: Set<string>): Promise<void> {
  const { storage, ownId, claim, tell } = options;
  const ids = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").flatMap((key) =>
    key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
  );
  let stored = 0;
  const refused: { readonly clientId: string; readonly edits: readonly WaitingEdits[]; readonly reason: Refusal }[] =
    [];
  for (const clientId of ids) {
    if (clientId === ownId || refusedIds.has(clientId) || !(await claim(clientId))) continue;
    const page = readPage(storage, clientId);
    if (page === null) continue;
    const result = await sendPage(options, clientId, page);
    stored += result.stored;
    if (result.reason === null) continue;
    refusedIds.add(clientId);
    refused.push({ clientId, edits: result.left, reason: result.reason });
  }
  const [first] = refused;
  if (first === undefined) {
    if (stored > 0) tell("Words from a page that was closed before they were sent are in their document now.");
    return;
  }
  const words = refused.flatMap(({ edits }) => edits.map((edit) => edit.words)).join("");
  tell(
    `Words from a closed page are kept in this browser, but could not be put into their document: ${first.reason.message}`,
    {
      label: "Copy and forget them",
      run: () =>
        void options.copy(words).then(
          () => {
            for (const { clientId } of refused) storage.removeItem(prefix + clientId);
          },
          () => tell("The browser did not allow copying. The words stay kept; reload the page to be asked again."),
        ),
    },
  );
}

async function sendPage(
  { storage, connect }: SendOptions,
  clientId: string,
  { name, edits }: KeptPage,
): Promise<{ readonly stored: number; readonly left: readonly WaitingEdits[]; readonly reason: Refusal | null }> {
  const client = connect(clientId, name);
  let left = edits;
  let reason: Refusal | null = null;
  for (const edit of edits) {
    const sent = await client.sendWaiting(edit);
    if (sent.ok) {
      left = left.filter((other) => other !== edit);
      if (left.length === 0) storage.removeItem(prefix + clientId);
      else writePage(storage, clientId, { name, edits: left });
    } else reason ??= sent.error;
  }
  client.close();
  return { stored: edits.length - left.length, left, reason };
}

function writePage(storage: Storage, clientId: string, page: KeptPage): boolean {
  const text = JSON.stringify(page);
  if (text.length > keptUnitsMax) return false;
  try {
    storage.setItem(prefix + clientId, text);
    return true;
  } catch {
    return false;
  }
}

function readPage(storage: Storage, clientId: string): KeptPage | null {
  try {
    const page: unknown = JSON.parse(storage.getItem(prefix + clientId) ?? "null");
    if (!isRecord(page) || typeof page["name"] !== "string" || !Array.isArray(page["edits"])) return null;
    return { name: page["name"], edits: page["edits"].filter(isWaitingEdits) };
  } catch {
    return null;
  }
}

function isWaitingEdits(value: unknown): value is WaitingEdits {
  return (
    isRecord(value) && ["blockId", "requestId", "update", "words"].every((field) => typeof value[field] === "string")
  );
}
