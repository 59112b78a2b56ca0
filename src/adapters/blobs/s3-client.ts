import { createHash } from "node:crypto";
import { BlobsAwayError } from "../../core/port/blobs.ts";
import type { Clock } from "../../core/port/platform.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { bucketUrl, shownS3Place, type S3Place } from "./s3-place.ts";
import { emptyHash, encodedForS3, signedHeaders, type S3Request } from "./sign-s3.ts";

/** What is asked of the store. */
export interface S3Call {
  readonly method: S3Request["method"];
  /** The object's name; empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** How the store is asked. */
export interface S3Limits {
  /** How long one try may take, with its bodies. Milliseconds. */
  readonly tryMs: number;
  readonly tries: number;
  /** The pause before the second try; each further one is twice as long. Milliseconds. */
  readonly pauseMs: number;
  /** How many requests are under way at once; others wait. */
  readonly parallel: number;
}

export const s3Limits: S3Limits = { tryMs: 60_000, tries: 3, pauseMs: 250, parallel: 8 };

/** What another try may change; all requests may be repeated. */
const passing = new Set([408, 429, 500, 502, 503, 504]);

/** Asks an S3 store: signs, bounds, tries again. */
export class S3Client {
  readonly #place: S3Place;
  readonly #clock: Clock;
  readonly #limits: S3Limits;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(place: S3Place, clock: Clock, limits: S3Limits) {
    this.#place = place;
    this.#clock = clock;
    this.#limits = limits;
    this.#free = limits.parallel;
  }

  /** Returns a success or a 404. Rejects with a `BlobsAwayError` where the store refuses or cannot be reached. */
  async ask(call: S3Call): Promise<S3Answer> {
    await this.#turn();
    try {
      return await this.#tried(call);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  async #turn(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    // Whoever is done leaves its turn to the one that has waited longest.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #tried(call: S3Call): Promise<S3Answer> {
    const { tries, pauseMs } = this.#limits;
    const shown = shownS3Place(this.#place);
    for (let number = 1; ; number += 1) {
      const answer = await this.#once(call);
      if (typeof answer !== "string") {
        if (answer.status < 300 || answer.status === 404) return answer;
        if (!passing.has(answer.status)) {
          throw new BlobsAwayError(`${shown} refused ${call.method}: ${refusedWords(answer)}`, "refused");
        }
      }
      if (number === tries) {
        const why = typeof answer === "string" ? answer : refusedWords(answer);
        throw new BlobsAwayError(`${shown} did not answer ${call.method} (${tries} tries): ${why}`, "unreachable");
      }
      const delayMs = pauseMs * 2 ** (number - 1);
      await new Promise<void>((resolve) => this.#clock.setTimer(delayMs, resolve));
    }
  }

  /** One try; a string says why there is no answer. */
  async #once({ method, key, query = {}, body }: S3Call): Promise<S3Answer | string> {
    const { credentials, region } = this.#place;
    const url = bucketUrl(this.#place);
    url.pathname += key.split("/").map(encodedForS3).join("/");
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const hash = body === undefined ? null : createHash("sha256").update(body).digest();
    const headers =
      hash === null
        ? {}
        : { "content-type": "application/octet-stream", "x-amz-checksum-sha256": hash.toString("base64") };
    const bodyHash = hash?.toString("hex") ?? emptyHash;
    const request: S3Request = { method, url, headers, bodyHash };
    try {
      const answer = await fetch(url, {
        method,
        headers: signedHeaders(request, credentials, { region, at: this.#clock.now() }),
        // A copy in a buffer of its own, as the type wants it.
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
        redirect: "error",
        signal: AbortSignal.timeout(this.#limits.tryMs),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: new Uint8Array(await answer.arrayBuffer()),
      };
    } catch (problem) {
      const cause = problem instanceof Error && problem.cause !== undefined ? `: ${reasonOf(problem.cause)}` : "";
      return `${reasonOf(problem)}${cause}`;
    }
  }
}

/** The status, and the store's own code where it gives one. */
function refusedWords({ status, body }: S3Answer): string {
  const code = /<Code>(?<code>\w{1,80})<\/Code>/u.exec(new TextDecoder().decode(body.subarray(0, 4_096)))?.groups?.[
    "code"
  ];
  return code === undefined ? String(status) : `${status} ${code}`;
}
