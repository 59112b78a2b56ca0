import type { ModelFailure } from "../../../core/model/failure.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { failureOfReply, networkFailure } from "../shared/errors.ts";
import type { AskedServer, ModelListRoute } from "../shared/format.ts";
import { endpointUrl, type HttpDeps } from "../shared/http-model.ts";
import { listAt, numberAt, parseJson, textAt } from "../shared/json-read.ts";
import { known, type ServedModel, tokensIn } from "../shared/served-model.ts";
import { boundedText } from "./ask-server.ts";
import { readModelList } from "./read-lists.ts";

/** How long a server may take to list its models. Milliseconds. */
const answerMs = 8_000;

/** Lists the models of a server because a person asked; a failure says what is wrong, such as a refused key. Never rejects. */
export async function askForModels(
  route: ModelListRoute,
  { baseUrl, apiKey }: AskedServer,
  deps: HttpDeps,
): Promise<Result<readonly ServedModel[], ModelFailure>> {
  const controller = new AbortController();
  const cancelTimer = deps.clock.setTimer(answerMs, () => controller.abort());
  try {
    const answer = await deps.fetch(endpointUrl(baseUrl, route.path), {
      headers: { accept: "application/json", ...route.headers(apiKey) },
      redirect: "error",
      signal: controller.signal,
    });
    const body = await boundedText(answer);
    const { status, headers } = answer;
    if (!answer.ok) return err(failureOfReply({ status, headers, body, nowMs: deps.clock.now() }));
    const models = route.read(parseJson(body));
    return models === null ? err(networkFailure("The server's answer is not a list of models.")) : ok(models);
  } catch (problem) {
    const isLate = controller.signal.aborted;
    return err(networkFailure(isLate ? `No answer within ${answerMs / 1_000} s.` : wordsOf(problem)));
  } finally {
    cancelTimer();
    controller.abort();
  }
}

/** `fetch` has the reason of a failed connection one level down. */
function wordsOf(problem: unknown): string {
  const cause: unknown = problem instanceof Error ? problem.cause : undefined;
  return reasonOf(cause ?? problem);
}

/** OpenAI's list, which many servers have. */
export const openAiList: ModelListRoute = {
  path: "/v1/models",
  headers: (apiKey): Readonly<Record<string, string>> =>
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  read: readModelList,
};

/** Reads Google's list; null for anything else. Models that write no replies are left out. */
export function readGeminiList(body: unknown): readonly ServedModel[] | null {
  const listed = listAt(body, "models");
  if (listed.length === 0) return null;
  return listed.flatMap((entry): readonly ServedModel[] => {
    const model = textAt(entry, "name")?.replace(/^models\//, "");
    const writes = listAt(entry, "supportedGenerationMethods").includes("generateContent");
    if (!writes || model === undefined || !/^\S{1,200}$/.test(model)) return [];
    const facts = known<Omit<ServedModel, "model">>({
      name: textAt(entry, "displayName")?.slice(0, 200),
      contextTokensMax: tokensIn(numberAt(entry, "inputTokenLimit")),
      outputTokensMax: tokensIn(numberAt(entry, "outputTokenLimit")),
    });
    return [{ model, ...facts }];
  });
}
