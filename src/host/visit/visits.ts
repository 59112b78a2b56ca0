import type { ActorId, BlockId } from "../../core/base/ids.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { encodeBase64 } from "../../core/base/base64.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { documentKey, type Chain } from "../../core/rights/object-key.ts";
import type { LinkRole, ShareLinkRow } from "../../core/rights/rights-row.ts";
import type { Rights } from "../../core/rights/rights.ts";
import { subjectKey } from "../../core/rights/subject.ts";
import type { Verb } from "../../core/rights/verb-table.ts";
import { chainOf } from "../access/chains.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import { mediaBytesMax } from "../blobs/attachments.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { contentOf, type OpenedVisit, type VisitContent } from "./visit-content.ts";

type VisitPorts = Pick<Workspace, "store" | "folders" | "hub" | "platform" | "canvases" | "blobs">;

/** What a visitor asks for. */
export interface Visit {
  readonly secret: string;
  /** A document of a folder that is shared; absent: what the link is to. */
  readonly documentId?: BlockId | undefined;
  /** What the visitor has: the answer waits until there is something else. */
  readonly have?: string | undefined;
}

/** What a visitor is shown. */
export interface VisitAnswer {
  readonly content: VisitContent;
  readonly role: LinkRole;
  /** UTC milliseconds. */
  readonly expiresAt: number;
  /** Names what is shown, for the next question. */
  readonly have: string;
  /** Takes the place of the proof in the next questions, so that nobody who guesses keeps this visitor out; null: no password. */
  readonly pass: string | null;
}

/** A picture of a document, for a visitor. */
interface VisitPicture {
  /** Its bytes in base64; the page judges what they are. */
  readonly data: string;
}

/** How long a question waits for something new. Milliseconds. */
const waitMs = 25_000;
/** How soon what is not told of changes is looked at again. Milliseconds. */
const lookAgainMs = 5_000;
/** Typing is sent at most this often. Milliseconds. */
const settleMs = 300;
/** Questions that wait, of one link and of all. */
const waitingMax = { link: 100, all: 1_000 } as const;
const guestUnitsMax = 40;
/** Characters of one comment. */
const commentMax = 4_000;

/** Reads and comments for those who have a share link. */
export class Visits {
  readonly #keeper: Pick<RightsKeeper, "rights" | "decide" | "onChanged">;
  readonly #ports: VisitPorts;
  readonly #waitingByLink = new Map<string, number>();
  #waiting = 0;
  readonly #passKey: string;

  constructor(keeper: Pick<RightsKeeper, "rights" | "decide" | "onChanged">, ports: VisitPorts) {
    this.#keeper = keeper;
    this.#ports = ports;
    this.#passKey = encodeBase64(ports.platform.random.bytes(32));
  }

  /** Returns the link with a secret, whatever has become of it since; null for none. */
  find(secret: string): ShareLinkRow | null {
    // Found by its hash: how long it takes says nothing about the secret.
    return linksOf(this.#keeper.rights).get(sha256Hex(secret)) ?? null;
  }

  /** Whether a link opens nothing any more, or not now. */
  isOver(link: ShareLinkRow): boolean {
    return !this.#may(link, [link.object], "document.read");
  }

  /** What a visitor is told who proved that they know a link's password; null: it has none. */
  passOf({ id, proofHash }: ShareLinkRow): string | null {
    return proofHash === undefined ? null : sha256Hex(`${this.#passKey} ${id} ${proofHash}`);
  }

  /** Answers what a link shows; with `have`, once that is no longer what it shows, or after some time. */
  async read(visit: Visit, gone: AbortSignal): Promise<Result<VisitAnswer, Refusal>> {
    const first = await this.#now(visit);
    if (!first.ok || first.value.have !== visit.have) return first;
    const link = this.find(visit.secret)?.id ?? "";
    const ofLink = this.#waitingByLink.get(link) ?? 0;
    if (ofLink >= waitingMax.link || this.#waiting >= waitingMax.all) {
      const message = "Too many people look at this just now. Nothing was changed; try again in a moment.";
      return err(refusal("RATE_LIMITED", { seconds: 10 }, message));
    }
    this.#waitingByLink.set(link, ofLink + 1);
    this.#waiting += 1;
    try {
      return await this.#later(visit, gone);
    } finally {
      this.#waiting -= 1;
      const left = (this.#waitingByLink.get(link) ?? 1) - 1;
      if (left === 0) this.#waitingByLink.delete(link);
      else this.#waitingByLink.set(link, left);
    }
  }

  /** Reads a picture of a document that a link shows, if its text has it now. */
  async picture(visit: Visit, id: string): Promise<Result<VisitPicture, Refusal>> {
    const { hub, blobs } = this.#ports;
    const opened = await this.#open(visit, null);
    if (!opened.ok) return opened;
    const { documentId } = opened.value;
    const text = documentId === null ? err(linkOver()) : await hub.reader.read(documentId);
    const isShown =
      documentId !== null &&
      text.ok &&
      text.value.text.includes(`blob:${id}`) &&
      (await blobs.uses?.isIn(id, documentKey(documentId))) === true;
    if (!isShown) return err(refusal("BLOB_NOT_FOUND", { id }));
    const read = await blobs.get(id);
    if (!read.ok) return read;
    return read.value.length > mediaBytesMax
      ? err(refusal("BLOB_TOO_LARGE", { size_max: mediaBytesMax }))
      : ok({ data: encodeBase64(read.value) });
  }

  /** Begins a thread of comments on a document, as a guest. */
  async comment(visit: Visit, name: string, text: string): Promise<Result<Record<never, never>, Refusal>> {
    // Without what nobody sees: it could turn around or cover the mark of a guest.
    const guest = name
      .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
      .trim()
      .slice(0, guestUnitsMax);
    const words = text.trim();
    if (guest === "" || words === "" || words.length > commentMax || !`${guest}${words}`.isWellFormed()) {
      const message = `Give your name, and a comment of at most ${commentMax} characters. Nothing was sent.`;
      return err(refusal("INVALID_PARAMS", { characters_max: commentMax }, message));
    }
    const opened = await this.#open(visit, "document.comment");
    if (!opened.ok) return opened;
    const { link, documentId } = opened.value;
    if (documentId === null) return err(refusal("INVALID_PARAMS", { field: "documentId" }));
    const actor = { type: "person", id: link.id as string as ActorId, name: `${guest} (guest)` } as const;
    const wish = { blockId: documentId, at: { type: "document" }, text: words } as const;
    const made = await this.#ports.hub.comments.add(actor, wish);
    return made.ok ? ok({}) : made;
  }

  async #later(visit: Visit, gone: AbortSignal): Promise<Result<VisitAnswer, Refusal>> {
    const { clock } = this.#ports.platform;
    const until = clock.monotonic() + waitMs;
    for (;;) {
      await this.#nextChange(visit, Math.min(lookAgainMs, until - clock.monotonic()), gone);
      const answer = await this.#now(visit);
      const isNew = !answer.ok || answer.value.have !== visit.have;
      if (isNew || gone.aborted || clock.monotonic() >= until) return answer;
    }
  }

  /** Resolves when what the link shows may have changed, its end included. */
  #nextChange({ secret, documentId }: Visit, ms: number, gone: AbortSignal): Promise<void> {
    const { platform, hub } = this.#ports;
    const { clock } = platform;
    const link = this.find(secret);
    const toEnd = link === null ? 0 : link.expiresAt - clock.now();
    const watched = documentId ?? link?.object.slice("document:".length);
    return new Promise((resolve) => {
      const stops: (() => void)[] = [];
      let isSettling = false;
      const wake = (): void => {
        for (const stop of stops.splice(0)) stop();
        gone.removeEventListener("abort", wake);
        resolve();
      };
      stops.push(
        clock.setTimer(Math.max(0, Math.min(ms, toEnd)), wake),
        this.#keeper.onChanged(wake),
        hub.feeds.files.subscribe(({ id }) => {
          if (isSettling || id !== watched) return;
          isSettling = true;
          stops.push(clock.setTimer(settleMs, wake));
        }),
      );
      gone.addEventListener("abort", wake, { once: true });
      if (gone.aborted) wake();
    });
  }

  async #now(visit: Visit): Promise<Result<VisitAnswer, Refusal>> {
    const opened = await this.#open(visit, null);
    if (!opened.ok) return opened;
    const { link, role } = opened.value;
    const content = await contentOf(opened.value, this.#ports, (chain, verb) => this.#may(link, chain, verb));
    if (!content.ok) return err(linkOver());
    const have = sha256Hex(JSON.stringify([content.value, role, link.expiresAt])).slice(0, 16);
    return ok({ content: content.value, role, expiresAt: link.expiresAt, have, pass: this.passOf(link) });
  }

  /** Finds what a visit is to, if the link may do this to it now; without a verb, if it may see it. */
  async #open({ secret, documentId }: Visit, verb: Verb | null): Promise<Result<OpenedVisit, Refusal>> {
    const link = this.find(secret);
    if (link === null) return err(linkOver());
    const [kind = "", id = ""] = link.object.split(/:(.*)/su);
    const wanted = documentId ?? (kind === "document" ? (id as BlockId) : null);
    const chain = await this.#chainOf(link, wanted);
    if (chain === null) return err(linkOver());
    const seen = wanted !== null ? "document.read" : kind === "conversation" ? "conversation.read" : "folder.see";
    if (!this.#may(link, chain, seen)) return err(linkOver());
    if (verb !== null && !this.#may(link, chain, verb)) {
      const message = "This link only reads. Nothing was changed; ask who sent it for one with which you may comment.";
      return err(refusal("FORBIDDEN", {}, message));
    }
    const given = this.#keeper.rights.shares.get(link.object)?.get(subjectKey({ type: "link", id: link.id }));
    return ok({ link, role: given === "commenter" ? "commenter" : "viewer", documentId: wanted, kind, id });
  }

  async #chainOf(link: ShareLinkRow, documentId: BlockId | null): Promise<Chain | null> {
    const { store, folders } = this.#ports;
    if (documentId !== null) {
      const header = await store.block(documentId);
      if (header === null || header.deletedAt !== undefined) return null;
      return chainOf({ type: "block", id: documentId }, { store, folders });
    }
    // The rights know a folder by its key; what is above it plays no part for a link to it.
    if (link.object.startsWith("folder:")) return [link.object];
    return chainOf(
      { type: "conversation", id: link.object.slice("conversation:".length) as never },
      { store, folders },
    );
  }

  #may(link: ShareLinkRow, chain: Chain, verb: Verb): boolean {
    return this.#keeper.decide({ type: "link", id: link.id }, { verb, chain }) === "allowed";
  }
}

/** One answer for a link that never was, was ended, has expired, or whose thing is gone. */
function linkOver(): Refusal {
  return refusal(
    "NOT_FOUND",
    {},
    "This link has ended, or what it showed is gone. Ask the person who sent it for a new one.",
  );
}

const linksByRights = new WeakMap<Rights, ReadonlyMap<string, ShareLinkRow>>();

function linksOf(rights: Rights): ReadonlyMap<string, ShareLinkRow> {
  const known = linksByRights.get(rights);
  if (known !== undefined) return known;
  const links = new Map([...rights.links.values()].map((link) => [link.hash, link]));
  linksByRights.set(rights, links);
  return links;
}
