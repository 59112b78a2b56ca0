import type { LanguageModel } from "../../src/core/port/language-model.ts";
import type { Clock } from "../../src/core/port/platform.ts";
import type { Sleep } from "../../src/adapters/providers/scribe/scribe.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

/** How often each fault comes; each seed draws its own rates, so that some have one fault alone and some have all at once. */
export interface FaultRates {
  /** In a thousand steps: the disk is full for a while. */
  readonly full: number;
  /** In a thousand steps: a commit is made, and the server dies before it hears so. */
  readonly unheard: number;
  /** In a thousand steps: the wall clock jumps, by up to ten years in either direction. */
  readonly jump: number;
  /** In a hundred requests to the model: its provider fails, at its beginning or later. */
  readonly broken: number;
  /** In a hundred calls of an MCP server's tool: its process fails. */
  readonly child: number;
  /** In a hundred steps of the workspace folder's disk: the step fails. */
  readonly file: number;
}

export function drawRates({ oneIn, below }: SeededRandom): FaultRates {
  const rate = (most: number): number => (oneIn(2) ? 0 : 1 + below(most));
  return {
    full: rate(60),
    unheard: rate(40),
    jump: rate(60),
    broken: rate(40),
    child: rate(90),
    file: rate(8),
  };
}

const tenYearsMs = 10 * 365 * 24 * 60 * 60 * 1000;

/** A clock whose wall time can jump; its monotonic time and its timers do not. */
export function jumpingClock<Kept extends Clock>(
  clock: Kept,
): { readonly clock: Kept; jump(random: SeededRandom): void } {
  let offset = 0;
  return {
    clock: { ...clock, now: () => clock.now() + offset },
    jump({ below, oneIn }) {
      const by = oneIn(2) ? below(tenYearsMs) : below(60_000);
      offset = oneIn(2) ? by : -by;
    },
  };
}

/** How many parts of a reply are late; a reply of late parts alone would never end. */
const latePartsMax = 10;

/** What a provider does instead of a whole reply in time. */
const providerFaults = ["breaks", "hangs", "late", "twice", "garbage", "throws"] as const;

/** A model whose provider breaks off, hangs, is late, says things twice, sends garbage or throws, now and then. */
export function breakingModel(
  model: LanguageModel,
  random: SeededRandom,
  {
    percent,
    sleep,
    onBroken,
  }: { readonly percent: () => number; readonly sleep: Sleep; readonly onBroken: () => void },
): LanguageModel {
  return {
    ...model,
    async *stream(request, signal, ...rest): AsyncGenerator<StreamPart> {
      const fault = random.below(100) < percent() ? random.pick(providerFaults) : null;
      const at = random.below(60);
      let parts = 0;
      for await (const part of model.stream(request, signal, ...rest)) {
        parts += 1;
        if (fault === null || parts - 1 < at || parts - 1 >= at + latePartsMax) yield part;
        else if (fault === "late") {
          if (parts - 1 === at) onBroken();
          await sleep(random.below(5_000), signal);
          yield part;
        } else {
          onBroken();
          return yield* broken(fault, part, { sleep, signal });
        }
      }
    },
  };
}

/** What comes instead of this part and of all after it. */
async function* broken(
  fault: Exclude<(typeof providerFaults)[number], "late">,
  part: StreamPart,
  { sleep, signal }: { readonly sleep: Sleep; readonly signal: AbortSignal },
): AsyncGenerator<StreamPart> {
  switch (fault) {
    case "breaks":
      return yield failedAs("overloaded", true);
    case "hangs":
      // Its adapter gives up after its own deadline.
      await sleep(60_000, signal);
      return yield failedAs("network", true);
    case "twice":
      yield part;
      yield part;
      return yield failedAs("network", true);
    case "garbage":
      yield { type: "text-start", index: 90 };
      yield { type: "text-delta", index: 90, text: '\ud800 \u0000 <tool>{"name":"write_file"' };
      yield { type: "tool-call-start", index: 91, id: "", name: "no_such_tool" };
      yield { type: "tool-call-delta", index: 91, text: '{"path":' };
      return yield failedAs("unknown", false);
    case "throws":
      throw new Error("the provider's library threw");
  }
}

function failedAs(kind: "overloaded" | "network" | "unknown", retryable: boolean): StreamPart {
  return { type: "failed", failure: { class: kind, message: "It broke.", retryable } };
}
