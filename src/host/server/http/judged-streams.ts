import type { ServerResponse } from "node:http";
import type { Refusal } from "../../../core/base/errors.ts";

interface Judged {
  readonly isGone: () => boolean;
  readonly judge: () => Promise<Refusal | null>;
}

/** Long answers to people of a team: cut when those may no longer read what they are sent. */
export class JudgedStreams {
  readonly #open = new Map<ServerResponse, Judged>();

  add(response: ServerResponse, isGone: () => boolean, judge: () => Promise<Refusal | null>): void {
    if (response.destroyed) return;
    this.#open.set(response, { isGone, judge });
    response.on("close", () => this.#open.delete(response));
  }

  /** Judges every open answer again. */
  check(): void {
    for (const [response, { isGone, judge }] of this.#open) {
      if (isGone()) response.destroy();
      else
        void judge().then(
          (refused) => (refused === null ? undefined : response.destroy()),
          () => response.destroy(),
        );
    }
  }
}
