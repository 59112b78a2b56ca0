import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { clampMaxTokens } from "../../../core/message/tokens.ts";
import type { ModelInfo } from "../../../core/port/language-model.ts";
import type { WhenFull } from "../../../core/model/when-full.ts";
import type { TokenEstimate } from "../../../core/port/token-estimator.ts";

/** The least room in which a reply is worth its request. Tokens. */
const replyTokensMin = 256;

/** How far a cautious estimate alone may cut a reply's limit: the server refuses what really is too long. Tokens. */
const cautiousTokensMin = 1_024;

interface ReplyRoom {
  readonly info: Pick<ModelInfo, "id" | "contextTokensMax" | "outputTokensMax">;
  readonly estimate: TokenEstimate;
  /** The longest reply that the caller asked for; absent for no wish. */
  readonly wished?: number | undefined;
  readonly whenFull: WhenFull;
}

/**
 * Returns the limit of a reply, from 1; null for none, where neither the model's limits nor a wish is known. With `refuse`,
 * CONTEXT_FULL with the figures where less than 256 tokens are left, or less than a smaller wish.
 */
export function replyLimit({ info, estimate, wished, whenFull }: ReplyRoom): Result<number | null, Refusal> {
  const longest = Math.min(wished ?? Number.MAX_SAFE_INTEGER, info.outputTokensMax ?? Number.MAX_SAFE_INTEGER);
  const window = info.contextTokensMax;
  if (window === null) return ok(longest === Number.MAX_SAFE_INTEGER ? null : longest);
  const left = window - estimate.expected;
  const least = Math.min(replyTokensMin, longest);
  if (whenFull === "refuse" && left < least) return err(contextFull({ window, used: estimate.expected, left, least }));
  const cautious = clampMaxTokens(longest, { inputTokensMax: window, outputTokensMax: longest }, estimate.upper);
  return ok(Math.max(cautious, 1, Math.min(cautiousTokensMin, longest, left)));
}

interface Figures {
  readonly window: number;
  readonly used: number;
  readonly left: number;
  readonly least: number;
}

function contextFull({ window, used, left, least }: Figures): Refusal {
  const number = new Intl.NumberFormat("en-US");
  const room =
    left > 0
      ? `which leaves ${number.format(left)} for the reply; Heddle asks for a reply of at least ${number.format(least)}`
      : `${number.format(-left)} more than the model takes`;
  const message =
    `The model's window has ${number.format(window)} tokens. The conversation and its tools need about ${number.format(used)} of them, ${room}. ` +
    "Nothing was sent. Shorten the conversation, switch tools off, or choose a model with a larger window.";
  return refusal("CONTEXT_FULL", { window, estimated_input: used, left, least }, message);
}
