import type { JsonObject } from "../../../core/base/json.ts";
import type { ServerToolKind } from "../../../core/model/server-tool.ts";
import type { LanguageModel, ModelInfo } from "../../../core/port/language-model.ts";
import type { Codec } from "./codec.ts";
import { createHttpModel, type HttpDeps } from "./http-model.ts";
import type { ServedModel } from "./served-model.ts";

/** One wire format for the catalogue, which never looks at a format's name. */
export interface ProviderFormat {
  /** The name of the format: `api` in `models.json`, stored with the content that it wrote. */
  readonly api: string;
  /** Compat records that together show every flag of the format and every value of a flag. */
  readonly compatSamples: readonly object[];
  /** How a server that speaks the format is asked for its models; absent where that is not done. */
  readonly questions?: ServerQuestions;
  /** The route that lists a server's models; absent where the format has none. */
  readonly modelList?: ModelListRoute;
  /** Opens one model of a server that speaks the format. */
  open(model: ModelAtServer, deps: HttpDeps): LanguageModel;
}

/** The route on which servers of a format list their models. */
export interface ModelListRoute {
  readonly path: string;
  headers(apiKey: string | undefined): Readonly<Record<string, string>>;
  /** Null for what is no list. */
  read(body: unknown): readonly ServedModel[] | null;
}

/** What can be asked of a server. Null where it does not say; never rejects. */
interface ServerQuestions {
  list(server: AskedServer, deps: HttpDeps): Promise<readonly ServedModel[] | null>;
  /** Asks for the window of one model, where the list does not say it. */
  show(server: AskedServer, model: string, deps: HttpDeps): Promise<ServedModel | null>;
}

/** Where a server is asked. */
export interface AskedServer {
  readonly baseUrl: string;
  readonly apiKey?: string;
}

/** A model and the server that serves it. */
interface ModelAtServer {
  readonly info: ModelInfo;
  /** The provider's name of the model. */
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Flags of the format's compat record that differ for this model. */
  readonly compat: JsonObject;
}

/** What the author of a format writes: its codec, and the compat record of each model. */
interface FormatParts<Compat extends object, State> {
  readonly api: string;
  readonly compatSamples: readonly Compat[];
  compatOf(model: Pick<ModelAtServer, "name" | "baseUrl">): Compat;
  codec(compat: Compat): Codec<State>;
  readonly questions?: ServerQuestions;
  readonly modelList?: ModelListRoute;
  /** Whether the model goes on from the beginning of a reply; by default none does. */
  prefills?(compat: Compat): boolean;
  /** The tools that the provider runs itself; by default none. */
  serverTools?(compat: Compat): readonly ServerToolKind[];
}

/** Makes a format from its parts. */
export function providerFormat<Compat extends object, State>(parts: FormatParts<Compat, State>): ProviderFormat {
  return {
    api: parts.api,
    compatSamples: parts.compatSamples,
    ...(parts.questions === undefined ? {} : { questions: parts.questions }),
    ...(parts.modelList === undefined ? {} : { modelList: parts.modelList }),
    open: ({ info, baseUrl, apiKey, name, compat }, deps) => {
      const flags = { ...parts.compatOf({ name, baseUrl }), ...compat };
      const codec = parts.codec(flags);
      const serverTools = parts.serverTools?.(flags) ?? [];
      const known: ModelInfo = {
        ...info,
        ...(parts.prefills?.(flags) === true ? { prefill: true } : {}),
        ...(serverTools.length === 0 ? {} : { serverTools }),
      };
      return createHttpModel(
        { info: known, baseUrl, codec, streamed: true, ...(apiKey === undefined ? {} : { apiKey }) },
        deps,
      );
    },
  };
}
