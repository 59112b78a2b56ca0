import type { ServerResponse } from "node:http";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Chain } from "../../../core/rights/object-key.ts";

interface Judged {
  readonly isGone: () => boolean;
  readonly judge: () => Promise<Refusal | null>;
  /** The document that it follows, with all that it lies in; null: none. */
  readonly document: StreamedDocument | null;
}

/** A document as it lay when its stream began. */
export interface StreamedDocument {
  readonly id: string;
  readonly chain: Chain | null;
}

/** Long answers to people of a team: cut when those may no longer read what they are sent. */
export class JudgedStreams {
  readonly #open = new Map<ServerResponse, Judged>();

  add(response: ServerResponse, judged: Judged): void {
    if (response.destroyed) return;
    this.#open.set(response, judged);
    response.on("close", () => this.#open.delete(response));
  }

  /** Judges every open answer again. */
  check(): void {
    for (const [response, judged] of this.#open) this.#judge(response, judged);
  }

  /** Judges the answers again that follow a document, where it lies elsewhere now. */
  moved(id: string, chainNow: () => Chain | null): void {
    for (const [response, judged] of this.#open) {
      if (judged.document?.id !== id) continue;
      const chain = chainNow();
      if (judged.document.chain?.join() === chain?.join()) continue;
      const now = { ...judged, document: { id, chain } };
      this.#open.set(response, now);
      this.#judge(response, now);
    }
  }

  #judge(response: ServerResponse, { isGone, judge }: Judged): void {
    if (isGone()) response.destroy();
    else
      void judge().then(
        (refused) => (refused === null ? undefined : response.destroy()),
        () => response.destroy(),
      );
  }
}
