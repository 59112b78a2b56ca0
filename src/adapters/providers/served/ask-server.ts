import type { AskedServer } from "../shared/format.ts";
import { endpointUrl, type HttpDeps } from "../shared/http-model.ts";
import { parseJson } from "../shared/json-read.ts";
import { readModelList } from "./read-lists.ts";
import { readLoadedWindow, readShownModel } from "./read-ollama.ts";
import { readProps } from "./read-props.ts";
import type { ServedModel } from "../shared/served-model.ts";

/** How long one question may take. Milliseconds. */
const answerMs = 3_000;
/** The longest answer that is read: the list of a service with every model of the market has some hundred kB. Bytes. */
const answerBytesMax = 8 * 1024 * 1024;

/** Lists the models of a server; null where it does not answer, or not with a list. Never rejects. */
export async function listServedModels(server: AskedServer, deps: HttpDeps): Promise<readonly ServedModel[] | null> {
  return readModelList(await ask(endpointUrl(server.baseUrl, "/v1/models"), server, deps));
}

/**
 * Asks a server that a person runs for one model's window: Ollama (`/api/show`, `/api/ps`) or llama.cpp (`/props`), whichever
 * answers. Null where neither does. Never rejects.
 */
export async function showServedModel(server: AskedServer, model: string, deps: HttpDeps): Promise<ServedModel | null> {
  const root = rootOf(server.baseUrl);
  const [shown, loaded, props] = await Promise.all([
    ask(`${root}/api/show`, server, deps, { model }).then((body) => readShownModel(model, body)),
    ask(`${root}/api/ps`, server, deps).then((body) => readLoadedWindow(model, body)),
    ask(`${root}/props`, server, deps).then((body) => readProps(model, body)),
  ]);
  const told = props ?? shown;
  if (told === null) return loaded === undefined ? null : { model, contextTokensMax: loaded };
  return loaded === undefined ? told : { ...told, contextTokensMax: loaded };
}

/** Returns the address of a server without the version that its OpenAI routes begin with. */
function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/v\d+[a-z]*\d*(?:\/chat\/completions)?$/, "");
}

async function ask(url: string, { apiKey }: AskedServer, deps: HttpDeps, body?: object): Promise<unknown> {
  const controller = new AbortController();
  const cancelTimer = deps.clock.setTimer(answerMs, () => controller.abort());
  try {
    const answer = await deps.fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error",
      signal: controller.signal,
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      return undefined;
    }
    return parseJson(await boundedText(answer));
  } catch {
    // A server that is not there, or answers something else, says nothing.
    return undefined;
  } finally {
    cancelTimer();
    controller.abort();
  }
}

/** Reads an answer as text; empty beyond the bound. */
export async function boundedText(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > answerBytesMax) {
      await reader.cancel();
      return "";
    }
    text += decoder.decode(value, { stream: true });
  }
}
