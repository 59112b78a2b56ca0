import type { ContentBlock, Message } from "../../core/message/types.ts";
import type { EstimatedInput, TokenEstimator } from "../../core/port/token-estimator.ts";
import { assumed, calibrated, type Calibration, learned } from "./calibration.ts";
import { type CountTokens, isCountedExactly, loadTokenizer, TextCounter, type TokenParts } from "./exact-tokens.ts";
import { roughTokens } from "../../core/message/rough-tokens.ts";

/** Tokens of a message and of a tool besides their texts. */
const tokensOfMessage = 4;
const tokensOfTool = 8;
/** Tokens of an image, and of a file of unknown size: those of a screenshot on the large models. */
const mediaTokens = 1600;
/** How many models' calibrations are kept. */
const modelsMax = 200;
/** Bytes per page of a document that is not text; a page costs about as much as an image. */
const pageBytes = 50_000;

export interface TokenEstimatorOptions {
  /** Loads OpenAI's tokenizer; when it fails, its models are estimated like others. */
  readonly tokenizer?: () => Promise<CountTokens>;
  /** Earlier calibrations, the least recently updated first. */
  readonly known?: ReadonlyMap<string, Calibration>;
  /** Receives all calibrations after each count, as in `known`; at most `modelsMax` models. */
  readonly onLearned?: (known: ReadonlyMap<string, Calibration>) => void;
}

/**
 * Creates an estimator of input tokens: OpenAI's own tokenizer for its models, a heuristic for all others. Providers'
 * counts correct both, by a running ratio and its variance for each model.
 */
export function createTokenEstimator({
  tokenizer = loadTokenizer,
  known,
  onLearned = () => {},
}: TokenEstimatorOptions = {}): TokenEstimator {
  const calibrations = new Map<string, Calibration>(known);
  const guesser = new TextCounter(roughTokens);
  let counter: TextCounter | undefined;
  let isLost = false;

  async function exactCounter(): Promise<TextCounter | undefined> {
    if (counter !== undefined || isLost) return counter;
    try {
      counter = new TextCounter(await tokenizer());
    } catch {
      isLost = true;
    }
    return counter;
  }

  return {
    async estimate(input) {
      const exact = isCountedExactly(input.modelId) ? await exactCounter() : undefined;
      const used = exact ?? guesser;
      let tokens = input.tools.length * tokensOfTool;
      for (const text of textsOf(input)) tokens += await used.tokensOf(text);
      tokens += await used.tokensOfAll(input.messages, partsOf);
      return calibrated(calibrations.get(input.modelId) ?? assumption(input.modelId, exact !== undefined), tokens);
    },
    learn(modelId, estimate, countedTokens) {
      const before =
        calibrations.get(modelId) ?? assumption(modelId, isCountedExactly(modelId) && counter !== undefined);
      // The estimate included the calibration at its time; removing that gives the tokens counted here.
      const uncalibrated = estimate.expected / Math.exp(before.mean);
      const after = learned(before, uncalibrated, countedTokens);
      if (after === before) return;
      calibrations.delete(modelId);
      calibrations.set(modelId, after);
      const [oldest] = calibrations.keys();
      if (calibrations.size > modelsMax && oldest !== undefined) calibrations.delete(oldest);
      onLearned(calibrations);
    },
  };
}

/** The assumption about a family before its first count: Claude since Opus 4.7 makes more tokens of the same text. */
function assumption(modelId: string, exact: boolean): Calibration {
  if (exact) return assumed(1, 0.03);
  if (/claude/.test(modelId)) return assumed(/claude-(?:opus-4-[789]|[a-z]+-[5-9])/.test(modelId) ? 1.45 : 1.12, 0.1);
  return assumed(1.1, 0.25);
}

function textsOf({ system, tools }: EstimatedInput): readonly string[] {
  return [
    system,
    ...tools.map(({ name, description, inputSchema }) => `${name}\n${description}\n${JSON.stringify(inputSchema)}`),
  ].filter((text) => text !== "");
}

function partsOf({ content }: Message): TokenParts {
  const blocks: readonly ContentBlock[] = content;
  const media = blocks.reduce((sum, block) => sum + tokensOfMedia(block), 0);
  return { texts: blocks.flatMap(textsOfBlock), others: tokensOfMessage + media };
}

function textsOfBlock(block: ContentBlock): readonly string[] {
  switch (block.type) {
    case "text":
    case "refusal":
    case "thinking":
      return [block.text];
    case "tool-use":
      return [block.name, block.rawParameters ?? JSON.stringify(block.parameters)];
    case "opaque":
      return [JSON.stringify(block.raw)];
    case "image":
    case "file":
    case "notice":
      return [];
  }
}

function tokensOfMedia(block: ContentBlock): number {
  if (block.type === "image") return mediaTokens;
  if (block.type !== "file") return 0;
  const { source } = block;
  if (source.type === "url") return mediaTokens;
  const bytes = source.type === "blob" ? source.size : source.data.length * 0.75;
  return block.mediaType.startsWith("text/") ? bytes / 3 : Math.max(1, bytes / pageBytes) * mediaTokens;
}
